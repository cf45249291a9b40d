//go:build unix

package cli_test

import (
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	right = "\x1b[C"
	down  = "\x1b[B"
	enter = "\r"
)

func TestPtyOpensTurnsAndQuits(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil, "--seed", "42", "--script", "503", "--draw", "1")
	s := c.see("retryscope", "Timeline", "Policy", "Why", "‹ 4 ›", "3 retries", "4 attempts of 4", "quit")
	if n := strings.Count(s, "\n") + 1; n != 24 {
		t.Errorf("%d lines", n)
	}
	c.keys(right).see("‹ 5 ›", "5 attempts of 5")
	c.keys(down + right).see("0–0.5s") // base moves every window
	c.keys("u").see("0–0.2s")
	c.keys("u").see("4 attempts of 4", "taken back: attempts")
	c.keys("x").see("cancelled")
	c.keys("u").see("4 attempts of 4")
	c.keys("i").see("Request")
	c.keys("\x1b").unsee("┌─")
	c.keys("p").see("carom", "server-led")
	c.keys("\x1b").unsee("┌─")
	c.keys("?").see("Everything", "search")
	c.keys("seed").see("new seed")
	c.keys(enter).see("seed ", "quit")
	c.unsee("seed 42")
	c.keys("q").exits(0)
}

func TestPtySignals(t *testing.T) {
	t.Parallel()
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGQUIT: 131, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, 80, 24).start(nil)
			c.see("Timeline")
			c.signal(sig)
			_ = c.cmd.Process.Signal(sig) // as a supervisor does, to the process and to its group; it may be gone
			c.exits(code)
			all := c.written()
			if tail := all[strings.LastIndex(all, "\x1b[?1049l"):]; strings.Contains(tail, "retryscope") {
				t.Errorf("words after the screen: %q", tail)
			}
		})
	}
}

func TestPtyControlC(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil)
	c.see("Timeline")
	c.keys("\x03").exits(0)
}

// At once after the start: what the terminal answers must not be left for the shell.
func TestPtyQuitsAtOnce(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil)
	c.keys("q").exits(0)
}

func TestPtyLostTerminal(t *testing.T) {
	t.Parallel()
	for _, ignored := range []bool{false, true} {
		c := newConsole(t, 80, 24)
		if ignored { // without a hangup the terminal is still gone
			c.startCommand(nil, "sh", "-c", `trap "" HUP; exec "$0"`, program)
		} else {
			c.start(nil)
		}
		c.see("Timeline")
		if err := c.tty.Close(); err != nil {
			t.Fatal(err)
		}
		if err := c.master.Close(); err != nil {
			t.Fatal(err)
		}
		if got := c.exit(); got != 129 {
			t.Errorf("hangup ignored %v: exit %d, want 129", ignored, got)
		}
	}
}

// A shell with job control suspends it and brings it back; the window was made larger meanwhile.
func TestPtySuspends(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24)
	c.startCommand(nil, "bash", "--norc", "--noprofile", "-c", `set -m; "$0"; echo "stopped with $?"; read -r word; echo "read $word"; fg >/dev/null; echo "ended with $?"`, program)
	c.see("Timeline")
	c.keys("\x1a").see("stopped with 148")
	if after := *c.state(); after != c.before {
		t.Errorf("the shell has a terminal in other modes: %+v, before %+v", after, c.before)
	}
	c.keys("hello\r")
	c.await("the shell to read", func(string) bool { return strings.Contains(c.written(), "read hello") }) // the screen is back at once
	c.size(100, 30)
	c.see("Timeline", "▸ attempts")
	c.await("all of the larger screen", func(s string) bool {
		lines := strings.Split(s, "\n")
		return len(lines) == 30 && strings.Contains(lines[29], "quit")
	})
	c.keys("q").see("ended with 0")
	c.exits(0)
}

func TestPtyResizes(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil)
	c.see("Timeline")
	for _, size := range [][2]int{{60, 15}, {20, 5}, {10, 3}, {1, 1}, {0, 0}, {200, 60}, {3, 200}, {79, 24}, {80, 24}} {
		c.size(size[0], size[1])
		c.keys(right)
	}
	s := c.see("Timeline", "Policy", "quit")
	if strings.Contains(c.settle(), "panic") || strings.Count(s, "Timeline") != 1 {
		t.Errorf("after all sizes:\n%s", s)
	}
	c.size(20, 5)
	c.see("60x15")
	c.keys("q").exits(0)
}

