//go:build unix

package cli_test

import (
	"bufio"
	"os/exec"
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
	if d := time.Since(from); d > 2*time.Second {
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
