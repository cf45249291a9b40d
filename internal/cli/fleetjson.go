package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// The fields of fleet --json; fleetFigures tells of each.
type (
	fleetOut struct {
		Scenario  string            `json:"scenario"`
		Fleet     map[string]string `json:"fleet"`
		Seed      uint64            `json:"seed"`
		Seeds     int               `json:"seeds"`
		CapacityS *float64          `json:"capacity_per_s"`
		Partial   bool              `json:"partial"`
		Policies  []policyOut       `json:"policies"`
	}
	statOut struct {
		Mean float64 `json:"mean"`
		SE   float64 `json:"se"`
	}
	timeOut struct {
		Q    float64 `json:"q"`
		MS   float64 `json:"ms"`
		SEMS float64 `json:"se_ms"`
	}
	policyOut struct {
		Policy        string           `json:"policy"`
		Name          string           `json:"name"`
		Seeds         int              `json:"seeds"`
		Verdict       string           `json:"verdict"`
		Why           string           `json:"why,omitempty"`
		Recovered     int              `json:"recovered"`
		RecoverMS     *statOut         `json:"recover_ms"`
		Calls         statOut          `json:"calls"`
		Sent          statOut          `json:"sent"`
		Useful        statOut          `json:"useful"`
		Amplification statOut          `json:"amplification"`
		Success       statOut          `json:"success"`
		Wasted        statOut          `json:"wasted"`
		PeakS         statOut          `json:"peak_per_s"`
		PeakCapacity  *float64         `json:"peak_over_capacity"`
		Times         []timeOut        `json:"time_to_success"`
		Failed        map[string]int64 `json:"failed"`
		Unfinished    int64            `json:"unfinished"`
		EndMS         float64          `json:"end_ms"`
		Events        int64            `json:"events"`
		BucketMS      float64          `json:"bucket_ms"`
		Buckets       []map[string]any `json:"buckets"`
	}
)

// bucketFields are the columns of a time bucket, in their order.
var bucketFields = []struct {
	name string
	of   func(*sim.Bucket) int64
}{
	{"begun", func(b *sim.Bucket) int64 { return b.Begun }},
	{"first", func(b *sim.Bucket) int64 { return b.First }},
	{"retries", func(b *sim.Bucket) int64 { return b.Retries }},
	{"accepted", func(b *sim.Bucket) int64 { return b.Accepted }},
	{"refused", func(b *sim.Bucket) int64 { return b.Refused }},
	{"dropped", func(b *sim.Bucket) int64 { return b.Dropped }},
	{"served", func(b *sim.Bucket) int64 { return b.Served }},
	{"useful", func(b *sim.Bucket) int64 { return b.Useful }},
	{"late", func(b *sim.Bucket) int64 { return b.Late }},
	{"expired", func(b *sim.Bucket) int64 { return b.Expired }},
	{"failed", func(b *sim.Bucket) int64 { return b.Failed }},
	{"timed_out", func(b *sim.Bucket) int64 { return b.TimedOut }},
	{"denied", func(b *sim.Bucket) int64 { return b.Denied }},
	{"held", func(b *sim.Bucket) int64 { return b.Held }},
	{"calls", func(b *sim.Bucket) int64 { return b.Calls }},
	{"waiting", func(b *sim.Bucket) int64 { return b.Waiting }},
	{"wire", func(b *sim.Bucket) int64 { return b.Wire }},
	{"queue", func(b *sim.Bucket) int64 { return b.Queue }},
	{"queue_max", func(b *sim.Bucket) int64 { return b.QueueMax }},
	{"serving", func(b *sim.Bucket) int64 { return b.Serving }},
}

func outStat(s sim.Stat, scale float64) statOut { return statOut{s.Mean * scale, s.SE * scale} }

// fleetJSON prints everything as one object.
func fleetJSON(w io.Writer, p *fleetPlan, all []*sim.Summary, partial bool) error {
	base := &p.fleets[0]
	out := fleetOut{
		Scenario: p.scenario.Name, Fleet: map[string]string{}, Seed: base.Seed, Seeds: p.seeds, Partial: partial, Policies: []policyOut{},
	}
	for _, f := range sim.Fields() {
		out.Fleet[f.Name] = f.Get(base)
	}
	if c := base.Server.Capacity(); c > 0 {
		out.CapacityS = &c
	}
	for i, s := range all {
		out.Policies = append(out.Policies, outPolicy(p.names[i], s))
	}
	b, err := json.MarshalIndent(out, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", b)
	}
	return err
}

func outPolicy(name string, s *sim.Summary) policyOut {
	out := policyOut{
		Policy: s.Config.Policy.String(), Name: name, Seeds: s.Seeds, Verdict: s.Verdict.String(), Why: s.Why, Recovered: s.Recovered,
		Calls: outStat(s.Calls, 1), Sent: outStat(s.Sent, 1), Useful: outStat(s.Useful, 1), Amplification: outStat(s.Amplification, 1),
		Success: outStat(s.Success, 1), Wasted: outStat(s.Wasted, 1), PeakS: outStat(s.Peak, 1),
		Times: []timeOut{}, Failed: map[string]int64{}, Buckets: []map[string]any{}, BucketMS: inMillis(s.Config.Bucket),
	}
	if s.Seeds == 0 {
		out.Verdict = "unknown"
	}
	if s.Recovered > 0 {
		r := outStat(s.Recover, 1000)
		out.RecoverMS = &r
	}
	if c := s.Config.Server.Capacity(); c > 0 {
		x := s.Peak.Mean / c
		out.PeakCapacity = &x
	}
	for i, q := range sim.Quantiles() {
		if s.Times[i].N > 0 {
			out.Times = append(out.Times, timeOut{q, s.Times[i].Mean * 1000, s.Times[i].SE * 1000})
		}
	}
	if s.First == nil {
		return out
	}
	for reason, n := range s.First.Reasons {
		out.Failed[reason.String()] = n
	}
	if s.First.Held > 0 {
		out.Failed["held"] = s.First.Held
	}
	out.Unfinished, out.EndMS, out.Events = s.First.Unfinished, inMillis(s.First.End), s.First.Events
	for i := range s.First.Buckets {
		b := map[string]any{"t_ms": inMillis(s.First.Width * time.Duration(i))}
		for _, f := range bucketFields {
			b[f.name] = f.of(&s.First.Buckets[i])
		}
		out.Buckets = append(out.Buckets, b)
	}
	return out
}

// fleetCSV prints the buckets of the first seed.
func fleetCSV(w io.Writer, p *fleetPlan, all []*sim.Summary) error {
	c := csv.NewWriter(w)
	row := []string{"policy", "t_ms"}
	for _, f := range bucketFields {
		row = append(row, f.name)
	}
	if err := c.Write(row); err != nil {
		return err
	}
	for i, s := range all {
		if s.First == nil {
			continue
		}
		for j := range s.First.Buckets {
			row = append(row[:0], p.names[i], strconv.FormatFloat(inMillis(s.First.Width*time.Duration(j)), 'f', -1, 64))
			for _, f := range bucketFields {
				row = append(row, strconv.FormatInt(f.of(&s.First.Buckets[j]), 10))
			}
			if err := c.Write(row); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}
