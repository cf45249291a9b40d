//go:build unix

package cli_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// Faults reported of other clients and of other screens that the scripts do not ask about, by the numbers docs/CASES.md
// has them under. They are asked of the built program.

// BO-13: two programs with the same settings draw different waits, unless they are given one seed.
func TestCaseTwoProgramsDrawApart(t *testing.T) {
	t.Parallel()
	waits := func(args ...string) string {
		r := execute(t, append([]string{"run", "--json", "--script", "503", "--attempts", "6"}, args...)...)
		all, err := parseEvents(r.out)
		if err != nil || r.code != 1 {
			t.Fatalf("exit %d, %v", r.code, err)
		}
		var out []string
		for _, e := range named(all, "wait") {
			out = append(out, e.value("wait_ms"))
		}
		if len(out) != 5 {
			t.Fatalf("%d waits", len(out))
		}
		return strings.Join(out, " ")
	}
	if a, b := waits(), waits(); a == b {
		t.Errorf("two programs wait alike: %s", a)
	}
	if a, b := waits("--seed", "9"), waits("--seed", "9"); a != b {
		t.Errorf("one seed, and two programs wait %s and %s", a, b)
	}
	if a, b := waits("--policy", "carom"), waits("--policy", "carom"); a == b {
		t.Errorf("carom: two programs wait alike: %s", a)
	}
}

// HT-11: an address with a control character in it is refused, and told without it.
func TestCaseAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"https://exa\nmple.com", "http://h\t/", "http://h\x1b[2J/", "http://h/\x7f"} {
		for _, args := range [][]string{{"run", raw}, {raw}} {
			r := execute(t, args...)
			if r.code != 2 || r.out != "" {
				t.Errorf("%q: exit %d, %q", args, r.code, r.out)
			}
			if err := plainText(r.err); err != nil {
				t.Errorf("%q: %v", args, err)
			}
		}
	}
}

// TU-16: a screen that was made a cell smaller and larger again, and drawn meanwhile, has nothing left over.
func TestCaseNoCellIsLeftOver(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil, "--seed", "42")
	c.see("Timeline")
	want := c.settle()
	for _, w := range []int{79, 80, 81, 80, 79, 78, 80} {
		c.size(w, 24)
		c.keys(right + "u")
	}
	c.see("taken back: attempts")
	c.keys(down + "\x1b[A") // the note goes with the next key
	c.await("the screen as it was, and no cell beside it:\n"+want, func(s string) bool { return s == want })
	if got := c.settle(); got != want {
		t.Errorf("it shows\n%s\nand showed\n%s", got, want)
	}
	c.keys("q").exits(0)
}

// TU-21: a terminal that answers late, or with what nobody asked for: nothing of it is typed anywhere.
func TestCaseLateAnswersAreNoKeys(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil, "--seed", "42")
	c.see("Timeline")
	want := c.settle()
	const late = "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\"
	c.keys(late).keys("\x1b[?2026;2$y").keys("\x1b[?62;22c")
	if got := c.settle(); got != want {
		t.Errorf("it shows\n%s\nand showed\n%s", got, want)
	}
	c.keys("=").see("Type attempts")
	want = c.settle()
	c.keys(late).keys(strings.Replace(late, "\x1b\\", "\x07", 1))
	if got := c.settle(); got != want {
		t.Errorf("with a field it shows\n%s\nand showed\n%s", got, want)
	}
	c.keys("\x1b").unsee("Type attempts")
	c.keys("q").exits(0)
	if all := c.written(); strings.Contains(all, "rgb:1e") {
		t.Error("the answer was written back")
	}
}

// TU-21: a terminal that never answers anything gets the same screen, and the program ends as fast.
func TestCaseATerminalThatNeverAnswers(t *testing.T) {
	t.Parallel()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	master = pollable(t, master)
	defer master.Close() //nolint:errcheck // of the test
	defer tty.Close()    //nolint:errcheck // of the test
	if err := pty.Setsize(tty, &pty.Winsize{Cols: 80, Rows: 24}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environment(t), tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	readUntil(t, master, "quit")
	from := time.Now()
	if _, err := master.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	readUntil(t, master, "\x1b[?1049l")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if d := time.Since(from); d > deadline/2 {
		t.Errorf("it took %v to end", d)
	}
}

func readUntil(t *testing.T, f *os.File, text string) {
	t.Helper()
	if err := f.SetReadDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	buf := make([]byte, 4096)
	for !strings.Contains(all.String(), text) {
		n, err := f.Read(buf)
		all.Write(buf[:n])
		if err != nil {
			t.Fatalf("%v before %q, after %q", err, text, all.String())
		}
	}
}

// TU-25, TU-28: the terminal is not asked for the mouse: no report of it can be torn or left behind. Where somebody asks
// for it, reports are no text in a field, also where the program reads them in two parts, however long after each other.
func TestCaseMouseReports(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil, "--seed", "42")
	c.see("Timeline")
	c.settle()
	for _, on := range []string{"\x1b[?1000h", "\x1b[?1002h", "\x1b[?1003h", "\x1b[?1006h"} {
		if strings.Contains(c.written(), on) {
			t.Errorf("%q was written unasked", on)
		}
	}
	c.keys("?mouse" + enter).see("the mouse chooses")
	c.keys("=").see("Type attempts")
	want := c.settle()
	c.keys(strings.Repeat("\x1b[<64;10;5M\x1b[<65;110;5M\x1b[<0;9;5m", 400)) // more than is read at once
	if got := c.settle(); got != want {
		t.Errorf("it shows\n%s\nand showed\n%s", got, want)
	}
	for _, torn := range [][2]string{{"\x1b[<64;1", "0;5M"}, {"\x1b[<64;10;5", "M"}, {"\x1b]11;rgb:1c1c/1c", "1c/1c1c\x1b\\"}, {"\x1b]11;rgb:1c1c/1c1c/1c1c\x1b", "\\"}} {
		c.keys(torn[0]).settle() // longer than the library waits for the rest
		if got := c.keys(torn[1]).settle(); got != want {
			t.Errorf("torn as %q it shows\n%s\nand showed\n%s", torn, got, want)
		}
	}
	c.keys("\x1b").unsee("Type attempts")
	c.keys("q").exits(0)
}

// TU-15, CT-05: an address of 2000 characters on a screen of every width is one line, shortened.
func TestCaseLongAddressOnATerminal(t *testing.T) {
	t.Parallel()
	long := "http://127.0.0.1:1/" + strings.Repeat("segment/", 250) + "the-end"
	for _, w := range []int{60, 80, 133} {
		c := newConsole(t, w, 24).start(nil, long)
		s := c.see("LIVE", "http://127", "…", "end")
		if n := strings.Count(s, "segment"); n > 20 || strings.Count(s, "retryscope") != 1 {
			t.Errorf("%d cells:\n%s", w, s)
		}
		c.keys("q").exits(0)
	}
	r := execute(t, "run", long, "--attempts", "1")
	for line := range strings.Lines(r.out) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 && !strings.HasPrefix(line, "error") {
			t.Errorf("a line of %d cells: %q", n, line)
		}
	}
}
