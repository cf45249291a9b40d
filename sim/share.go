package sim

// The measures of how much of a herd is done: what its beginning counts for, and after how many events a client half of the
// rest is taken for done while hardly a call has ended.
const (
	shareBegun  = 0.1
	eventsHalf  = 5
	shareAtMost = 0.999 // of what is not over
)

// Share is how much of the run is done, from 0 to 1, and never less than before: by time, and for a herd, whose end nobody
// knows, by the calls that have begun and ended and by what has happened.
func (f *Fleet) Share() float64 {
	if f.done {
		return 1
	}
	share := float64(f.now) / float64(f.horizon)
	if f.cfg.Load.Kind == Herd {
		all := float64(f.cfg.Load.Clients)
		begun, events := float64(f.made)/all, float64(f.events)/all
		ended := begun - float64(f.calls)/all
		share = max(share, shareBegun*begun+(1-shareBegun)*(1-(1-ended)*eventsHalf/(events+eventsHalf)))
	}
	return min(share, shareAtMost)
}
