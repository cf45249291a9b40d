package httpretry

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// keep is the engine's Keep: the answer is handed over, and its contexts are freed when its body is closed.
func keep(x *exchange, release func()) *exchange {
	if x == nil || x.resp == nil {
		x.free()
		release()
		return x
	}
	if l := x.leash; l != nil {
		l.unbind()
		l.loose.Store(true)
		release()
		release = x.free
	} else if _, bounded := x.attempt.Deadline(); !bounded {
		release() // nothing hangs on it
		return x
	}
	body := x.resp.Body
	switch w, ok := body.(io.Writer); {
	case body == http.NoBody:
		release()
	case ok: // the connection itself, after a switch of protocols
		x.resp.Body = &duplex{answer: answer{ReadCloser: body, release: release}, Writer: w}
	default:
		x.resp.Body = &answer{ReadCloser: body, release: release}
	}
	return x
}

// answer is the body of an answer handed over.
type answer struct {
	io.ReadCloser
	release func()
	closed  atomic.Bool
}

// Close closes the body, then frees the contexts it hung on. The body is closed only once.
func (a *answer) Close() error {
	if !a.closed.CompareAndSwap(false, true) {
		return nil
	}
	defer a.release()
	return a.ReadCloser.Close()
}

// duplex is an answer that can be written to.
type duplex struct {
	answer
	io.Writer
}

// read reads up to n bytes of the body inside the attempt. After a failure there is no answer; otherwise its body is what
// was read, then the rest.
func (x *exchange) read(n int64) error {
	body := x.resp.Body
	if _, ok := body.(io.Writer); ok || body == http.NoBody {
		return nil
	}
	clock := x.c.clock()
	begun := clock.Now()
	read, err := readUpTo(body, n+1, x.resp.ContentLength)
	x.inside = &inside{head: read[:min(int64(len(read)), n)], more: int64(len(read)) > n, took: clock.Now() - begun}
	rest := &headed{rest: body}
	rest.head.Reset(read)
	x.resp.Body = rest
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		rest.whole = true
		return body.Close()
	}
	_ = body.Close() // the reading has failed already
	x.resp = nil
	return err
}

// readUpTo reads until n bytes are there, or an error; io.EOF is one.
func readUpTo(r io.Reader, n, expected int64) ([]byte, error) {
	const least = 512
	size := int64(least)
	if expected >= 0 {
		size = expected + 1 // one more, to see the end
	}
	buf := make([]byte, 0, min(size, n, 1<<20))
	for int64(len(buf)) < n {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := min(int64(cap(buf)), n)
		m, err := r.Read(buf[len(buf):room])
		buf = buf[:len(buf)+m]
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// headed is a body of which the beginning was read already.
type headed struct {
	head  bytes.Reader
	rest  io.ReadCloser
	whole bool // there is nothing behind head, and rest is closed
}

// Read reads the beginning, then the rest.
func (h *headed) Read(p []byte) (int, error) {
	if h.head.Len() > 0 || h.whole {
		return h.head.Read(p)
	}
	return h.rest.Read(p)
}

// Close closes the rest.
func (h *headed) Close() error {
	if h.whole {
		return nil
	}
	return h.rest.Close()
}
