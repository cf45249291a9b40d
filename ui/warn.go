package ui

import (
	"strconv"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
)

// warnings are what there is to think about in a run and its policy, the most serious first.
func (m *Model) warnings(d *doc) []forms {
	p := &m.paint
	var out []forms
	t := m.trace()
	if t.Done != nil || len(t.Attempts) > 0 {
		for _, c := range []struct {
			ok   bool
			text forms
		}{
			{t.Checks.NoEarlyRetry, forms{"CHECK FAILED: an attempt began before its wait was over", "CHECK FAILED: a retry too early"}},
			{t.Checks.WithinLimits, forms{"CHECK FAILED: a limit was not kept"}},
			{t.Checks.CancelIsNotFailure, forms{"CHECK FAILED: a cancel was taken for a failure", "CHECK FAILED: cancel as failure"}},
			{t.Checks.NothingUnreplayed, forms{"CHECK FAILED: something was sent again that may not be", "CHECK FAILED: an unsafe resend"}},
		} {
			if !c.ok {
				out = append(out, c.text)
			}
		}
	}
	if n := d.policy.Attempts; n > lab.GiveUp && n != engine.Unlimited && !d.live {
		sends := strconv.Itoa(lab.GiveUp) + " sends"
		out = append(out, forms{"the screen gives a run up after " + sends + ", whatever the attempts", "given up here after " + sends})
	}
	out = append(out, p.cost.warnings(p.glyphs)...)
	if d.policy.Cap < d.policy.Base && knobOff(&d.policy, knobCap) == "" {
		out = append(out, forms{"base is above the cap: every wait is capped", "base > cap: every wait is capped", "base > cap: all capped"})
	}
	for k := range numKnobs {
		s := k.spec()
		if k.ofPolicy() && p.knobs[k].off && p.knobs[k].changed && d.policy.Attempts > 1 {
			out = append(out, forms{s.label + " does not count here: " + p.knobs[k].note, s.label + " is off: " + p.knobs[k].note})
		}
	}
	if d.policy.Least > 0 && !leastBinds(&d.policy) {
		out = append(out, forms{"least is never reached: every wait is longer anyway", "least is never reached"})
	}
	if capChanged := p.knobs[knobCap].changed; capChanged && !p.knobs[knobCap].off && d.policy.Cap != engine.NoCap && d.policy.Attempts > 1 && !capBinds(&d.policy) {
		out = append(out, forms{"the cap is never reached by any own wait of this policy", "the cap is never reached"})
	}
	return out
}
