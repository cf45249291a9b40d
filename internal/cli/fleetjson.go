package cli

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
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
		DrainedMS     float64          `json:"drained_ms,omitempty"`
		Cut           string           `json:"cut,omitempty"`
		Recovered     int              `json:"recovered"`
		RecoverMS     *statOut         `json:"recover_ms"`
		Calls         *statOut         `json:"calls"`
		Sent          *statOut         `json:"sent"`
		Useful        *statOut         `json:"useful"`
		Unfinished    *statOut         `json:"unfinished"`
		Amplification *statOut         `json:"amplification"`
		Success       *statOut         `json:"success"`
		Wasted        *statOut         `json:"wasted"`
		PeakS         *statOut         `json:"peak_per_s"`
		PeakCapacity  *float64         `json:"peak_over_capacity"`
		Times         []timeOut        `json:"time_to_success"`
		Failed        map[string]int64 `json:"failed"`
		EndMS         float64          `json:"end_ms"`
		Events        int64            `json:"events"`
		BucketMS      float64          `json:"bucket_ms"`
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

// outStat is null where no run has the figure.
func outStat(s sim.Stat) *statOut {
	if s.N == 0 {
		return nil
	}
	return &statOut{s.Mean, s.SE}
}

// outMillis is outStat of a time in seconds.
func outMillis(s sim.Stat) *statOut {
	return outStat(sim.Stat{Mean: secondsInMillis(s.Mean), SE: secondsInMillis(s.SE), N: s.N})
}

// secondsInMillis is whole in nanoseconds: what a product leaves behind them stands for nothing.
func secondsInMillis(s float64) float64 { return math.Round(s*1e9) / 1e6 }

// fleetJSON prints everything as one object, piece by piece: there may be millions of buckets.
func fleetJSON(w io.Writer, p *fleetPlan, all []*sim.Summary, partial bool) error {
	base := &p.fleets[0]
	out := fleetOut{Scenario: p.scenario.Name, Fleet: map[string]string{}, Seed: base.Seed, Seeds: p.seeds, Partial: partial}
	for _, f := range sim.Fields() {
		out.Fleet[f.Name] = f.Get(base)
	}
	if c := base.Server.Capacity(); c > 0 {
		out.CapacityS = &c
	}
	b := bufio.NewWriter(w)
	if err := openObject(b, out, "", "policies"); err != nil {
		return err
	}
	for i, s := range all {
		_, _ = b.WriteString(commaAfter(i) + "\n    ") // an error of a bufio.Writer stays until Flush
		if err := openObject(b, outPolicy(p.names[i], s), "    ", "buckets"); err != nil {
			return err
		}
		writeBuckets(b, s.First)
		_, _ = b.WriteString("]\n    }")
	}
	_, _ = b.WriteString("\n  ]\n}\n")
	return b.Flush()
}

// openObject writes an object up to the beginning of one more field, which is an array.
func openObject(b *bufio.Writer, v any, indent, field string) error {
	text, err := json.MarshalIndent(v, indent, "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(b, "%s,\n%s  %q: [", bytes.TrimSuffix(text, []byte("\n"+indent+"}")), indent, field)
	return err
}

// writeBuckets writes a line a bucket.
func writeBuckets(b *bufio.Writer, r *sim.Result) {
	if r == nil {
		return
	}
	var row []byte
	for i := range r.Buckets {
		row = append(row[:0], commaAfter(i)+"\n        {\"t_ms\": "...)
		row = strconv.AppendFloat(row, inMillis(r.Width*time.Duration(i)), 'f', -1, 64)
		for _, f := range bucketFields {
			row = append(append(append(row, ", \""...), f.name...), "\": "...)
			row = strconv.AppendInt(row, f.of(&r.Buckets[i]), 10)
		}
		_, _ = b.Write(append(row, '}'))
	}
	_, _ = b.WriteString("\n      ")
}

func commaAfter(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

func outPolicy(name string, s *sim.Summary) policyOut {
	out := policyOut{
		Policy: s.Config.Policy.String(), Name: name, Seeds: s.Seeds, Verdict: s.Verdict.String(), Why: s.Why, DrainedMS: inMillis(s.Drained), Cut: s.Cut, Recovered: s.Recovered,
		Calls: outStat(s.Calls), Sent: outStat(s.Sent), Useful: outStat(s.Useful), Unfinished: outStat(s.Unfinished),
		Amplification: outStat(s.Amplification), Success: outStat(s.Success), Wasted: outStat(s.Wasted), PeakS: outStat(s.Peak),
		Times: []timeOut{}, Failed: map[string]int64{}, BucketMS: inMillis(s.Config.Bucket),
	}
	if r, ok := recovery(s); ok {
		out.RecoverMS = outMillis(r)
	}
	if c := s.Config.Server.Capacity(); c > 0 && s.Peak.N > 0 {
		x := s.Peak.Mean / c
		out.PeakCapacity = &x
	}
	for i, q := range sim.Quantiles() {
		if s.Times[i].N > 0 {
			out.Times = append(out.Times, timeOut{q, secondsInMillis(s.Times[i].Mean), secondsInMillis(s.Times[i].SE)})
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
	out.EndMS, out.Events = inMillis(s.First.End), s.First.Events
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
