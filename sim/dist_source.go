package sim

import (
	"math"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// DistSource is what answers the attempts of an operation. It is asked from several goroutines at once, and the same
// arguments have to give the same answer.
type DistSource interface {
	// Answer is what the attempt of that number (from 1) gets that begins at that time since the start of its operation;
	// u in [0, 1) is the chance of this attempt, 0 where ByChance is false.
	Answer(attempt int, at time.Duration, u float64) DistAnswer
	// ByChance tells whether u matters.
	ByChance() bool
}

// DistAnswer is an outcome and how long it takes: 0 or more, engine.Forever for an answer that never comes.
type DistAnswer struct {
	Outcome engine.Outcome
	Latency time.Duration
}

// unavailable is the 503 of the built-in sources.
var unavailable = engine.Outcome{Kind: engine.KindStatus, Status: 503}

// DistFailing answers at once, and each attempt fails with probability P (0 to 1) whatever happened before: with a 503,
// else a 200.
type DistFailing struct{ P float64 }

// Answer fails the attempt where its chance is below P.
func (s DistFailing) Answer(_ int, _ time.Duration, u float64) DistAnswer {
	if u < s.P {
		return DistAnswer{Outcome: unavailable}
	}
	return DistAnswer{Outcome: engine.Outcome{Status: 200}}
}

// ByChance is true but where the chance is certainty.
func (s DistFailing) ByChance() bool { return s.P > 0 && s.P < 1 }

// DistOutage answers at once: with a 503 from the start up to, and not including, Down (0 or more), with a 200 from then on.
type DistOutage struct{ Down time.Duration }

// Answer fails the attempts that begin before the outage is over.
func (s DistOutage) Answer(_ int, at time.Duration, _ float64) DistAnswer {
	if at < s.Down {
		return DistAnswer{Outcome: unavailable}
	}
	return DistAnswer{Outcome: engine.Outcome{Status: 200}}
}

// ByChance is false: an outage is the same for all.
func (DistOutage) ByChance() bool { return false }

// distSourceFault is what cannot be about a built-in source; a source of somebody else's is taken as it is.
func distSourceFault(s DistSource) error {
	switch s := s.(type) {
	case nil:
		return &FieldError{"source", "none", "something that answers"}
	case DistFailing:
		if !(s.P >= 0 && s.P <= 1) {
			return &FieldError{"fail", formatShare(s.P), "a chance of 0 to 1"}
		}
	case DistOutage:
		if s.Down < 0 || s.Down > MaxDistTime {
			return &FieldError{"outage", s.Down.String(), "0s to " + engine.FormatDuration(MaxDistTime)}
		}
	}
	return nil
}

// MaxDistTime is the longest outage and deadline of a distribution.
const MaxDistTime = 365 * 24 * time.Hour

func nanoseconds(d time.Duration) float64 { return float64(d) }

// duration is a time in nanoseconds as a Duration, rounded and kept within what one can hold.
func duration(ns float64) time.Duration {
	switch {
	case math.IsNaN(ns):
		return 0
	case ns >= nanoseconds(engine.Forever):
		return engine.Forever
	default:
		return time.Duration(math.Round(ns))
	}
}
