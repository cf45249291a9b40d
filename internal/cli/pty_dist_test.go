//go:build unix

package cli_test

import "testing"

// A long distribution tells how far it is, and ends at once with what it has.
func TestPtyDistTellsAndStops(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 50).start(nil, "dist", "--outage", "10s", "--policy", "attempts=10 jitter=decorrelated", "--draws", "100000000", "--seed", "1")
	c.see("% of 100000000", "[")
	c.keys("\x03").see("partial: ", "of 100000000 calls drawn", "WHEN EACH RETRY IS SENT", "TOTAL WAIT OF A CALL")
	c.unsee("% of 100000000")
	c.exits(130)
}
