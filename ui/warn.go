package ui

import (
	"strconv"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
)

// warnings are what there is to think about in a run and its policy, the most serious first.
func (m *Model) warnings(d *doc) []string {
	p := &m.paint
	var out []string
	t := m.trace()
	if t.Done != nil || len(t.Attempts) > 0 {
		for _, c := range []struct {
			ok   bool
			text string
		}{
			{t.Checks.NoEarlyRetry, "CHECK FAILED: an attempt began before its wait was over"},
			{t.Checks.WithinLimits, "CHECK FAILED: a limit was not kept"},
			{t.Checks.CancelIsNotFailure, "CHECK FAILED: a cancel was taken for a failure"},
			{t.Checks.NothingUnreplayed, "CHECK FAILED: something was sent again that may not be"},
		} {
			if !c.ok {
				out = append(out, c.text)
			}
		}
	}
	if n := d.policy.Attempts; n > lab.GiveUp && n != engine.Unlimited && !d.live {
		out = append(out, "the screen gives a run up after "+strconv.Itoa(lab.GiveUp)+" sends, whatever the attempts")
	}
	out = append(out, p.cost.Warnings(p.glyphs)...)
	if d.policy.Cap < d.policy.Base && knobOff(&d.policy, knobCap) == "" {
		out = append(out, "base is above the cap: every wait is capped")
	}
	for k := range numKnobs {
		s := k.spec()
		if k.ofPolicy() && p.knobs[k].off && p.knobs[k].changed && d.policy.Attempts > 1 {
			out = append(out, s.label+" does not count here: "+p.knobs[k].note)
		}
	}
	if d.policy.Least > 0 && !leastBinds(&d.policy) {
		out = append(out, "least is never reached: every wait is longer anyway")
	}
	if capChanged := p.knobs[knobCap].changed; capChanged && !p.knobs[knobCap].off && d.policy.Cap != engine.NoCap && d.policy.Attempts > 1 && !capBinds(&d.policy) {
		out = append(out, "the cap is never reached by any own wait of this policy")
	}
	return out
}
