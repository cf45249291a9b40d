package export

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// draft is an export being made. Its Policy is the one the output will obey: a format's fit changes in it what the
// format cannot carry, and what was changed is what is lost.
type draft struct {
	engine.Policy
	want  engine.Policy
	why   map[string]string // by knob: what to add to the line about its loss
	notes []string          // losses that no knob shows
	lost  []string
}

// plain is the policy with knobs that have no effect at what they are by default, so that only differences in what
// happens count as lost. It decides as p does, in everything.
func plain(p engine.Policy) engine.Policy {
	d := engine.Default()
	b := &p.Backoff
	b.Base, b.ThrottleBase = min(b.Base, b.Cap), min(b.ThrottleBase, b.Cap)
	if b.Jitter.Kind == engine.JitterScale {
		switch (engine.Jitter{Lo: b.Jitter.Lo, Hi: b.Jitter.Hi}) {
		case engine.Jitter{Lo: 0, Hi: 1}:
			b.Jitter = engine.Jitter{Kind: engine.JitterFull}
		case engine.Jitter{Lo: 1, Hi: 1}:
			b.Jitter = engine.Jitter{}
		}
	}
	if b.Jitter.Kind == engine.JitterAdditive && b.Jitter.Add == 0 {
		b.Jitter = engine.Jitter{}
	}
	own := b.Jitter.Kind == engine.JitterDecorrelated || b.Jitter.Kind == engine.JitterSmooth
	if own { // these grow on their own
		b.Curve, b.Factor, b.Shift, b.CapStage = d.Curve, d.Factor, d.Shift, d.CapStage
	}
	plainCurve(b, own)
	if b.Jitter.Kind == engine.JitterNone {
		b.CapStage = d.CapStage
		if b.First == engine.FirstUnjittered {
			b.First = engine.FirstPlain
		}
	}
	if b.Cap == engine.NoCap {
		b.CapStage = d.CapStage
	}
	if p.RetryAfter.Mode == engine.RetryAfterIgnore {
		p.Hints, p.Spread, p.Ceiling = engine.Hints{}, 0, d.Ceiling
		p.RetryAfterOn, p.Reads, p.OverCeiling = d.RetryAfterOn, d.Reads, d.OverCeiling
	}
	plainServer(&p)
	if p.Attempts == 1 {
		p.Backoff, p.RetryAfter, p.Hints, p.Spread, p.Ceiling = d.Backoff, d.RetryAfter, d.Hints, d.Spread, d.Ceiling
		p.RetryOn, p.Methods, p.Budget = d.RetryOn, d.Methods, d.Budget
		p.RetryAfterOn, p.RequiredOn, p.Reads, p.OverCeiling, p.Unsent = d.RetryAfterOn, d.RequiredOn, d.Reads, d.OverCeiling, d.Unsent
	}
	return p
}

// plainServer is the part about servers: what is not retried needs no wait, what has no ceiling is not cut to it, a list
// of any method leaves none out, and a price is one of tokens.
func plainServer(p *engine.Policy) {
	for i := range p.RequiredOn {
		p.RequiredOn[i] &= p.RetryOn.Statuses[i]
	}
	if p.Ceiling == engine.NoCeiling && p.OverCeiling == engine.OverCut {
		p.OverCeiling = engine.OverDefer
	}
	if p.Methods == engine.MethodsAny {
		p.Unsent = engine.UnsentAny
	}
	for _, cost := range []*int{&p.Budget.ThrottleCost, &p.Budget.TimeoutCost} {
		if p.Budget.Kind != engine.BudgetTokens || *cost == p.Budget.Cost {
			*cost = 0
		}
	}
}

