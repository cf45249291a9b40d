package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// maxSteps is how many points a sweep has at most.
const maxSteps = 1000

func newSweep(env *Env) *cobra.Command {
	f := &fleetFlags{policies: texts{word: "P"}, seeds: text{value: "1"}}
	c := &cobra.Command{
		Use:   "sweep",
		Short: "Goodput and amplification against load, or against another setting",
		Long: `sweep runs a fleet once for each value of a setting. load is the share of the
server's capacity at which first tries arrive. Above capacity/attempts a fleet
whose attempts time out can be held down by its own retries: that is marked.
Without a scenario it is a stream of calls to 20 workers of 100ms each, with a
queue of 100. Figures are of the steady part of a run, with --seeds means and their
standard errors (±); sent/call is attempts for each call, wasted the share of the
served calls whose client had given up, - that there is none. 'retryscope help
figures' lists the columns of --csv and what a verdict is.`,
		Example: `  retryscope fleet sweep --policy 'attempts=3' --over load=0.5:2:0.1
  retryscope fleet sweep --scenario metastable --over load=0.2:0.8:0.05 --csv
  retryscope fleet sweep --scenario herd --over clients=100:2000:100`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := f.sweepPlan(cmd.Context())
			if err != nil {
				return err
			}
			return runSweep(cmd.Context(), env, p, f)
		},
	}
	f.common(c)
	f.words(wordFlag{&f.over, "over", "", "NAME=FROM:TO:STEP", "what is swept: load, or a setting that is a number or a time"})
	f.set.BoolVar(&f.asJSON, "json", false, "print one JSON array")
	f.set.BoolVar(&f.asCSV, "csv", false, "print CSV, a row a policy and value")
	f.set.BoolVar(&f.ascii, "ascii", false, "draw with ASCII alone")
	return c
}

// sweepFleet is what is swept where no scenario is given.
func sweepFleet() sim.Config {
	c := sim.DefaultFleet()
	c.Load = sim.Load{Kind: sim.Open, Clients: 1000, Rate: []sim.RatePoint{{Rate: 150}}}
	c.Server = sim.Server{Workers: 20, Service: 100 * time.Millisecond, Law: sim.Exponential, Queue: 100, Refusal: 503}
	c.Faults, c.Latency, c.Horizon = nil, 10*time.Millisecond, time.Minute
	return c
}

// sweepPlan is a fleetPlan whose fleets are one policy and value each, policy by policy.
type sweepPlan struct {
	fleetPlan

	over     string
	values   []float64
	isTime   bool
	policies []string
}

func (f *fleetFlags) sweepPlan(ctx context.Context) (*sweepPlan, error) {
	var bad faults
	if !f.given("over") {
		bad.addf("--over: say what is swept, as load=0.5:2:0.1")
	}
	base, err := f.planOn(ctx, sim.Scenario{Name: "sweep", Title: "a stream of calls", Fleet: sweepFleet()})
	bad.add(err)
	if err := bad.err(); err != nil {
		return nil, err
	}
	p := &sweepPlan{fleetPlan: *base, policies: base.names}
	name, values, _ := strings.Cut(f.over.value, "=")
	if p.over = strings.TrimSpace(name); !p.readValues(values) {
		return nil, usage("--over %q: NAME=FROM:TO:STEP, as load=0.5:2:0.1 or clients=100:2000:100 or service=10ms:100ms:10ms, of at most %d values", f.over.value, maxSteps)
	}
	p.fleets, p.names = nil, nil
	for i, c := range base.fleets {
		for _, v := range p.values {
			at, err := p.at(c, v)
			if err == nil {
				err = at.Validate()
			}
			if err != nil {
				return nil, usage("--over %s=%s: %w", p.over, p.text(v), err)
			}
			p.fleets, p.names = append(p.fleets, at), append(p.names, p.policies[i])
		}
	}
	return p, nil
}

