package export

import (
	"time"

	"github.com/retryscope/retryscope/engine"
)

// longestCurl is the longest wait that curl takes from a server.
const longestCurl = 6 * time.Hour

// fitCurlTime makes of the timeout what --retry-max-time can be: whole seconds that curl looks at before a wait, where a
// timeout looks at the end of one. A timeout is that and the last wait, so that the same waits begin under both.
func fitCurlTime(d *draft) {
	if d.Timeout <= 0 || d.Attempts < 2 {
		return
	}
	most := curlMaxTime(d)
	d.Timeout = most + d.curlWait(most)
	if d.Ceiling >= most { // what is cut to the ceiling ends after it as well
		d.Ceiling, d.OverCeiling = most, engine.OverDefer
	}
	d.because("timeout", "curl looks at --retry-max-time before a wait, and its seconds are whole")
	d.note("timeout: curl begins no wait that would end after it, but does not cut an attempt short")
}

// curlMaxTime is the longest --retry-max-time under which no wait ends after the timeout, and one second at least.
func curlMaxTime(d *draft) time.Duration {
	most := max((d.Timeout - d.curlWait(d.Timeout)).Truncate(time.Second), time.Second)
	for next := most + time.Second; next+d.curlWait(next) <= d.Timeout; next += time.Second {
		most = next
	}
	return most
}

// curlWait is the last wait of curl's that begins before a time, where answers take none.
func (d *draft) curlWait(before time.Duration) time.Duration {
	at, last := time.Duration(0), d.Base
	for k := 1; k < d.Attempts && at < before && last < d.Cap; k++ {
		if last, _ = d.Bounds(k); d.Curve == engine.CurveConstant {
			break
		}
		at += last
	}
	return last
}
