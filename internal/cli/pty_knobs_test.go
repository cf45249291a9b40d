//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
)

// knobKeys are the rows of the policy pane, in its order, and the keys that change what is in focus there.
var knobKeys = []struct{ field, keys string }{
	{"attempts", right},
	{"base", right},
	{"cap", "H" + right}, // down to where it counts
	{"jitter", right},
	{"retry-after", right},
	{"timeout", "\x1b[D"},
	{"attempt-timeout", "\x1b[D"},
	{"retry-on", enter + right + " " + enter}, // timeouts are tried no more
	{"factor", right},
	{"curve", right},
	{"methods", right},
	{"budget", right},
	{"ceiling", "\x1b[D"},
	{"spread", right},
	{"hints", right},
	{"cap-stage", right},
	{"least", right},
	{"shift", right},
	{"first", right},
	{"throttle-base", right},
	{"retry-after-on", right},
	{"required-on", right},
	{"reads", right},
	{"over-ceiling", right},
	{"unsent", right},
	{"throttle-cost", right},
	{"timeout-cost", right},
}

// label is the figure beside a drawn wait.
var label = regexp.MustCompile(`(?:◆|Retry-After)[░╎ ]* ?([0-9.]+(?:ms|s|m|h)[0-9a-z]*)`)

func labels(picture string) []string {
	var out []string
	for _, m := range label.FindAllStringSubmatch(picture, -1) {
		out = append(out, m[1])
	}
	return out
}

// TestPtyKnobs turns each knob of the policy, copies the policy, writes the run, and holds both against run under what was
// copied: the same events, and the same picture.
func TestPtyKnobs(t *testing.T) {
	t.Parallel()
	fields := engine.Fields()
	for _, k := range knobKeys {
		i := slices.Index(fields, k.field)
		if i < 0 {
			t.Fatalf("%s is no knob", k.field)
		}
		fields = slices.Delete(fields, i, i+1)
	}
	if len(fields) > 0 {
		t.Fatalf("knobs that are not turned: %v", fields)
	}
	for i, k := range knobKeys {
		t.Run(k.field, func(t *testing.T) {
			t.Parallel()
			testKnob(t, i, k.keys)
		})
	}
}

func testKnob(t *testing.T, at int, keys string) {
	t.Helper()
	const script = "503, 429 after=2, hang, reset, 503 x2, 429 after=20, 503"
	home := t.TempDir()
	env := append(environment(t), "XDG_STATE_HOME="+home)
	source := []string{"--script", script, "--seed", "11", "--attempts", "8"}
	c := newConsole(t, 160, 50).start(env, source...)
	c.see("‹ 8 ›", "attempts of 8")
	c.keys(strings.Repeat(down, at))
	before := c.settle()
	c.keys(keys)
	c.await("another screen", func(s string) bool { return s != before && !strings.Contains(s, "┌─") })

	c.keys("y").see("copied to the clipboard")
	copied, err := os.ReadFile(filepath.Join(home, "retryscope", "copied.txt"))
	if err != nil {
		t.Fatal(err)
	}
	c.keys("w").see("Save the policy")
	c.keys("\t").see("Write the run")
	run := filepath.Join(home, "run.jsonl")
	c.keys("\x15" + run + enter).unsee("Write the run")
	c.await("the run", func(string) bool { _, err := os.Stat(run); return err == nil })
	picture := c.screen()
	c.keys("q").exits(0)

	// As a shell would read it.
	policy := strings.Trim(strings.TrimSpace(string(copied)), "'")
	if policy == mustPolicy(t, "attempts=8").String() {
		t.Errorf("the knob did not turn: %s", policy)
	}
	args := append([]string{"run"}, source[:4]...)
	args = append(args, "--policy", policy)
	json := execute(t, append(args, "--json")...)
	want, err := parseEvents(json.out)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(run)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseEvents(string(data))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the screen ran\n%s\nand run\n%s", data, json.out)
	}
	if err := soundRun(got); err != nil {
		t.Error(err)
	}
	text := execute(t, args...)
	if shown, printed := labels(picture), labels(text.out); !slices.Equal(shown, printed) || len(printed) == 0 {
		t.Errorf("the screen shows the waits %v, and run %v\n%s\n%s", shown, printed, picture, text.out)
	}
}

func mustPolicy(t *testing.T, text string) *engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy(text, engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	return &p
}
