package sim

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
	now    int64
	events int64 // at the first look that found this instant
}

// exceeded says which limit a fleet has passed, "" for none. It depends on the fleet alone and on when it is asked.
func (l *limits) exceeded(f *Fleet) string {
	if f.now != l.now {
		l.now, l.events = f.now, f.events
	}
	switch {
	case f.calls > maxUnderWay:
		return "more than 10 million calls are under way"
	case len(f.server.jobs)-len(f.server.free) > maxJobs:
		return "more than 20 million attempts wait at the server"
	case f.q.len() > maxPending:
		return "more than 40 million events lie ahead"
	case f.events-l.events > maxInstant+10*int64(f.cfg.Load.Clients):
		return "20 million events in one instant: time stands still"
	default:
		return ""
	}
}
