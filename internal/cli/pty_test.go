//go:build unix

package cli_test

import (
	"strings"
	"syscall"
	"testing"
)

func TestPtyOpensAndQuits(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil, "--seed", "42")
	s := c.see("retryscope", "Timeline", "Policy", "attempts", "q quit")
	t.Log("\n" + s)
	c.keys("q").exits(0)
}

func TestPtySignals(t *testing.T) {
	t.Parallel()
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			c := newConsole(t, 80, 24).start(nil)
			c.see("Timeline")
			c.signal(sig)
			c.exits(code)
			if tail := c.written()[strings.LastIndex(c.written(), "\x1b[?1049l"):]; strings.Contains(tail, "retryscope") {
				t.Errorf("words after the screen: %q", tail)
			}
		})
	}
}
