// Package kit runs clients in a process of their own, for the conformance tests: those older versions of a module that
// cannot be linked beside the newer ones. It depends on nothing, so that a module that uses it keeps its versions.
package kit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Env is the variable whose presence says that the other end of standard input and output is the conformance test.
const Env = "RETRYSCOPE_CONFORMANCE"

// Send makes one operation of a client, and gives the status it ended with.
type Send func(ctx context.Context, w *Wire, method string) (int, error)

// ErrStopped is what a send meets once the test has seen enough.
var ErrStopped = errors.New("the run was stopped")

// StatusError is a failed call of a client that knows no HTTP.
type StatusError struct {
	Status int
	Header http.Header
}

func (e *StatusError) Error() string { return fmt.Sprintf("the answer was %d", e.Status) }

// Wire is the other end of every client: each send is told to the conformance test, which answers it.
type Wire struct {
	mu     sync.Mutex
	in     *bufio.Reader
	out    io.Writer
	last   time.Time
	cancel context.CancelFunc
}

// told and reply are the lines of the conversation; driven_test.go of package conformance is the other end.
type told struct {
	Op     string `json:"op"`
	NS     int64  `json:"ns,omitempty"`
	Status int    `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

type reply struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	Error  string      `json:"error"`
	Stop   bool        `json:"stop"`
}

type job struct {
	Client string `json:"client"`
	Method string `json:"method"`
	// Patient is how long the operation is watched, in nanoseconds: a longer wait would be one tick after another of
	// every clock in the bubble.
	Patient time.Duration `json:"patient"`
}

func (w *Wire) tell(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.out.Write(append(line, '\n'))
	return err
}

func (w *Wire) hear(v any) error {
	line, err := w.in.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

func (w *Wire) ask(m told) (r reply, err error) {
	if err = w.tell(m); err == nil {
		err = w.hear(&r)
	}
	return r, err
}

// waited tells how long it was since the last send; it was waited here already, on the clock of the bubble.
func (w *Wire) waited() error {
	gap := time.Since(w.last)
	w.last = time.Now()
	if gap <= 0 {
		return nil
	}
	r, err := w.ask(told{Op: "sleep", NS: int64(gap)})
	if err == nil && r.Stop {
		w.cancel()
		err = ErrStopped
	}
	return err
}

// next is the answer to a send.
func (w *Wire) next() (reply, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.waited(); err != nil {
		return reply{}, err
	}
	r, err := w.ask(told{Op: "call"})
	switch {
	case err != nil:
		return r, err
	case r.Error == "refused":
		return r, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case r.Error != "":
		return r, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	default:
		return r, nil
	}
}

// Call makes the wire the function of any client that repeats one.
func (w *Wire) Call() error {
	r, err := w.next()
	if err == nil && r.Status >= http.StatusBadRequest {
		err = &StatusError{r.Status, r.Header}
	}
	return err
}

// RoundTrip makes the wire the transport of any client of net/http.
func (w *Wire) RoundTrip(req *http.Request) (*http.Response, error) {
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
	r, err := w.next()
	if err != nil {
		return nil, err
	}
	h := r.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	h.Set("Content-Type", "application/json")
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	body := []byte(`{}`)
	if r.Status >= http.StatusBadRequest {
		body = []byte(`{"error":{"type":"api_error","message":"it failed"}}`)
	}
	return &http.Response{
		Status: fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status)), StatusCode: r.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}, nil
}

// Serve runs the operations that standard input asks for, each in a bubble where waits cost nothing, until it ends.
func Serve(t *testing.T, versions map[string]string, clients map[string]Send) {
	t.Helper()
	if os.Getenv(Env) == "" {
		t.Skip("it is the conformance test in the directory above that runs this")
	}
	serve(t, bufio.NewReader(os.Stdin), os.Stdout, versions, clients)
}

func serve(t *testing.T, in *bufio.Reader, out io.Writer, versions map[string]string, clients map[string]Send) {
	t.Helper()
	w := Wire{in: in, out: out}
	var names []string
	for name := range clients {
		names = append(names, name)
	}
	if err := w.tell(map[string]any{"clients": names, "versions": versions}); err != nil {
		t.Fatal(err)
	}
	for {
		var j job
		if err := w.hear(&j); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		send, ok := clients[j.Client]
		if !ok {
			t.Fatalf("no client %q", j.Client)
		}
		synctest.Test(t, func(t *testing.T) { operate(t, &w, send, &j) })
	}
}

func operate(t *testing.T, w *Wire, send Send, j *job) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), j.Patient)
	defer cancel()
	w.mu.Lock()
	w.last, w.cancel = time.Now(), cancel
	w.mu.Unlock()
	status, err := send(ctx, w, j.Method)
	w.mu.Lock()
	defer w.mu.Unlock()
	// What was waited after the last send is told too: it may have been a wait without end.
	if stopped := w.waited(); stopped != nil && !errors.Is(stopped, ErrStopped) {
		t.Fatal(stopped)
	}
	end := told{Op: "end", Status: status}
	if err != nil {
		end.Error = err.Error()
	}
	if err := w.tell(end); err != nil {
		t.Fatal(err)
	}
}
