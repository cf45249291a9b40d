package cli

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

func scripted(t *testing.T, text string) (*plan, *trace.Trace) {
	t.Helper()
	s, err := script.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p := &plan{scriptText: text, policyName: "default", policyBase: engine.Default()}
	p.config = lab.Config{Policy: engine.Default(), Script: s, Draw: 0.5, CancelAt: never, SignOutAt: never, Seed: 7}
	return p, lab.Scripted(p.config)
}

// A check that failed is told of, with what broke it.
func TestTextTellsOfAFailedCheck(t *testing.T) {
	t.Parallel()
	p, tr := scripted(t, "503, 200")
	text := func() string {
		var b strings.Builder
		(&printer{w: &b}).text(&Env{Getenv: func(string) string { return "" }}, tr, p, &flags{})
		return b.String()
	}
	if s := text(); strings.Contains(strings.ToLower(s), "check") {
		t.Errorf("a check is told of that did not fail:\n%s", s)
	}
	tr.Checks.NoEarlyRetry = false
	tr.Broken = []string{"attempt 2 began\x1b[2J 5ms early"}
	s := text()
	if !strings.Contains(s, "no_early_retry") || !strings.Contains(s, "5ms early") || strings.Contains(s, "\x1b") {
		t.Errorf("the failed check:\n%s", s)
	}
}

// deaf is a writer that fails after some bytes.
type deaf struct{ left int }

var errDeaf = errors.New("nobody listens")

func (d *deaf) Write(b []byte) (int, error) {
	if d.left -= len(b); d.left < 0 {
		return 0, errDeaf
	}
	return len(b), nil
}

// Output that cannot be written is no success.
func TestOutputThatFails(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"run"},
		{"run", "--json"},
		{"presets"},
		{"presets", "carom"},
		{"presets", "--json"},
		{"version"},
		{"completion", "bash"},
		{"completion", "zsh"},
		{"completion", "fish"},
		{"completion", "powershell"},
	} {
		for _, left := range []int{0, 10} {
			var errs strings.Builder
			code := Main(t.Context(), Env{Args: args, Stdin: strings.NewReader(""), Stdout: &deaf{left}, Stderr: &errs, Getenv: func(string) string { return "" }})
			if code != ExitFailed || !strings.Contains(errs.String(), errDeaf.Error()) {
				t.Errorf("%q after %d bytes: exit %d, %s", args, left, code, errs.String())
			}
		}
	}
}

// TestLongRunEnds runs what never heals until it is given up, and prints what fits on a page of it.
func TestLongRunEnds(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	code := Main(t.Context(), Env{
		Args:  []string{"run", "--script", "503", "--attempts", "unlimited"},
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard, Getenv: func(string) string { return "" },
	})
	if code != ExitFailed {
		t.Errorf("exit %d", code)
	}
	if n := strings.Count(out.String(), "\n"); n > 100 {
		t.Errorf("%d lines", n)
	}
}

func TestUTF8Locale(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "en_US.UTF-8"}, true},
		{map[string]string{"LANG": "en_US.utf8"}, true},
		{map[string]string{"LANG": "en_US.ISO-8859-1"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.UTF-8"}, true},
		{map[string]string{"LANG": "C.UTF-8", "LC_ALL": "POSIX"}, false},
	} {
		if got := utf8Locale(func(k string) string { return tc.env[k] }); got != tc.want {
			t.Errorf("%v: %v", tc.env, got)
		}
	}
}

// Every knob has a flag with words of its own, and every flag a place in the help.
func TestHelpIsWhole(t *testing.T) {
	t.Parallel()
	for _, k := range knobs() {
		if k.help == "" || k.word == "" || k.help == "the knob "+k.name {
			t.Errorf("%s has no words", k.name)
		}
	}
	var helps strings.Builder
	for _, args := range [][]string{{"help"}, {"help", "run"}, {"help", "serve"}, {"help", "dist"}} {
		Main(t.Context(), Env{Args: args, Stdout: &helps, Stderr: io.Discard, Getenv: func(string) string { return "" }})
	}
	for _, g := range flagGroups {
		for _, name := range g.names {
			if !strings.Contains(helps.String(), "--"+name+" ") {
				t.Errorf("--%s stands in no help", name)
			}
		}
	}
}

// Every knob has its words in help policy, with an example that is one and a default that is the default's.
func TestPolicyTopic(t *testing.T) {
	t.Parallel()
	topic := policyTopic()
	d := engine.Default()
	for _, name := range engine.Fields() {
		i := slices.IndexFunc(knobTopics, func(k knobTopic) bool { return k.name == name })
		if i < 0 {
			t.Errorf("%s has no words", name)
			continue
		}
		p, err := engine.ParsePolicy(knobTopics[i].example, d)
		if err != nil || p == d || !strings.HasPrefix(knobTopics[i].example, name+"=") {
			t.Errorf("%s: the example %q is none: %v", name, knobTopics[i].example, err)
		}
		if now, _ := d.Get(name); !strings.Contains(topic, "\n"+name+" ") || !strings.Contains(strings.Join(strings.Fields(topic), " "), "Default "+now+". Example: "+knobTopics[i].example) {
			t.Errorf("%s is not told of", name)
		}
	}
	if n := len(knobTopics); n != len(engine.Fields()) {
		t.Errorf("%d topics for %d knobs", n, len(engine.Fields()))
	}
}

// Every outcome of a script is in its help, and every kind, cause and reason of the engine in those of policy and events.
func TestTopicsAreWhole(t *testing.T) {
	t.Parallel()
	words := []string{"latency=", "after=", "date=", "header=", "reason=", "body="}
	for k := script.Refused; k <= script.Hang; k++ {
		words = append(words, (script.Step{Kind: k}).Answer())
	}
	for _, w := range words {
		if !strings.Contains(scriptTopic, w) {
			t.Errorf("help script lacks %q", w)
		}
	}
	topic := policyTopic()
	for _, c := range engine.Causes() {
		if !strings.Contains(topic, c.String()) {
			t.Errorf("help policy lacks the cause %v", c)
		}
	}
	for _, k := range engine.RetryKinds() {
		if !strings.Contains(topic, k.String()) || !strings.Contains(eventsTopic, k.String()) {
			t.Errorf("a help lacks the kind %v", k)
		}
	}
	for r := engine.ReasonCancelled; r <= engine.ReasonNoLimit; r++ {
		if !strings.Contains(eventsTopic, r.String()) {
			t.Errorf("help events lacks the reason %v", r)
		}
	}
	for _, text := range []string{scriptTopic, topic, eventsTopic} {
		for line := range strings.Lines(text) {
			if n := len([]rune(line)); n > helpWidth+1 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}

// What is neither a command nor a URL is answered with every command there is.
func TestEveryCommandIsNamed(t *testing.T) {
	t.Parallel()
	err := checkURL("nosuch")
	for _, name := range []string{"run", "serve", "presets", "export", "import", "lint", "explain", "completion", "version", "help"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named: %v", name, err)
		}
	}
}
