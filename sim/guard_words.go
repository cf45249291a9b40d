package sim

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
)

var guardWords = [...]string{"none", "policy", "aws", "grpc", "finagle", "envoy", "adaptive", "breaker"}

// String is the guard's word, as a scenario has it.
func (k GuardKind) String() string {
	if int(k) < len(guardWords) {
		return guardWords[k]
	}
	return "GuardKind(" + strconv.Itoa(int(k)) + ")"
}

// String is the guard as a scenario has it: none, policy, aws:COST/CAPACITY, grpc:RATIO/MAX, finagle:PERCENT/PERSECOND,
// envoy:PERCENT/LEAST, adaptive:K, breaker:FAILURES/PAUSE.
func (g *Guard) String() string {
	switch g.Kind {
	case NoGuard, PolicyBudget:
		return g.Kind.String()
	case Adaptive:
		return fmt.Sprintf("%v:%v", g.Kind, g.A)
	case Breaker:
		return fmt.Sprintf("%v:%v/%s", g.Kind, g.B, engine.FormatDuration(time.Duration(math.Round(g.A*second))))
	case TokenBudget, GRPCThrottle, FinagleBudget, EnvoyBudget:
		return fmt.Sprintf("%v:%v/%v", g.Kind, g.A, g.B)
	default:
		return g.Kind.String()
	}
}
