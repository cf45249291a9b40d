//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A long simulation tells how far it is, and ends at once with what it has.
func TestPtyFleetTellsAndStops(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 50).start(nil, "fleet", "--scenario", "herd", "--policy", "attempts=1", "--policy", "attempts=unlimited jitter=none",
		"--clients", "3000000", "--capacity", "100", "--seeds", "100")
	c.see("%", "[.")
	c.keys("\x03").see("partial: stopped before all runs were done", "verdict")
	c.unsee("[.")
	c.exits(130)
}

// Of one long run as well: it moves while not a call has ended, and a stop says that there is nothing yet.
func TestPtyFleetMoves(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 50).start(nil, "fleet", "--policy", "attempts=unlimited jitter=none attempt-timeout=none", "--clients", "3000000", "--capacity", "100")
	c.see("[##")
	c.keys("\x03").see("partial: stopped before all runs were done; no run was finished", "not run")
	c.exits(130)
}

// The same of a sweep, whose finished points are there.
func TestPtySweepTellsAndStops(t *testing.T) {
	t.Parallel()
	c := newConsole(t, 80, 50).start(nil, "fleet", "sweep", "--scenario", "metastable", "--over", "load=0.1:1:0.001")
	c.see("%", "[.")
	c.keys("\x03").see("partial: stopped with ", " of 3604 points done")
	c.unsee("[.")
	c.exits(130)
}

// Rows have no place to say that they are not all: it stands beside them. They go to a file, as rows do.
func TestPtyFleetRowsStop(t *testing.T) {
	t.Parallel()
	rows := filepath.Join(t.TempDir(), "rows.csv")
	c := newConsole(t, 80, 50).startCommand(append(environment(t), "ROWS="+rows), "/bin/sh", "-c", `exec "$0" "$@" >"$ROWS"`,
		program, "fleet", "--csv", "--scenario", "metastable", "--seeds", "10000")
	c.see("%", "[.")
	c.keys("\x03").see("partial: stopped before all runs were done")
	c.exits(130)
	text, err := os.ReadFile(rows)
	if err != nil || !strings.HasPrefix(string(text), "policy,") || !strings.HasSuffix(string(text), "\n") {
		t.Errorf("the file of rows begins %.60q, %v", text, err)
	}
}
