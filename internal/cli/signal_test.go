//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// testRunSignal signals a run once it waits, and looks at what it prints after that.
func testRunSignal(t *testing.T, sig syscall.Signal, code int, args []string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Env = environment(t)
	c.WaitDelay = deadline
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	var from time.Time
	for lines := bufio.NewScanner(out); lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), `{"event":"wait",`) {
			from = time.Now()
			if err := c.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = c.Wait() // its exit code is asked of ProcessState
	if got := c.ProcessState.ExitCode(); got != code {
		t.Errorf("exit %d, want %d", got, code)
	}
	if d := time.Since(from); d > deadline/2 {
		t.Errorf("it ended %v after the signal", d)
	}
	all, err := parseEvents(text.String())
	if err != nil {
		t.Fatal(err)
	}
	if err := soundRun(all); err != nil {
		t.Error(err)
	}
	done := all[len(all)-1]
	if done.value("result") != "cancelled" || done.value("attempts") != "1" {
		t.Errorf("done: %v", done)
	}
	if end := named(all, "wait-end"); len(end) != 1 || end[0].value("cut") != "true" {
		t.Errorf("the wait was not cut: %v", end)
	}
}

// A signal ends the reading of what never ends, and nothing runs after it.
func TestSignalWhileReading(t *testing.T) {
	t.Parallel()
	s := newSite(t, unavailable("0"))
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		args []string
		sig  syscall.Signal
		code int
	}{
		{[]string{"run", s.URL, "-d", "@-"}, syscall.SIGINT, 130},
		{[]string{"run", s.URL, "-H", "@-"}, syscall.SIGTERM, 143},
		{[]string{"run", "--script", "@-"}, syscall.SIGHUP, 129},
		{[]string{"run", "--script", "@-", "--json"}, syscall.SIGINT, 130},
		{[]string{"serve", "--script", "@-"}, syscall.SIGINT, 130},
		{[]string{"run", s.URL, "--policy", fifo}, syscall.SIGINT, 130},
	} {
		t.Run(strings.Join(tc.args, " "), func(t *testing.T) {
			t.Parallel()
			c := exec.CommandContext(t.Context(), program, tc.args...)
			c.Env = environment(t)
			c.WaitDelay = deadline
			var out, errs bytes.Buffer
			c.Stdout, c.Stderr = &out, &errs
			stdin, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if tc.args[len(tc.args)-1] == fifo {
				// Opening it takes until the program opens its end.
				f, err := os.OpenFile(fifo, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close() //nolint:errcheck // nothing is written
			} else if _, err := stdin.Write(bytes.Repeat([]byte("#"), 200_000)); err != nil { // more than a pipe holds: it is read
				t.Fatal(err)
			}
			if err := c.Process.Signal(tc.sig); err != nil {
				t.Fatal(err)
			}
			from := time.Now()
			waitEnd(t, c)
			if d := time.Since(from); d > deadline/2 {
				t.Errorf("it ended %v after the signal", d)
			}
			if got := c.ProcessState.ExitCode(); got != tc.code || out.Len() > 0 || errs.Len() > 0 {
				t.Errorf("exit %d, want %d; it prints %q, %q", got, tc.code, out.String(), errs.String())
			}
		})
	}
	t.Cleanup(func() {
		if n := s.asked.Load(); n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}

// A signal ends a run that takes minutes in virtual time.
func TestSignalInALongRun(t *testing.T) {
	t.Parallel()
	c := exec.CommandContext(t.Context(), program, "run", "--json", "--script", "503", "--attempts", "1000000000")
	c.Env = environment(t)
	c.WaitDelay = deadline
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var last string
	for lines, n := bufio.NewScanner(out), 0; lines.Scan(); n++ {
		if n == 100 {
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		last = lines.Text()
	}
	waitEnd(t, c)
	if got := c.ProcessState.ExitCode(); got != 143 || !strings.Contains(last, `"result":"cancelled"`) {
		t.Errorf("exit %d, and at last %s", got, last)
	}
}

// waitEnd waits for the end; what it exits with is asked of ProcessState.
func waitEnd(t *testing.T, c *exec.Cmd) {
	t.Helper()
	var exit *exec.ExitError
	if err := c.Wait(); err != nil && !errors.As(err, &exit) {
		t.Error(err)
	}
}

// TestRunSignalWhenNobodyReads signals a run that hangs in a write to a pipe which is full.
func TestRunSignalWhenNobodyReads(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // it holds nothing anybody wants
	c := exec.CommandContext(t.Context(), program, "run", "--json", "--script", "503", "--attempts", "unlimited")
	c.Env, c.Stdout = environment(t), w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); err != nil { // it has begun to write, and will not get far
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	from := time.Now()
	_ = c.Wait() // its exit code is asked of ProcessState
	if got := c.ProcessState.ExitCode(); got != 143 {
		t.Errorf("exit %d, want 143", got)
	}
	if d := time.Since(from); d > deadline {
		t.Errorf("it ended %v after the signal", d)
	}
}