// Nothing moves, and nothing is written.
func TestPtyIdle(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil)
	c.see("Timeline")
	c.settle()
	if !c.rests(time.Second) {
		t.Error("bytes were written within a second of nothing")
	}
	c.keys("q").exits(0)
}

var colorSGR = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestPtyColors(t *testing.T) {
	t.Parallel()
	hasColor := func(all string) bool {
		for _, sgr := range colorSGR.FindAllString(all, -1) {
			for part := range strings.SplitSeq(strings.Trim(sgr, "\x1b[m"), ";") {
				if len(part) == 2 && strings.ContainsAny(part[:1], "349") || len(part) == 3 {
					return true
				}
			}
		}
		return false
	}
	for _, tc := range []struct {
		env   string
		color bool
	}{{"COLORTERM=truecolor", true}, {"NO_COLOR=", true}, {"NO_COLOR=yes", false}, {"NO_COLOR=1", false}, {"NO_COLOR=0", false}} {
		t.Run(tc.env, func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, 80, 24).start(environment(t, tc.env))
			c.see("Timeline", "✓")
			c.keys("q").exits(0)
			if got := hasColor(c.written()); got != tc.color {
				t.Errorf("%s: color %v, want %v", tc.env, got, tc.color)
			}
		})
	}
}

// Where there is no screen to open there is no escape byte either.
func TestPtyDumb(t *testing.T) {
	t.Parallel()
	env := append(environment(t), "TERM=dumb")
	c := newConsole(t, 80, 24).start(env)
	c.exits(2)
	if all := c.written(); strings.Contains(all, "\x1b") || !strings.Contains(all, "retryscope run") {
		t.Errorf("written: %q", all)
	}
	// With a terminal of no abilities run does its work all the same.
	c = newConsole(t, 80, 24).start(env, "run")
	c.exits(0)
	if all := c.written(); strings.Contains(all, "\x1b") || !strings.Contains(all, "succeeded") {
		t.Errorf("written: %q", all)
	}
}

// run looks at the width of its terminal, and writes no escape byte to it.
func TestPtyRun(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120} {
		c := newConsole(t, width, 40).start(nil, "run", "--seed", "3")
		c.exits(0)
		all := strings.TrimSuffix(c.written(), end)
		if strings.Contains(all, "\x1b") {
			t.Errorf("width %d: an escape byte in %q", width, all)
		}
		for line := range strings.SplitSeq(all, "\r\n") {
			if n := len([]rune(line)); n > width {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
	}
}

// In a session without a terminal, with streams that are none.
func TestPtyNone(t *testing.T) {
	t.Parallel()
	c := exec.CommandContext(t.Context(), program)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	r := executed(t, c)
	if r.code != 2 || r.out != "" || !strings.Contains(r.err, "retryscope run") || strings.Contains(r.err, "\x1b") {
		t.Errorf("%+v", r)
	}
	// Its input is a terminal and its output a pipe.
	c = exec.CommandContext(t.Context(), program)
	c.Stdin = newConsole(t, 80, 24).tty
	r = executed(t, c)
	if r.code != 2 || r.out != "" || !strings.Contains(r.err, "no terminal") {
		t.Errorf("%+v", r)
	}
}

func TestPtyBadInputLeavesTheTerminalAlone(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 100, 24).start(nil, "--attempts", "0", "--theme", "pink")
	c.exits(2)
	if all := c.written(); strings.Contains(all, "\x1b") || !strings.Contains(all, "--attempts") || !strings.Contains(all, "--theme") {
		t.Errorf("written: %q", all)
	}
}

// What is pasted is one edit of a field: its lines are no keys.
func TestPtyPaste(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil)
	c.see("Timeline")
	c.settle()
	c.keys("\x1b[200~q\nx\n\x1b[201~").see("a paste goes into a field")
	c.keys("=").see("Type attempts")
	c.keys("\x15\x1b[200~9\nq\x1b[201~")
	c.see("attempts = 9")
	c.keys("\x1b").unsee("Type attempts")
	c.keys("q").exits(0)
}

// A locale that is not UTF-8 gets ASCII alone.
func TestPtyASCII(t *testing.T) {
	t.Parallel()
	for _, how := range [][]string{{"LANG=C"}, {"LANG=C.UTF-8", "--ascii"}} {
		c := newConsole(t, 80, 24).start(environment(t, how[0]), how[1:]...)
		c.see("Timeline", "quit")
		c.keys("q").exits(0)
		for _, r := range c.written() {
			if r > '~' {
				t.Errorf("%v: %U", how, r)
				break
			}
		}
	}
}
