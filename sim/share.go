package sim

// Share is how much of the run is done, from 0 to 1: by ended calls for a herd, by time for the others.
func (f *Fleet) Share() float64 {
	if f.done {
		return 1
	}
	byTime := float64(f.now) / float64(f.horizon)
	if f.cfg.Load.Kind != Herd {
		return byTime
	}
	return max(byTime, 1-float64(f.calls)/float64(f.cfg.Load.Clients))
}
