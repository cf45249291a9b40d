//go:build unix

package cli_test

import (
	"strings"
	"testing"
)

// The title of the terminal's window is left as it was found: it can be set, but not be read to be put back everywhere.
func TestPtyLeavesTheTitle(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 24).start(nil)
	c.see("Timeline")
	c.keys("q").exits(0)
	for _, set := range []string{"\x1b]0;", "\x1b]1;", "\x1b]2;", "\x1b[22;", "\x1b[23;"} {
		if all := c.written(); strings.Contains(all, set) {
			t.Errorf("it wrote %q", set)
		}
	}
}
