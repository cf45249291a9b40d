//go:build unix

package cli_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/termios"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// deadline is how long anything may take on a machine that has a lot to do.
const deadline = time.Minute

// console is a terminal: a pseudo terminal whose bytes go to an emulator, which also answers what it is asked.
type console struct {
	t           *testing.T
	master, tty *os.File
	before      unix.Termios
	changed     chan struct{} // has room for one: something was written

	mu  sync.Mutex
	emu *vt.Emulator
	raw bytes.Buffer

	cmd   *exec.Cmd // nil where a function is run
	code  int       // once it ended
	ended chan struct{}
}

func newConsole(t *testing.T, w, h int) *console {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	master = pollable(t, master)
	c := &console{t: t, master: master, tty: tty, changed: make(chan struct{}, 1), emu: vt.NewEmulator(w, h), ended: make(chan struct{})}
	c.size(w, h)
	c.before = *c.state()
	read, answered := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		c.read()
	}()
	go func() { // what the emulator answers is typed
		defer close(answered)
		buf := make([]byte, 4096)
		for {
			n, err := c.emu.Read(buf)
			if err != nil {
				return
			}
			_, _ = c.master.Write(buf[:n]) // the terminal may be gone by now
		}
	}()
	t.Cleanup(func() {
		if c.cmd != nil {
			_ = c.cmd.Process.Kill()
			<-c.ended
		}
		_ = c.tty.Close()
		_ = c.master.Close()
		<-read
		_ = c.emu.InputPipe().(io.Closer).Close() // its own Close is no good beside a Read
		<-answered
	})
	return c
}

// pollable is the file again as one whose reads end when it is closed; the package that opened it made them block.
func pollable(t *testing.T, f *os.File) *os.File {
	t.Helper()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err := errors.Join(err, f.Close(), unix.SetNonblock(fd, true)); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "terminal")
}

