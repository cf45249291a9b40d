package ui

import (
	"strconv"

	"github.com/retryscope/retryscope/engine"
)

// knobOff says why a knob does not count under the rest of the policy; "" where it does.
func knobOff(p *engine.Policy, k knob) string {
	own := ownGrowth(&p.Backoff)
	flat := p.Curve == engine.CurveNone && !own
	added := p.Jitter.Kind == engine.JitterAdditive
	switch {
	case p.Attempts == 1 && !k.always():
		return "no retry"
	case !k.always() && knobUnheard(p, k) != "":
		return knobUnheard(p, k)
	case k == knobUnsent && p.Methods == engine.MethodsAny:
		return "any method"
	case (k == knobThrottleCost || k == knobTimeoutCost) && p.Budget.Kind != engine.BudgetTokens:
		return "no tokens"
	case own && (k == knobCurve || k == knobFactor || k == knobShift || k == knobCapStage):
		return "own growth"
	case flat && (k == knobBase || k == knobThrottleBase || k == knobFactor || k == knobShift):
		return "no curve"
	case flat && !added && (k == knobCap || k == knobCapStage || k == knobJitter || k == knobFirst):
		return "no own wait"
	case (k == knobThrottleBase || k == knobThrottleCost) && !p.RetryOn.Statuses.Has(429):
		return "no retry of 429"
	case k == knobTimeoutCost && !p.RetryOn.HasKind(engine.KindTimeout):
		return "no such retry"
	case k == knobFactor && p.Curve != engine.CurveExponential:
		return "no power"
	case k == knobShift && p.Curve == engine.CurveConstant:
		return "constant"
	case k == knobCapStage && p.Jitter.Kind == engine.JitterNone:
		return "no jitter"
	}
	return ""
}

// knobUnheard says why a knob about a server's wait does not count: it is not heard, or never long enough, or of no
// status that is retried.
func knobUnheard(p *engine.Policy, k knob) string {
	aboutWaits := k == knobCeiling || k == knobSpread || k == knobHints || k == knobReads || k == knobRetryAfterOn || k == knobOverCeiling
	switch deaf := !p.Listens(); {
	case k == knobRequiredOn:
		return knobUnrequired(p)
	case !aboutWaits:
		return ""
	case p.RetryAfter.Mode == engine.RetryAfterIgnore:
		return "ignored"
	case deaf && (k == knobCeiling || k == knobSpread || k == knobOverCeiling):
		return "none heard"
	case k == knobOverCeiling && p.Ceiling == engine.NoCeiling && p.OverCeiling != engine.OverOwn:
		return "no ceiling"
	default:
		return ""
	}
}

// knobUnrequired says why required-on does not count.
func knobUnrequired(p *engine.Policy) string {
	if p.RetryAfter.Mode == engine.RetryAfterRequired {
		return "on all of them"
	}
	for i, bits := range p.RequiredOn {
		if bits&p.RetryOn.Statuses[i] != 0 {
			return ""
		}
	}
	if p.RequiredOn != (engine.StatusSet{}) {
		return "not retried"
	}
	return ""
}

// costNote is what a retry costs that has no price of its own.
func costNote(p *engine.Policy, k knob) string {
	own := p.Budget.ThrottleCost
	if k == knobTimeoutCost {
		own = p.Budget.TimeoutCost
	}
	if own == 0 {
		return "as any: " + strconv.Itoa(p.Budget.Cost)
	}
	return "tokens"
}

// ownGrowth tells whether the jitter grows by itself, so that there is no curve.
func ownGrowth(b *engine.Backoff) bool {
	return b.Jitter.Kind == engine.JitterDecorrelated || b.Jitter.Kind == engine.JitterSmooth
}

// always tells a knob that counts even where nothing is tried again.
func (k knob) always() bool {
	return k == knobAttempts || k == knobTimeout || k == knobAttemptTimeout || !k.ofPolicy()
}
