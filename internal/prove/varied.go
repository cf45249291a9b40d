package prove

import (
	"math/rand/v2"
	"strings"

	"github.com/retryscope/retryscope/engine"
)

// features are values of every knob that make an export another text: its least, its most, and what switches something on.
var features = [][]string{
	{"attempts=1", "attempts=2", "attempts=7", "attempts=unlimited"},
	{"base=0s", "base=5ms", "base=20s"},
	{"throttle-base=0s", "throttle-base=1s"},
	{"cap=none", "cap=10s", "cap=1m"},
	{"cap-stage=before", "cap-stage=after", "cap-stage=both"},
	{"least=0s", "least=50ms"},
	{"curve=none", "curve=constant", "curve=linear", "curve=quadratic", "curve=exponential", "curve=fibonacci"},
	{"factor=1", "factor=2", "factor=2.5"},
	{"shift=0", "shift=1"},
	{"first=plain", "first=immediate", "first=unjittered"},
	{"jitter=none", "jitter=full", "jitter=equal", "jitter=scale:0.5..1.5", "jitter=additive:100ms", "jitter=decorrelated", "jitter=smooth"},
	{"retry-after=at-least", "retry-after=replace", "retry-after=ignore", "retry-after=clamp:5s", "retry-after=bounded:5s", "retry-after=required"},
	{"hints=none", "hints=retry-after-ms"},
	{"spread=0s", "spread=1s"},
	{"ceiling=none", "ceiling=30s"},
	{"timeout=none", "timeout=30s"},
	{"attempt-timeout=none", "attempt-timeout=3s"},
	{"retry-on=none", "retry-on=transport", "retry-on=timeout", "retry-on=503", "retry-on=transport,dns,tls,503", "retry-on=transport,timeout,-reset,429,5xx", "retry-on=timeout,4xx"},
	{"retry-after-on=any", "retry-after-on=429,503"},
	{"over-ceiling=defer", "over-ceiling=cut"},
	{"methods=any", "methods=idempotent", "methods=POST"},
	{"budget=none", "budget=tokens:500/14/1", "budget=ratio:20%/10"},
}

// Varied are n policies in which every knob is on or off by chance, the same ones each time: among a few thousand are any
// three features together.
func Varied(n int) []engine.Policy {
	chance := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // no secret: the same policies each time
	out := make([]engine.Policy, 0, n)
	for len(out) < n {
		words := make([]string, 0, len(features))
		for _, f := range features {
			words = append(words, f[chance.IntN(len(f))])
		}
		if p, err := engine.ParsePolicy(strings.Join(words, " "), engine.Default()); err == nil {
			out = append(out, p)
		}
	}
	return out
}
