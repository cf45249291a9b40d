package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"
)

// answer is what one send is given: a status with headers, or a failed connection.
type answer struct {
	status int
	header http.Header
	err    error
}

func status(s int) answer { return answer{status: s} }

// reset is a connection that broke while the answer was awaited.
func reset() answer {
	return answer{err: &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}}
}

// refused is a connection that nobody took.
func refused() answer {
	return answer{err: &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}}
}

// wire is the other end of every client: it gives the answers in order, the last one again and again, and remembers
// when each send came. After limit sends everything is well, so that a client without an end has one.
type wire struct {
	mu      sync.Mutex
	answers []answer
	limit   int
	at      []time.Time
}

func newWire(limit int, answers ...answer) *wire { return &wire{limit: limit, answers: answers} }

func (w *wire) next() answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.at)
	w.at = append(w.at, time.Now())
	if n >= w.limit {
		return status(http.StatusOK)
	}
	return w.answers[min(n, len(w.answers)-1)]
}

// RoundTrip makes the wire the transport of any client of net/http.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return nil, err
		}
		if err := req.Body.Close(); err != nil {
			return nil, err
		}
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	a := w.next()
	if a.err != nil {
		return nil, a.err
	}
	h := a.header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	body := []byte(`{}`)
	if a.status >= http.StatusBadRequest {
		body = []byte(`{"error":{"type":"api_error","message":"it failed"}}`)
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}, nil
}

// statusError is a failed call of a client that repeats a function.
type statusError struct {
	status int
	header http.Header
}

func (e *statusError) Error() string { return fmt.Sprintf("the answer was %d", e.status) }

// call makes the wire the function of any client that repeats one.
func (w *wire) call() error {
	a := w.next()
	switch {
	case a.err != nil:
		return a.err
	case a.status >= http.StatusBadRequest:
		return &statusError{a.status, a.header}
	default:
		return nil
	}
}

// refuses says whether it takes no connection.
func (w *wire) refuses() bool { return errors.Is(w.answers[0].err, syscall.ECONNREFUSED) }

func (w *wire) sends() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.at)
}

// gaps are the waits between the sends.
func (w *wire) gaps() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []time.Duration
	for i := 1; i < len(w.at); i++ {
		out = append(out, w.at[i].Sub(w.at[i-1]))
	}
	return out
}