func (c *console) read() {
	buf := make([]byte, 1<<16)
	for {
		n, err := c.master.Read(buf)
		c.mu.Lock()
		c.raw.Write(buf[:n])
		_, _ = c.emu.Write(buf[:n])
		c.mu.Unlock()
		select {
		case c.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// start runs the program with the terminal as its own.
func (c *console) start(env []string, args ...string) *console {
	c.t.Helper()
	return c.startCommand(env, program, args...)
}

func (c *console) startCommand(env []string, name string, args ...string) *console {
	c.t.Helper()
	c.cmd = exec.CommandContext(c.t.Context(), name, args...)
	c.cmd.Env = env
	if env == nil {
		c.cmd.Env = environment(c.t)
	}
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = c.tty, c.tty, c.tty
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	go func() {
		defer close(c.ended)
		_ = c.cmd.Wait() // how it ended is asked of ProcessState
		c.code = c.cmd.ProcessState.ExitCode()
	}()
	return c
}

// startFunc runs a function with a file of its own on the terminal: a goroutine of the library may read from it for a
// while after the end.
func (c *console) startFunc(f func(tty *os.File) int) {
	c.t.Helper()
	fd, err := unix.FcntlInt(c.tty.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	tty := os.NewFile(uintptr(fd), c.tty.Name())
	go func() {
		defer close(c.ended)
		c.code = f(tty)
	}()
}

// await waits until the terminal shows what ok wants.
func (c *console) await(what string, ok func(screen string) bool) string {
	c.t.Helper()
	timer := time.NewTimer(deadline)
	defer timer.Stop()
	for {
		screen := c.screen()
		if ok(screen) {
			return screen
		}
		select {
		case <-c.changed:
		case <-timer.C:
			c.t.Fatalf("%s: not seen within %v; the terminal shows\n%s", what, deadline, screen)
		}
	}
}

// see waits until all the texts are on the screen.
func (c *console) see(texts ...string) string {
	c.t.Helper()
	return c.await(strings.Join(texts, ", "), func(s string) bool {
		return !slices.ContainsFunc(texts, func(t string) bool { return !strings.Contains(s, t) })
	})
}

// unsee waits until a text is gone.
func (c *console) unsee(text string) {
	c.t.Helper()
	c.await("without "+text, func(s string) bool { return !strings.Contains(s, text) })
}

// screen is what the terminal shows, without colors.
func (c *console) screen() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.emu.String()
}

// written are all bytes so far.
func (c *console) written() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// keys types.
func (c *console) keys(text string) *console {
	c.t.Helper()
	if _, err := c.master.WriteString(text); err != nil {
		c.t.Fatal(err)
	}
	return c
}

func (c *console) size(w, h int) {
	c.t.Helper()
	c.mu.Lock()
	if w > 0 && h > 0 {
		c.emu.Resize(w, h)
	}
	c.mu.Unlock()
	if err := pty.Setsize(c.tty, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil { //nolint:gosec // small
		c.t.Fatal(err)
	}
}

func (c *console) state() *unix.Termios {
	c.t.Helper()
	state, err := termios.GetTermios(int(c.tty.Fd()))
	if err != nil {
		c.t.Fatal(err)
	}
	return state
}

func (c *console) signal(s syscall.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

// exit waits for the end of the program, and is its exit code.
func (c *console) exit() int {
	c.t.Helper()
	select {
	case <-c.ended:
	case <-time.After(deadline):
		c.t.Fatalf("the program does not end; the terminal shows\n%s", c.screen())
	}
	return c.code
}

// exits waits for the end and holds the terminal against what it was before.
func (c *console) exits(code int) {
	c.t.Helper()
	if got := c.exit(); got != code {
		c.t.Errorf("exit %d, want %d; the terminal shows\n%s", got, code, c.screen())
	}
	c.restored()
}

// end is written after the program: what stands before it is all that the program wrote.
const end = "<end of the program>"

// restored tells whether the terminal is as it was: its modes, the main screen, a cursor, no color, nothing pending.
func (c *console) restored() {
	c.t.Helper()
	if after := *c.state(); after != c.before {
		c.t.Errorf("the modes of the terminal are other ones: %+v, before %+v", after, c.before)
	}
	if _, err := c.tty.WriteString(end); err != nil {
		c.t.Fatal(err)
	}
	c.await("the end", func(string) bool { return strings.HasSuffix(c.written(), end) })
	c.mu.Lock()
	alt, hidden := c.emu.IsAltScreen(), c.emu.CursorHidden()
	c.mu.Unlock()
	if alt {
		c.t.Error("the alternate screen is still on")
	}
	if hidden {
		c.t.Error("the cursor is still hidden")
	}
	for on, off := range pairs {
		all := c.written()
		if i := strings.LastIndex(all, on); i >= 0 && !strings.Contains(all[i:], off) {
			c.t.Errorf("%q was not taken back with %q", on, off)
		}
	}
	if n := c.pending(); n > 0 {
		c.t.Errorf("%d bytes are left for the shell to read", n)
	}
}

// pairs are modes that have to be taken back.
var pairs = map[string]string{
	"\x1b[?1049h": "\x1b[?1049l", // the alternate screen
	"\x1b[?25l":   "\x1b[?25h",   // the cursor
	"\x1b[?2004h": "\x1b[?2004l", // bracketed paste
	"\x1b[?1000h": "\x1b[?1000l", // the mouse
	"\x1b[?1002h": "\x1b[?1002l",
	"\x1b[?1003h": "\x1b[?1003l",
	"\x1b[?1006h": "\x1b[?1006l",
	"\x1b[?2026h": "\x1b[?2026l", // synchronized output
	"\x1b[?2027h": "\x1b[?2027l", // grapheme clusters
	"\x1b[?1h":    "\x1b[?1l",    // application keys
}

// pending is how many bytes were typed, or answered by the terminal, and not read by the program.
func (c *console) pending() int {
	c.t.Helper()
	old, err := term.MakeRaw(c.tty.Fd()) // a line that is not finished counts, too
	if err != nil {
		c.t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(c.tty.Fd()), fionread)
	if err := errors.Join(err, term.Restore(c.tty.Fd(), old)); err != nil {
		c.t.Fatal(err)
	}
	return n
}

// quiet tells whether nothing is written for a while.
func (c *console) quiet(d time.Duration) bool {
	select {
	case <-c.changed: // from before
	default:
	}
	was := len(c.written())
	select {
	case <-c.changed:
		return false
	case <-time.After(d):
		return len(c.written()) == was
	}
}

// rests tells whether nothing is written for so long, once in three times: on a busy machine a last frame may come late,
// and what never stops writing writes in each of them.
func (c *console) rests(d time.Duration) bool {
	for range 3 {
		if c.quiet(d) {
			return true
		}
	}
	return false
}

// settle waits until nothing is written for a moment.
func (c *console) settle() string {
	c.t.Helper()
	for begun := time.Now(); !c.quiet(150 * time.Millisecond); {
		if time.Since(begun) > deadline {
			c.t.Fatal("the screen never comes to rest")
		}
	}
	return c.screen()
}
