package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// driven is a process that runs clients which cannot be linked in here: those of other languages, and older versions
// of a module. Both ends speak in lines of JSON. The process says what it has; then it is given a job at a time, and
// while one runs it tells each send, which is answered, and each wait, which is waited here, in the bubble of the test.
// A real client so runs against the same wire as one of Go, and costs no time.
type driven struct {
	in  io.Writer
	out *bufio.Reader
	// Clients are the presets it can run, Versions those of their libraries.
	Clients  []string          `json:"clients"`
	Versions map[string]string `json:"versions"`
	// Marks says that it also runs a function whose error is marked as final.
	Marks bool `json:"marks"`
}

// job asks for one operation.
type job struct {
	Client   string `json:"client"`
	Method   string `json:"method"`
	Now      int64  `json:"now"`      // the time at its begin, in seconds since 1970
	Patient  int64  `json:"patient"`  // how long it is watched, in nanoseconds
	Refusing bool   `json:"refusing"` // sends are to be told when they dial, since none may come further
}

// told is what a process says while a job runs: "call" for a send, "sleep" for a wait, "end" where it is over.
type told struct {
	Op     string `json:"op"`
	NS     int64  `json:"ns"`
	Status int    `json:"status"`
	Error  string `json:"error"`
}

// reply answers a send with a status or an error ("reset", "refused"), and a wait with whether to stop.
type reply struct {
	Status int         `json:"status,omitempty"`
	Header http.Header `json:"header,omitempty"`
	Error  string      `json:"error,omitempty"`
	Stop   bool        `json:"stop,omitempty"`
}

// drive starts a process that ends when its input does.
func drive(t *testing.T, name string, args ...string) *driven {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "RETRYSCOPE_CONFORMANCE=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d := &driven{in: in, out: bufio.NewReader(out)}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Logf("%s: %v\n%s", name, err, said.String())
		}
	})
	if err := d.hear(d); err != nil {
		t.Fatalf("%s says nothing: %v", name, err)
	}
	return d
}

func (d *driven) tell(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = d.in.Write(append(line, '\n'))
	return err
}

func (d *driven) hear(v any) error {
	line, err := d.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	return nil
}

// errBroken is a process that went away; it is no failure of a client.
var errBroken = errors.New("the process of the client is gone")

// send runs the client of a preset.
func (d *driven) send(preset string) sender {
	return func(ctx context.Context, w *wire, method string) (int, error) {
		if err := d.tell(job{Client: preset, Method: method, Now: time.Now().Unix(), Patient: int64(patient), Refusing: w.refuses()}); err != nil {
			panic(errBroken)
		}
		for {
			var m told
			if err := d.hear(&m); err != nil {
				panic(fmt.Errorf("%w: %w", errBroken, err))
			}
			var r reply
			switch m.Op {
			case "call":
				r = replied(w.next())
			case "sleep":
				r.Stop = !slept(ctx, time.Duration(m.NS))
			case "end":
				return ended(&m)
			default:
				panic(fmt.Errorf("%w: it says %+v", errBroken, m))
			}
			if err := d.tell(r); err != nil {
				panic(errBroken)
			}
		}
	}
}

// slept waits, and says whether nothing ended the wait.
func slept(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func replied(a answer) reply {
	switch {
	case a.err == nil:
		return reply{Status: a.status, Header: a.header}
	case errors.Is(a.err, syscall.ECONNREFUSED):
		return reply{Error: "refused"}
	default:
		return reply{Error: "reset"}
	}
}

// ended is how an operation came out: an error that tells a reset in its own words is one.
func ended(m *told) (int, error) {
	if m.Error == "" {
		return m.Status, nil
	}
	err := errors.New(m.Error)
	if strings.Contains(strings.ToLower(m.Error), "connection reset") {
		err = fmt.Errorf("%w: %w", err, reset().err)
	}
	return m.Status, err
}
