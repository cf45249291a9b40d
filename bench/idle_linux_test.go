package bench

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/creack/pty"
)

const (
	idleFor   = 10 * time.Second
	quietFor  = time.Second      // the first screen is drawn once nothing was written for so long
	startedIn = 20 * time.Second // and that should not take longer
	// ticksPerSecond is what the kernel counts CPU time in for user space (USER_HZ).
	ticksPerSecond = 100
)

// BenchmarkIdle leaves the screen alone in a terminal for ten seconds and counts the CPU it used and the bytes it wrote.
// The floor is an empty screen of the same library: what its ticking costs on this machine.
func BenchmarkIdle(b *testing.B) {
	for _, c := range []struct{ by, dir, pkg string }{
		{"ours", "..", "."},
		{"floor", ".", "./cmd/emptyscreen"},
	} {
		b.Run("by="+c.by, func(b *testing.B) {
			program := filepath.Join(b.TempDir(), "screen")
			build := exec.CommandContext(b.Context(), "go", "build", "-o", program, c.pkg)
			build.Dir = c.dir
			if text, err := build.CombinedOutput(); err != nil {
				b.Fatalf("build: %v\n%s", err, text)
			}
			var cpu time.Duration
			var wrote int64
			for b.Loop() {
				c, w := idleOnce(b, program)
				cpu, wrote = cpu+c, wrote+w
			}
			b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-sec")
			b.ReportMetric(float64(wrote)/float64(b.N), "written-B")
		})
	}
}

// idleOnce starts the program, waits until the first screen stands, and measures.
func idleOnce(b *testing.B, program string) (cpu time.Duration, wrote int64) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), startedIn+idleFor+quietFor)
	defer cancel()
	home := b.TempDir()
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home)
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 60, Cols: 200})
	if err != nil {
		b.Fatal(err)
	}
	var bytes atomic.Int64
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		buffer := make([]byte, 1<<16)
		for {
			n, err := terminal.Read(buffer)
			bytes.Add(int64(n))
			if err != nil {
				return
			}
		}
	}()
	if !quiet(&bytes, closed) {
		b.Fatalf("no quiet screen within %v (%d bytes written)", startedIn, bytes.Load())
	}
	before, drawn := cpuTime(b, cmd.Process.Pid), bytes.Load()
	select {
	case <-time.After(idleFor):
	case <-closed:
		b.Fatal("the program ended by itself")
	}
	cpu, wrote = cpuTime(b, cmd.Process.Pid)-before, bytes.Load()-drawn
	// That q ends it well shows that it was the screen that idled, and that it still listened.
	if _, err := terminal.WriteString("q"); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatalf("after q: %v", err)
	}
	<-closed
	if err := terminal.Close(); err != nil {
		b.Fatal(err)
	}
	return cpu, wrote
}

// quiet waits until something was written and then nothing for a while.
func quiet(bytes *atomic.Int64, closed <-chan struct{}) bool {
	late := time.After(startedIn)
	for last := int64(0); ; {
		select {
		case <-time.After(quietFor):
		case <-closed:
			return false
		case <-late:
			return false
		}
		now := bytes.Load()
		if now > 0 && now == last {
			return true
		}
		last = now
	}
}

var errStat = errors.New("/proc/pid/stat is not as proc(5) has it")

// cpuTime is the user and system time of a process so far.
func cpuTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		b.Fatal(err)
	}
	// The fields are counted from behind the name, which may hold anything: utime is the 14th, stime the 15th.
	_, rest, ok := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 13 {
		b.Fatal(errStat)
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		b.Fatal(err)
	}
	return time.Duration(user+system) * (time.Second / ticksPerSecond)
}
