package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"testing"
)

// result is what a run of the program came to.
type result struct {
	out, err string
	code     int
}

// execute runs the built program without a terminal.
func execute(t *testing.T, args ...string) result {
	t.Helper()
	return executed(t, exec.CommandContext(t.Context(), program, args...))
}

func executed(t *testing.T, c *exec.Cmd) result {
	t.Helper()
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if c.Env == nil {
		c.Env = environment(t)
	}
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{out.String(), errs.String(), c.ProcessState.ExitCode()}
}

// environment is that of the tests, with a home of its own.
func environment(t *testing.T, more ...string) []string {
	t.Helper()
	home := t.TempDir()
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LANG=C.UTF-8", "TERM=xterm-256color",
		"XDG_CONFIG_HOME=" + home + "/config", "XDG_STATE_HOME=" + home + "/state",
	}, more...)
}

// events are those of run --json with these arguments.
func events(t *testing.T, code int, args ...string) []event {
	t.Helper()
	r := execute(t, append([]string{"run", "--json"}, args...)...)
	if r.code != code || r.err != "" {
		t.Fatalf("%q: exit %d, want %d: %s", args, r.code, code, r.err)
	}
	all, err := parseEvents(r.out)
	if err != nil {
		t.Fatal(err)
	}
	if err := soundRun(all); err != nil {
		t.Errorf("%q: %v", args, err)
	}
	return all
}
