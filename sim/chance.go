package sim

import (
	"math"
	"sync"

	"github.com/retryscope/retryscope/engine"
)

// The purposes of a fleet's chance. Each is a stream of its own, counted by call and attempt, so that a policy changes no
// arrival and no service time.
const (
	purposeArrival engine.Purpose = iota + 1<<32
	purposeStagger
	purposeThink
	purposeService
	purposeFail
	purposeBrownout
	purposeThrottle
	purposeHop
	purposeHint
)

// exponential is the quantile of Exp(1).
func exponential(u float64) float64 { return -math.Log1p(-u) }

// lognormal is the quantile of exp(N) with standard deviation 1 of N and mean 1.
func lognormal(u float64) float64 { return math.Exp(normal(u) - 0.5) }

// normal is the quantile of the standard normal; u in [0, 1).
func normal(u float64) float64 {
	const least = 1.0 / (1 << 54)
	return math.Sqrt2 * math.Erfinv(2*max(u, least)-1)
}

// spread is a time with this mean under a law.
func (l ServiceLaw) spread(mean, u float64) float64 {
	switch l {
	case Constant:
		return mean
	case Exponential:
		return mean * exponential(u)
	case Lognormal:
		return mean * lognormal(u)
	default:
		return mean
	}
}

// quickNormal is the quantile of the standard normal at (n + 1/2)/2³², by a table between whose entries it runs straight
// (no more than 10⁻⁶ off); the outer 32nds are computed.
func quickNormal(n uint32) float64 {
	const edge = normalSteps / 32
	i := n >> (32 - normalBits)
	if i < edge || i >= normalSteps-edge {
		return normal((float64(n) + 0.5) / (1 << 32))
	}
	t := normalTable()
	rest := float64(n&(1<<(32-normalBits)-1)) / (1 << (32 - normalBits))
	return t[i] + rest*(t[i+1]-t[i])
}

const (
	normalBits  = 13
	normalSteps = 1 << normalBits
)

// normalTable has the quantiles at i/normalSteps.
var normalTable = sync.OnceValue(func() *[normalSteps + 1]float64 {
	var t [normalSteps + 1]float64
	for i := 1; i < normalSteps; i++ {
		t[i] = normal(float64(i) / normalSteps)
	}
	return &t
})
