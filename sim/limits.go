package sim

import (
	"fmt"
	"time"
)

// The limits of a run: what it may hold at a time. A fleet that goes beyond them grows for ever, and has all memory before
// anybody sees why.
const (
	maxUnderWay = MaxClients
	maxJobs     = 2 * MaxClients
	maxPending  = 4 * MaxClients
	// maxInstant is how many events may fall on one instant, beside ten for each client: with waits and ways of no length
	// time stands still.
	maxInstant = 20_000_000
)

// limits watches a run.
type limits struct {
	underWay, jobs, pending, instant int64

	now    int64
	events int64 // at the first look that found this instant
}

func newLimits() limits {
	return limits{underWay: maxUnderWay, jobs: maxJobs, pending: maxPending, instant: maxInstant}
}

// exceeded says which limit a fleet has passed, where, and what is allowed; "" for none. It depends on the fleet alone and
// on when it is asked.
func (l *limits) exceeded(f *Fleet) string {
	if f.now != l.now {
		l.now, l.events = f.now, f.events
	}
	instant := l.instant + 10*int64(f.cfg.Load.Clients)
	for _, x := range []struct {
		holds, most int64
		what        string
	}{
		{f.calls, l.underWay, "more than %s calls are under way"},
		{int64(len(f.server.jobs) - len(f.server.free)), l.jobs, "more than %s attempts wait at the server"},
		{int64(f.q.len()), l.pending, "more than %s events lie ahead"},
		{f.events - l.events, instant, "more than %s events in one instant: time stands still"},
	} {
		if x.holds > x.most {
			return "stopped after " + span3(time.Duration(f.now)) + ": " + fmt.Sprintf(x.what, grouped(x.most))
		}
	}
	return ""
}