// readValues reads FROM:TO:STEP, numbers or times.
func (p *sweepPlan) readValues(s string) bool {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return false
	}
	var x [3]float64
	for i, part := range parts {
		var err error
		if x[i], err = strconv.ParseFloat(part, 64); err != nil {
			var d time.Duration
			if d, err = time.ParseDuration(part); err != nil {
				return false
			}
			x[i], p.isTime = float64(d), true
		}
	}
	from, to, step := x[0], x[1], x[2]
	if !(from >= 0) || !(to >= from) || !(step > 0) || math.IsInf(to, 0) || (to-from)/step > maxSteps-1+1e-9 {
		return false
	}
	for i := 0; ; i++ {
		v := from + float64(i)*step
		if v > to+step*1e-9 {
			return true
		}
		p.values = append(p.values, math.Round(v*1e9)/1e9)
	}
}

func (p *sweepPlan) text(v float64) string {
	if p.isTime {
		return engine.FormatDuration(time.Duration(v))
	}
	return strconv.FormatFloat(v, 'g', 10, 64)
}

// at is a fleet with the swept setting at a value.
func (p *sweepPlan) at(c sim.Config, v float64) (sim.Config, error) {
	if p.over != "load" || p.isTime {
		err := c.Set(p.over, p.text(v))
		return c, err
	}
	capacity := c.Server.Capacity()
	if c.Load.Kind != sim.Open || capacity == 0 {
		return c, &sim.FieldError{Field: "load", Value: "of this fleet", Allowed: "a stream of calls at a server with a capacity"}
	}
	c.Load.Rate = []sim.RatePoint{{Rate: v * capacity}}
	if v == 0 {
		return c, &sim.FieldError{Field: "load", Value: "0", Allowed: "above 0"}
	}
	return c, nil
}

// point is what one value of a sweep came to, in the steady part of its runs.
type point struct {
	Policy        string   `json:"policy"`
	Over          string   `json:"over"`
	Value         float64  `json:"value"`
	Goodput       *statOut `json:"goodput_per_s"`
	OfCapacity    *float64 `json:"goodput_over_capacity"`
	Amplification *statOut `json:"amplification"`
	Success       *statOut `json:"success"`
	Wasted        *statOut `json:"wasted"`
	Verdict       string   `json:"verdict"`
	Why           string   `json:"why"`
	Threshold     *float64 `json:"load_threshold"`

	at  int // its number among all
	run *sim.Summary
}

// points are those that were finished.
func (p *sweepPlan) points(all []*sim.Summary) []point {
	out := []point{}
	for i, s := range all {
		if s.Seeds < s.Asked {
			continue
		}
		pt := point{
			Policy: p.names[i], Over: p.over, Value: p.values[i%len(p.values)], Goodput: outStat(s.Steady.Goodput),
			Amplification: outStat(s.Steady.Amplification), Success: outStat(s.Steady.Success), Wasted: outStat(s.Steady.Wasted),
			Verdict: s.Verdict.String(), Why: s.Why, at: i, run: s,
		}
		if p.isTime {
			pt.Value /= 1e6
		}
		if c := s.Config.Server.Capacity(); c > 0 {
			part := s.Steady.Goodput.Mean / c
			pt.OfCapacity = &part
			if t := threshold(&s.Config); t > 0 {
				pt.Threshold = &t
			}
		}
		out = append(out, pt)
	}
	return out
}

// threshold is the load at which first tries and all retries of calls that fail make the capacity; 0 where there is none.
func threshold(c *sim.Config) float64 {
	n := c.Policy.Attempts
	if n >= engine.Unlimited {
		return 0
	}
	return math.Pow(float64(n), -float64(max(c.Layers, 1)))
}

func runSweep(ctx context.Context, env *Env, p *sweepPlan, f *fleetFlags) error {
	all, stopped := p.simulate(ctx, newProgress(env.Stderr), true)
	if err := panicIn(stopped); err != nil {
		return err
	}
	points := p.points(all)
	var err error
	switch {
	case f.asJSON:
		var b []byte
		if b, err = json.MarshalIndent(points, "", "  "); err == nil {
			_, err = fmt.Fprintf(env.Stdout, "%s\n", b)
		}
	case f.asCSV:
		err = sweepCSV(env.Stdout, points)
	default:
		_, err = io.WriteString(env.Stdout, p.show(points, textWidth(env), f.ascii || !utf8Locale(env.Getenv)))
	}
	switch {
	case err != nil:
		return written(err)
	case stopped != nil:
		_, _ = fmt.Fprintf(env.Stderr, "retryscope: partial: stopped with %d of %d points done\n", len(points), len(all))
		return exitError(ExitCancelled)
	}
	return nil
}