// plainCurve is the part about growth: no wait is no curve, and a curve that cannot grow is constant.
func plainCurve(b *engine.Backoff, own bool) {
	if b.ThrottleBase == b.Base {
		b.ThrottleBase = 0
	}
	if b.Curve == engine.CurveExponential && b.Factor == 1 && !own {
		b.Curve = engine.CurveConstant
	}
	if b.Base == 0 && b.ThrottleBase == 0 || b.Curve == engine.CurveNone {
		b.Base, b.ThrottleBase, b.Curve = 0, 0, engine.CurveNone
		if b.Jitter.Kind != engine.JitterAdditive {
			b.Jitter, b.CapStage = engine.Jitter{}, engine.CapBefore
			if b.Least == 0 {
				b.Cap, b.First = engine.NoCap, engine.FirstPlain
			}
		}
	}
	if b.Curve != engine.CurveExponential {
		b.Factor = 2
	}
	if b.Curve == engine.CurveConstant || b.Curve == engine.CurveNone {
		b.Shift = 0
	}
	if b.Curve == engine.CurveConstant && b.Jitter.Kind == engine.JitterNone && b.ThrottleBase == 0 && b.First != engine.FirstImmediate {
		b.Base, b.Least, b.Cap = max(b.Base, b.Least), 0, engine.NoCap
	}
}

// because adds a word to the line about a knob, should it be lost.
func (d *draft) because(knob, why string) { d.why[knob] = why }

// serverKnobs stands in drop for the knobs about servers that no other client has in common with ours.
const serverKnobs = "server knobs"

// drop puts knobs at what they are without the format's help.
func (d *draft) drop(knobs ...string) {
	for _, k := range knobs {
		switch k {
		case "throttle-base":
			d.ThrottleBase = 0
		case "least":
			d.Least = 0
		case "shift":
			d.Shift = 0
		case "first":
			d.First = engine.FirstPlain
		case "hints":
			d.Hints = engine.Hints{}
		case "spread":
			d.Spread = 0
		case "ceiling":
			d.Ceiling = engine.NoCeiling
		case "timeout":
			d.Timeout = 0
		case "attempt-timeout":
			d.AttemptTimeout = 0
		case "budget":
			d.Budget = engine.BudgetRule{}
		case "methods":
			d.Methods = engine.MethodsAny
		case serverKnobs:
			d.RetryAfterOn, d.RequiredOn, d.Reads, d.OverCeiling, d.Unsent = engine.StatusSet{}, engine.StatusSet{}, 0, engine.OverDefer, engine.UnsentAny
			d.Budget.ThrottleCost, d.Budget.TimeoutCost = 0, 0
		}
	}
}

// curves keeps the curve where it is one of these; else an exponential one that doubles takes its place. No wait is a
// curve everywhere, and a constant one wherever there is an exponential one.
func (d *draft) curves(can ...engine.Curve) {
	if d.Curve == engine.CurveNone || slices.Contains(can, d.Curve) {
		return
	}
	d.Curve, d.Factor = engine.CurveExponential, 2
	if !slices.Contains(can, engine.CurveExponential) {
		d.Curve = can[0]
	}
}

// jitters keeps the jitter where it is one of these; else the first that is takes its place, the widest first.
func (d *draft) jitters(can ...engine.JitterKind) {
	if slices.Contains(can, d.Jitter.Kind) {
		return
	}
	was := d.Jitter
	d.Jitter = engine.Jitter{}
	for _, k := range []engine.JitterKind{engine.JitterFull, engine.JitterEqual, engine.JitterDecorrelated} {
		if slices.Contains(can, k) && was.Kind != engine.JitterNone {
			d.Jitter.Kind = k
			return
		}
	}
}

// retryAfters keeps the rule for server waits where it is one of these; else the first takes its place.
func (d *draft) retryAfters(can ...engine.RetryAfterMode) {
	if !slices.Contains(can, d.RetryAfter.Mode) {
		d.RetryAfter = engine.RetryAfterRule{Mode: can[0]}
	}
}

