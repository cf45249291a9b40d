package script

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Options of a [Handler].
type Options struct {
	// Clock measures the times of a script by time and every latency; nil is
	// the real one. On a virtual clock one request may be served at a time.
	Clock engine.Clock
	// OnRequest, if not nil, is told of each request as it arrives: one call at
	// a time, in the order of N.
	OnRequest func(Request)
}

// Request is one request a [Handler] was sent.
type Request struct {
	N      int           // its number, from 1
	T      time.Duration // since the first request
	Gap    time.Duration // since the request before; 0 for the first
	Method string
	Path   string // escaped, without the query
	Step   int    // the step that answers it, from 1
	Answer string // the word of its outcome: "503", "reset"
}

// Handler gives any client the answers of a script over real HTTP. A script by
// time begins with the first request. It may serve many requests at once: they
// are numbered as they arrive.
//
// A hang lasts until the request's context ends: the client went away, or the
// context the server was given as [http.Server.BaseContext] is over.
type Handler struct {
	script *Script
	seed   uint64
	opt    Options

	mu    sync.Mutex
	n     int
	first time.Duration // when the first request came, by the clock
	last  time.Duration
}

// NewHandler makes a handler that has been asked nothing yet. The draws of a
// script by chance come from the seed and the number of the request, so they
// are those of a [Transport] with the same seed.
func NewHandler(s *Script, seed uint64, opt Options) *Handler {
	if opt.Clock == nil {
		opt.Clock = engine.Real()
	}
	return &Handler{script: s, seed: seed, opt: opt}
}

// WireCaveats says, a line a step, what a [Handler] cannot do as scripted: a
// request it sees has already been connected.
func (s *Script) WireCaveats() []string {
	var list []string
	for i, step := range s.steps {
		why := ""
		switch step.Kind {
		case Refused:
			why = "a connection that is open can no longer be refused"
		case DNS:
			why = "a server that has been reached has a name that resolves"
		case TLS:
			why = "a certificate is checked before there is a request"
		case Status, Reset, EOF, Cut, Garbage, BadJSON, Hang:
			continue
		}
		list = append(list, fmt.Sprintf("step %d: %s: %s; the connection is reset before any answer", i+1, step.Kind, why))
	}
	return list
}

// ServeHTTP answers one request by the step that is its turn.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	step := h.arrive(r)
	// Only once the body is read does the server notice that a client has gone.
	if _, err := io.Copy(io.Discard, io.LimitReader(r.Body, maxRequestBytes)); err != nil {
		abort()
	}
	if err := h.opt.Clock.Wait(r.Context(), step.Latency); err != nil {
		abort()
	}
	switch step.Kind {
	case Status, Cut, BadJSON:
		h.answer(w, r, step)
	case Hang:
		// How the wait ended is of no matter: nobody is there to be told.
		_ = h.opt.Clock.Wait(r.Context(), engine.Forever)
		abort()
	case Reset, Refused, DNS, TLS:
		reset(hijack(w))
	case EOF:
		closeConn(hijack(w))
	case Garbage:
		sendRaw(hijack(w), garbageBytes)
	}
}

// arrive numbers a request, finds its step and tells of it.
func (h *Handler) arrive(r *http.Request) Step {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.opt.Clock.Now()
	h.n++
	if h.n == 1 {
		h.first, h.last = now, now
	}
	i, step := h.script.StepFor(h.n, now-h.first, draw(h.seed, int64(h.n)))
	if h.opt.OnRequest != nil {
		h.opt.OnRequest(Request{
			N: h.n, T: now - h.first, Gap: now - h.last,
			Method: r.Method, Path: r.URL.EscapedPath(), Step: i + 1, Answer: step.Answer(),
		})
	}
	h.last = now
	return step
}

// answer sends a status, headers and a body, or the part of it that comes.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, step Step) {
	a := step.answer(r.Method)
	date := h.opt.Clock.Wall().UTC().Format(http.TimeFormat)
	if raw, ok := w.(http.Hijacker); ok && r.ProtoMajor == 1 && !a.plain(step) {
		if c, _, err := raw.Hijack(); err == nil {
			text := a.wire(date)
			if r.Method != http.MethodHead {
				text += a.body
			}
			sendRaw(c, text)
			return
		}
	}
	header := w.Header()
	header.Set("Date", date)
	for name, values := range a.header() {
		header[name] = values
	}
	w.WriteHeader(a.status)
	if _, err := io.WriteString(w, a.body); err != nil && r.Method != http.MethodHead {
		abort()
	}
	if a.missing > 0 {
		// What there is has to be out before the connection goes; where that
		// fails the connection has gone already.
		_ = http.NewResponseController(w).Flush()
		abort()
	}
}

// abort ends a request without a word more; net/http closes the connection.
func abort() { panic(http.ErrAbortHandler) }

// hijack takes the connection from the server; where there is none to take
// (HTTP/2, a recorder) it aborts, which ends the request all the same.
func hijack(w http.ResponseWriter) net.Conn {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		abort()
	}
	return c
}

// reset ends a connection with a reset instead of an orderly close.
func reset(c net.Conn) {
	if outer, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = outer.NetConn() // TLS over it would say goodbye in order
	}
	if tcp, ok := c.(interface{ SetLinger(sec int) error }); ok {
		_ = tcp.SetLinger(0) // where that cannot be it closes in order
	}
	closeConn(c)
}

// sendRaw writes to a connection of ours and closes it. A client that is gone
// cannot be told, so a failed write is no more than the end.
func sendRaw(c net.Conn, text string) {
	_, _ = io.WriteString(c, text)
	closeConn(c)
}

// closeConn closes a connection nobody can be told about any more.
func closeConn(c net.Conn) { _ = c.Close() }
