package proof

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
)

// timerCase is an export whose waits or timeouts are longer than a timer of JavaScript takes, and what it has to make of
// that: what comes out, how many requests there are, and the timer that is set for it.
type timerCase struct {
	id, policy  string
	asks, waits bool
	want        string
}

const (
	// month is what each of them has besides: a retry that comes at once, and no limit.
	month    = "attempts=2 timeout=none attempt-timeout=none base=1ms jitter=none retry-on=503,transport,timeout ceiling=none"
	takes    = "2147483647"
	waited   = "200 2 " + takes
	deferred = "503 1 0"
)

func timerCases() []timerCase {
	all := []timerCase{
		{"got", "retry-after=replace", true, true, deferred},
		{"got", "retry-after=at-least", true, true, deferred},
		{"ky", "retry-after=replace", true, true, waited},
		{"ky", "retry-after=replace ceiling=1h over-ceiling=cut", true, true, "200 2 3600000"},
		{"axios-retry", "retry-after=replace", true, true, waited},
		{"axios-retry", "retry-after=at-least", true, true, waited},
		{"axios-retry", "retry-after=at-least ceiling=1h over-ceiling=cut", true, true, "200 2 3600000"},
	}
	for _, id := range []string{"got", "ky", "axios-retry", "p-retry"} {
		all = append(all,
			timerCase{id, "retry-after=ignore base=900h cap=none curve=constant", false, true, waited},
			timerCase{id, "retry-after=ignore attempt-timeout=900h", false, false, "200 2 " + takes},
		)
		if id != "p-retry" { // which has a jitter of its own, and no shift
			all = append(all,
				timerCase{id, "retry-after=ignore base=500h cap=none factor=2 shift=1", false, true, waited},
				timerCase{id, "retry-after=ignore base=500h cap=500h curve=constant jitter=scale:1.4..1.5", false, true, "200 2 1800000000"}, // cut to the cap
			)
		}
	}
	for _, id := range []string{"ky", "p-retry"} { // the others have no such timeout
		all = append(all, timerCase{id, "retry-after=ignore timeout=900h", false, false, "200 2"})
	}
	return all
}

// A timer of JavaScript that is longer than it takes is up at once: what should have come in a month is sent now. No export
// sets one, and Node warns of none.
func TestJavaScriptTimers(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	packages := nodePackages(t)
	dir := t.TempDir()
	if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	cases := timerCases()
	month, err := engine.ParsePolicy(month, engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"js/timers.mjs", dir}
	for i, c := range cases {
		f, _ := export.Get(c.id)
		p, err := engine.ParsePolicy(c.policy, month)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Export(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)+".mjs"), []byte(r.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, fmt.Sprint(i), c.id, strconv.FormatBool(c.asks), strconv.FormatBool(c.waits))
	}
	run := exec.CommandContext(t.Context(), node, args...)
	var errs bytes.Buffer
	run.Stderr = &errs
	if err := bound(run); err != nil {
		t.Fatal(err)
	}
	out, err := run.Output()
	if err != nil || errs.Len() > 0 {
		t.Errorf("%v: %s", err, errs.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(cases) {
		t.Fatalf("%d of %d cases came out: %s", len(lines), len(cases), out)
	}
	for i, c := range cases {
		if got := strings.TrimPrefix(lines[i], fmt.Sprint(i)+" "); got != c.want && !strings.HasPrefix(got, c.want+" ") {
			t.Errorf("%s %s: %s, want %s", c.id, c.policy, got, c.want)
		}
	}
}
