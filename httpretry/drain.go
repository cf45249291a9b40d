package httpretry

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// A failed answer is drained so that its connection can be used again, as long as that is cheaper than a new one.
const (
	drainBytes = 16 << 10
	drainTime  = 50 * time.Millisecond
)

var drainings = sync.Pool{New: func() any { return new(draining) }}

// watch closes, under the reading, the bodies that take too long to drain. There is one for all calls of a Transport, and
// its timer runs on when they are done: to set and stop one for each answer would cost more than most of them take.
type watch struct {
	mu          sync.Mutex
	first, last *draining // the first has begun first
	running     bool
	since       time.Duration // when the timer was set
}

// draining is one answer in the making of being drained, and what it is read into.
type draining struct {
	body       io.Closer // nil once somebody has taken it to close it
	since      time.Duration
	prev, next *draining
	buf        [4 << 10]byte
}

// machine tells how long a draining takes: whatever clock the loop runs on, a body comes from a real peer.
var machine = engine.Real()

func (w *watch) begin(d *draining, body io.Closer) {
	now := machine.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	d.body, d.since, d.prev = body, now, w.last
	if w.last == nil {
		w.first = d
	} else {
		w.last.next = d
	}
	w.last = d
	// A timer set in a testing/synctest bubble is gone with it: what should have ended long ago does not count.
	if age := now - w.since; !w.running || age < 0 || age > 2*drainTime {
		w.set(now, drainTime)
	}
}

func (w *watch) set(now, d time.Duration) {
	w.running, w.since = true, now
	time.AfterFunc(d, w.expire)
}

// end tells whether the body is still to be closed.
func (w *watch) end(d *draining) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.take(d) != nil
}

func (w *watch) take(d *draining) io.Closer {
	body := d.body
	if body == nil {
		return nil
	}
	if d.prev == nil {
		w.first = d.next
	} else {
		d.prev.next = d.next
	}
	if d.next == nil {
		w.last = d.prev
	} else {
		d.next.prev = d.prev
	}
	d.body, d.prev, d.next = nil, nil, nil
	return body
}

func (w *watch) expire() {
	now := machine.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	for w.first != nil && now-w.first.since >= drainTime {
		body := w.take(w.first)
		go func() { _ = body.Close() }() // as in drain; it may take its time
	}
	if w.first != nil {
		w.set(now, w.first.since+drainTime-now)
	}
}

// discard frees what a failed attempt holds: the engine's Discard. An answer is drained and closed.
func discard(x *exchange) {
	if x == nil {
		return
	}
	if x.resp != nil {
		x.c.drain(x.resp)
	}
	x.free()
}

// drain drains and closes an answer.
func (c *call) drain(resp *http.Response) {
	body := resp.Body
	if body != http.NoBody && resp.ContentLength <= drainBytes && !c.t.watch.drained(body) {
		return
	}
	_ = body.Close() // a failure of an answer nobody wants
}

// drained drains a body, and tells whether it is still to be closed.
func (w *watch) drained(body io.ReadCloser) bool {
	d, ok := drainings.Get().(*draining)
	if !ok {
		return true
	}
	w.begin(d, body)
	drain(body, d.buf[:])
	left := w.end(d)
	drainings.Put(d) // not where the reading panics: then it is still watched
	return left
}

// drain reads up to drainBytes.
func drain(body io.Reader, buf []byte) {
	for left := drainBytes; left > 0; {
		n, err := body.Read(buf[:min(left, len(buf))])
		if err != nil {
			return
		}
		left -= max(n, 1) // a reader that gives nothing without an end must not hold us
	}
}
