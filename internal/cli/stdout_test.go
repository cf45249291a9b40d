package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/retryscope/retryscope/internal/cli"
)

// printing is a call of every command and of every form that it prints in.
var printing = [][]string{
	{"--help"},
	{"--version"},
	{"version"},
	{"help"},
	{"help", "policy"},
	{"help", "scenarios"},
	{"fleet", "--help"},
	{"run", "--seed", "1"},
	{"run", "--seed", "1", "--json"},
	{"serve", "--script", "200"},
	{"serve", "--script", "200", "--json"},
	{"presets"},
	{"presets", "carom"},
	{"presets", "--json"},
	{"dist", "--fail", "30%"},
	{"dist", "--fail", "30%", "--json"},
	{"fleet", "--clients", "10"},
	{"fleet", "--clients", "10", "--json"},
	{"fleet", "--clients", "10", "--csv"},
	{"fleet", "sweep", "--over", "load=0.2:0.4:0.2"},
	{"fleet", "sweep", "--over", "load=0.2:0.4:0.2", "--json"},
	{"fleet", "sweep", "--over", "load=0.2:0.4:0.2", "--csv"},
	{"export", "go-std"},
	{"export", "curl"},
	{"import", "toml", "-"},
	{"lint", "default"},
	{"lint", "default", "--json"},
	{"lint", "--explain", "all"},
	{"explain", "carom"},
	{"completion", "bash"},
	{"completion", "zsh"},
	{"completion", "fish"},
	{"completion", "powershell"},
}

// printsTo is the program with these arguments and a standard output of one's own.
func printsTo(t *testing.T, out *os.File, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, args...)
	c.Env = environment(t)
	c.Stdin = strings.NewReader("attempts = 3\n")
	var errs bytes.Buffer
	c.Stdout, c.Stderr = out, &errs
	return c, &errs
}

// Every command tells that its output could not be written, and fails.
func TestEveryCommandNoticesAFullDisk(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no device that is always full here")
	}
	defer full.Close() //nolint:errcheck // a device
	for _, args := range printing {
		c, errs := printsTo(t, full, args...)
		if err := c.Run(); err == nil || c.ProcessState.ExitCode() != cli.ExitFailed {
			t.Errorf("%q: %v: %s", args, err, errs)
		}
		if !strings.Contains(errs.String(), "retryscope: standard output: ") || !strings.Contains(errs.String(), syscall.ENOSPC.Error()) {
			t.Errorf("%q says %q", args, errs)
		}
	}
}

// A reader that has enough ends any command without a word, also where whoever started it ignores that signal.
func TestEveryCommandIsQuietWithoutAReader(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no such signal there")
	}
	for _, args := range printing {
		if args[0] == "export" || args[0] == "import" {
			continue // they tell of what is lost besides
		}
		for _, ignored := range []bool{false, true} {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			_ = r.Close()
			c, errs := printsTo(t, w, args...)
			if ignored {
				c.Path, c.Args = "/bin/sh", append([]string{"sh", "-c", `trap "" PIPE; exec "$@"`, "sh", program}, args...)
			}
			err = c.Run()
			_ = w.Close()
			status, ok := c.ProcessState.Sys().(syscall.WaitStatus)
			bySignal := ok && status.Signaled() && status.Signal() == syscall.SIGPIPE
			if err == nil || errs.Len() > 0 || !bySignal {
				t.Errorf("%q, signal ignored %v: %v: %q", args, ignored, err, errs)
			}
		}
	}
}

// Output that is not wanted is no failure, however the null device is open: for reading and writing is how other programs
// hand it on.
func TestOutputThatNobodyWants(t *testing.T) {
	t.Parallel()
	for _, flags := range []int{os.O_WRONLY, os.O_RDWR} {
		null, err := os.OpenFile(os.DevNull, flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		c, errs := printsTo(t, null, "lint", "default")
		if err := c.Run(); err != nil || errs.Len() > 0 {
			t.Errorf("%v: %s", err, errs)
		}
		_ = null.Close()
	}
}

// What the file system tells only when the output is closed is a failure too, of a command that was well and of one that
// has a code of its own; a failure that was told already is told once.
func TestOutputThatCannotBeClosed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args  []string
		close error
		code  int
		want  string
	}{
		{[]string{"version"}, nil, 0, ""},
		{[]string{"version"}, syscall.EIO, 1, "retryscope: standard output: " + syscall.EIO.Error() + "\n"},
		{[]string{"run", "--script", "503 after=3600"}, nil, cli.ExitDeferred, ""},
		{[]string{"run", "--script", "503 after=3600"}, syscall.ENOSPC, 1, "retryscope: standard output: " + syscall.ENOSPC.Error() + "\n"},
		{[]string{"lint", "attempts=0"}, errors.New("closed twice"), 2, "attempts"},
	} {
		var out, errs strings.Builder
		closed := 0
		code := cli.Main(t.Context(), cli.Env{
			Args: tc.args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" },
			Close: func() error { closed++; return tc.close },
		})
		if code != tc.code || !strings.Contains(errs.String(), tc.want) || tc.want == "" && errs.Len() > 0 || closed > 1 || tc.code < 2 && closed != 1 {
			t.Errorf("%q, %v: exit %d, closed %d times: %q", tc.args, tc.close, code, closed, errs.String())
		}
	}
}
