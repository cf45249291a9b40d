package httpretry

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// A failed answer is drained so that its connection can be used again, as long as that is cheaper than a new one.
const (
	drainBytes = 16 << 10
	drainTime  = 50 * time.Millisecond
)

var drainBuffers = sync.Pool{New: func() any { return new([4 << 10]byte) }}

// drainer drains the answers of one call that are not handed over, one after another.
type drainer struct {
	timer *time.Timer
	mu    sync.Mutex
	body  io.Closer
}

// discard frees what a failed attempt holds: the engine's Discard. An answer is drained and closed.
func discard(x *exchange) {
	if x == nil {
		return
	}
	if x.resp != nil {
		x.c.drainer.drain(x.resp)
	}
	x.free()
}

func (d *drainer) drain(resp *http.Response) {
	if resp.Body == http.NoBody || resp.ContentLength > drainBytes {
		_ = resp.Body.Close() // as in shut
		return
	}
	d.mu.Lock()
	d.body = resp.Body
	d.mu.Unlock()
	if d.timer == nil {
		d.timer = time.AfterFunc(drainTime, d.shut)
	} else {
		d.timer.Reset(drainTime)
	}
	drain(resp.Body)
	d.timer.Stop()
	d.shut()
}

// shut closes what is being drained, once: when that is done, or from the timer under the reading.
func (d *drainer) shut() {
	d.mu.Lock()
	body := d.body
	d.body = nil
	d.mu.Unlock()
	if body != nil {
		_ = body.Close() // a failure of an answer nobody wants
	}
}

// drain reads up to drainBytes.
func drain(body io.Reader) {
	buf, ok := drainBuffers.Get().(*[4 << 10]byte)
	if !ok {
		return
	}
	defer drainBuffers.Put(buf)
	for left := drainBytes; left > 0; {
		n, err := body.Read(buf[:min(left, len(buf))])
		if err != nil {
			return
		}
		left -= max(n, 1) // a reader that gives nothing without an end must not hold us
	}
}