// settle finds what is lost: every knob in which the output differs from what was asked for.
func (d *draft) settle() {
	for _, name := range engine.Fields() {
		was, _ := d.want.Get(name)
		is, _ := d.Get(name)
		if was == is {
			continue
		}
		line := name + "=" + was + ": written as " + is
		switch {
		case name == "jitter" && !strings.Contains(was+is, ":"):
			line = strings.Replace(was+" jitter: written as "+is+" jitter", "none jitter", "no jitter", 1)
		case d.Attempts == 1 && name == "retry-on":
			if line = retryOnLost(&d.want.RetryOn, &engine.RetryOn{}); strings.HasSuffix(line, " ") {
				continue
			}
		case name == "retry-on":
			line = retryOnLost(&d.want.RetryOn, &d.RetryOn)
		case d.Attempts == 1 && !slices.Contains([]string{"attempts", "timeout", "attempt-timeout"}, name):
			continue // what it says of retries has no effect
		case name == "ceiling" && d.RetryAfter.Mode == engine.RetryAfterIgnore, name == "cap-stage" && d.Jitter.Kind == engine.JitterNone,
			name == "factor" && d.Curve != d.want.Curve, name == "shift" && d.Curve != d.want.Curve,
			slices.Contains([]string{"retry-after-on", "reads", "over-ceiling"}, name) && d.RetryAfter.Mode == engine.RetryAfterIgnore,
			(name == "throttle-cost" || name == "timeout-cost") && d.Budget.Kind != engine.BudgetTokens:
			continue // goes with the one it belongs to, which is named
		}
		if why := d.why[name]; why != "" {
			line += " (" + why + ")"
		}
		d.lost = append(d.lost, line)
	}
	d.lost = append(d.lost, d.notes...)
}

// retryOnLost names what is retried by one set and not by the other.
func retryOnLost(want, have *engine.RetryOn) string {
	less, more := *want, *have
	less.Kinds &^= have.Kinds
	less.Causes &^= have.Causes
	less.NotCauses &^= have.NotCauses
	more.Kinds &^= want.Kinds
	more.Causes &^= want.Causes
	more.NotCauses &^= want.NotCauses
	for i := range less.Statuses {
		less.Statuses[i] &^= have.Statuses[i]
		more.Statuses[i] &^= want.Statuses[i]
	}
	var parts []string
	if s := outcomes(&less); s != "" {
		parts = append(parts, "not written: "+s)
	}
	if s := outcomes(&more); s != "" {
		parts = append(parts, "written as well: "+s)
	}
	return "retry-on: " + strings.Join(parts, "; ")
}

// outcomes lists a set, its statuses in runs.
func outcomes(r *engine.RetryOn) string {
	rest := *r
	rest.Statuses = engine.StatusSet{}
	var out []string
	if s := rest.String(); s != "none" {
		out = append(out, s)
	}
	for s := 100; s <= 599; s++ {
		if !r.Statuses.Has(s) {
			continue
		}
		end := s
		for end < 599 && r.Statuses.Has(end+1) {
			end++
		}
		one := strconv.Itoa(s)
		if end > s {
			one += "-" + strconv.Itoa(end)
		}
		out = append(out, one)
		s = end
	}
	return strings.Join(out, ",")
}

// growth is the factor of the curve as a client has it whose only curve is exponential.
func (d *draft) growth() float64 {
	if d.Curve == engine.CurveExponential {
		return d.Factor
	}
	return 1
}

// retries is the number of sends after the first; most where they are unlimited.
func (d *draft) retries(most int) int {
	if d.Attempts == engine.Unlimited {
		return most
	}
	return d.Attempts - 1
}

// statuses are the statuses that are retried, rising.
func (d *draft) statuses() []int {
	var out []int
	for s := 100; s <= 599; s++ {
		if d.RetryOn.Statuses.Has(s) {
			out = append(out, s)
		}
	}
	return out
}

// methods are the methods that are retried, in the order of the policy; nil for any.
func (d *draft) methods() []string {
	switch d.Methods {
	case engine.MethodsAny:
		return nil
	case engine.MethodsIdempotent:
		return []string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"}
	default:
		return strings.Split(d.Methods, ",")
	}
}

// whole rounds a knob to a unit, up where it would be none.
func whole(at *time.Duration, unit time.Duration) {
	if *at == engine.Forever {
		return
	}
	was := *at
	*at = was.Round(unit)
	if *at == 0 && was > 0 {
		*at = unit
	}
}
