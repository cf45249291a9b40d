package cli

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
)

func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	code := Main(t.Context(), Env{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
	if code != 0 {
		t.Fatalf("%q: exit %d, %s", args, code, errs.String())
	}
	return out.String()
}

// The list names every preset once under its ecosystem, in aligned columns, and no line is too long or cut short.
func TestPresetsList(t *testing.T) {
	t.Parallel()
	text, left, ok := strings.Cut(printed(t, "presets"), "\n\n"+leftOutTitle+"\n")
	if !ok {
		t.Error("nothing is left out")
	}
	for _, m := range presets.LeftOut() {
		if !strings.Contains(strings.Join(strings.Fields(left), " "), m.Client+": "+m.Why) {
			t.Errorf("%s is left out and not named:\n%s", m.Client, left)
		}
	}
	lines := strings.Split(text, "\n")
	for line := range strings.Lines(left) {
		if n := utf8.RuneCountInString(line); n > listWidth+1 || !strings.HasPrefix(line, "  ") {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	at, group := 0, ""
	all := presets.All()
	var columns map[string]int
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > listWidth || line != strings.TrimRight(line, " ") {
			t.Errorf("%d columns: %q", n, line)
		}
		if line == "" || !strings.HasPrefix(line, " ") {
			group = line
			continue
		}
		if at == len(all) {
			t.Fatalf("too many lines: %q", line)
		}
		p := &all[at]
		at++
		if p.Ecosystem != group || !strings.HasPrefix(line, "  "+p.ID+" ") || !strings.HasSuffix(line, " "+p.Name) {
			t.Errorf("%s in %s, listed under %q: %q", p.ID, p.Ecosystem, group, line)
		}
		here := map[string]int{"name": utf8.RuneCountInString(line) - utf8.RuneCountInString(p.Name)}
		if columns == nil {
			columns = here
		}
		if here["name"] != columns["name"] {
			t.Errorf("out of line: %q", line)
		}
	}
	if at != len(all) {
		t.Errorf("%d of %d are listed", at, len(all))
	}
}

func TestPresetsJSON(t *testing.T) {
	t.Parallel()
	var list []map[string]any
	if err := json.Unmarshal([]byte(printed(t, "presets", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	if len(list) < 90 || len(list) != len(presets.All()) {
		t.Errorf("%d presets", len(list))
	}
	for _, p := range list {
		for _, field := range []string{"id", "name", "ecosystem", "library", "version", "source", "checked", "notes", "windows", "policy"} {
			if s, ok := p[field].(string); !ok || s == "" {
				t.Errorf("%v: no %s", p["id"], field)
			}
		}
		if _, ok := p["cannot_say"].([]any); !ok {
			t.Errorf("%v: cannot_say is %v", p["id"], p["cannot_say"])
		}
		if _, err := engine.ParsePolicy(p["policy"].(string), engine.Default()); err != nil {
			t.Errorf("%v: %v", p["id"], err)
		}
	}
}

// One preset is shown whole: its line, windows, rule, source, surprises, and what it cannot say.
func TestPresetsShow(t *testing.T) {
	t.Parallel()
	for _, p := range presets.All() {
		s := printed(t, "presets", p.ID)
		flat := strings.Join(strings.Fields(s), " ")
		wants := append([]string{p.ID + ": " + p.Name, p.Policy.String(), p.Source, p.Library + " " + p.Version, p.Notes, p.Evidence()}, p.CannotSay...)
		for _, want := range wants {
			if !strings.Contains(flat, want) {
				t.Errorf("%s does not show %q", p.ID, want)
			}
		}
		for _, line := range strings.Split(s, "\n") {
			if utf8.RuneCountInString(line) > listWidth && !strings.Contains(line, "attempts=") {
				t.Errorf("%s: %q", p.ID, line)
			}
		}
	}
	for id, wants := range map[string][]string{
		"azcore":                 {"640ms–1.04s → 1.6933–2.7516s", "replace, reads seconds, date, after retry-after-ms"},
		"curl":                   {"own waits    1s → 2s → 4s → 8s → 16s\n", "replace, reads seconds, date, old-date, ceiling 6h (cut)"},
		"got":                    {"1–1.1s → 2–2.1s\n", "replace, required on 413, ceiling 596h31m23.647s"},
		"default":                {"0–200ms → 0–400ms → 0–800ms\n", "at-least, ceiling 30s"},
		"requests":               {"no retries", "ignore"},
		"botocore-legacy":        {"0–1s → 0–2s → 0–4s → 0–8s\n"},
		"aws-full":               {"→ …"},
		"aws-sdk-go-v2-standard": {"own waits    0–50ms → 0–100ms\n", "after a 429  0–1s → 0–2s\n"},
	} {
		s := printed(t, "presets", id)
		for _, want := range wants {
			if !strings.Contains(s, want) {
				t.Errorf("%s does not show %q:\n%s", id, want, s)
			}
		}
	}
}

// A slash looks for a text: one that is found is shown whole, several are listed, and who has no preset is named.
func TestPresetsSearch(t *testing.T) {
	t.Parallel()
	for arg, wants := range map[string][]string{
		"/azcore":  {"azcore: Azure for Go\n", "own waits    640ms"},
		"/OCTOKIT": {"\n  octokit-retry ", "\n  octokit-throttling ", "\n" + leftOutTitle + "\n"},
		"/sidekiq": {leftOutTitle + "\n  Sidekiq 8.1.7 job retry: its curve"},
		"/":        {"\n  carom ", leftOutTitle},
		"/Swift":   {"Swift\n"},
		"/got":     {"\n  got ", "\n  got-14 "},
	} {
		s := printed(t, "presets", arg)
		for _, want := range wants {
			if !strings.Contains(s, want) {
				t.Errorf("%s does not show %q:\n%s", arg, want, s)
			}
		}
	}
	if s := printed(t, "presets", "/got"); strings.Contains(s, "carom") {
		t.Errorf("/got shows others:\n%s", s)
	}
	if s := printed(t, "presets", "/sidekiq", "--json"); s != "[]\n" {
		t.Errorf("no preset is %q", s)
	}
	for arg, want := range map[string]string{"/nosuch": `"nosuch" is no preset`, "/no/such": "policy file /no/such", "/nosuch.toml": "policy file /nosuch.toml"} {
		var errs strings.Builder
		code := Main(t.Context(), Env{Args: []string{"presets", arg}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs, Getenv: func(string) string { return "" }})
		if code != ExitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit %d, %s", arg, code, errs.String())
		}
	}
}

func TestPresetsUnknown(t *testing.T) {
	t.Parallel()
	var errs strings.Builder
	code := Main(t.Context(), Env{Args: []string{"presets", "retry-go"}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &errs, Getenv: func(string) string { return "" }})
	if code != ExitUsage || !strings.Contains(errs.String(), "avast-retry-go-v5") || len(errs.String()) > 300 {
		t.Errorf("exit %d, %s", code, errs.String())
	}
}

func TestWaitWords(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]string{
		"attempts=1":                                   "no retries",
		"attempts=2 base=0s":                           "0s",
		"attempts=3 base=1s jitter=none":               "1s → 2s",
		"attempts=3 base=1s jitter=full":               "0–1s → 0–2s",
		"attempts=2 base=1m jitter=full cap=2m":        "0–1m",
		"attempts=3 base=90s jitter=equal cap=1h":      "45s–1m30s → 1m30s–3m",
		"attempts=2 base=1s jitter=scale:1..1.0000001": "1s",
		"attempts=9 base=1s jitter=none cap=1m":        "1s → 2s → 4s → 8s → 16s → …",
		"attempts=2 base=1234567891ns jitter=none":     "1.2346s",
	} {
		p, err := engine.ParsePolicy(policy, engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		if got := windows(&p); got != want {
			t.Errorf("%s waits %s, not %s", policy, got, want)
		}
	}
	for policy, want := range map[string]string{"": "", "throttle-base=1s": "0–1s → 0–2s → 0–4s", "throttle-base=1s retry-on=503": "", "throttle-base=200ms": "", "attempts=1 throttle-base=1s": ""} {
		p, err := engine.ParsePolicy(policy, engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		if got := throttledWindows(&p); got != want {
			t.Errorf("%s waits %q after a 429, not %q", policy, got, want)
		}
		if got := windows(&p); p.Attempts > 1 && got != "0–200ms → 0–400ms → 0–800ms" {
			t.Errorf("%s waits %s else", policy, got)
		}
	}
	if got := shortWait(engine.Forever, 3); got != "none" {
		t.Errorf("an endless wait is %s", got)
	}
	if got := cut("abcdef", 4); got != "abc…" {
		t.Errorf("cut to %s", got)
	}
}

// TestDefaultNoteIsTrue: what the default preset says of an outage is what dist reckons of it.
func TestDefaultNoteIsTrue(t *testing.T) {
	t.Parallel()
	p, _ := presets.Get(presets.DefaultID)
	said := func(before, after string) float64 {
		_, rest, _ := strings.Cut(p.Notes, before)
		n, _, ok := strings.Cut(rest, after)
		v, err := strconv.ParseFloat(n, 64)
		if !ok || err != nil {
			t.Fatalf("no figure between %q and %q: %s", before, after, p.Notes)
		}
		return v / 100
	}
	for policy, says := range map[string]float64{
		"attempts=10":                     said("With attempts=10, ", " of 100 calls outlast an outage of 10 s"),
		"attempts=10 jitter=decorrelated": said("with decorrelated jitter ", " do."),
	} {
		var got struct {
			Lanes []struct {
				Success struct {
					Value float64 `json:"value"`
				} `json:"success"`
			} `json:"lanes"`
		}
		out := printed(t, "dist", "--policy", policy, "--outage", "10s", "--seed", "1", "--draws", "20000", "--json")
		if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Lanes) != 1 {
			t.Fatal(err, out)
		}
		if off := got.Lanes[0].Success.Value - says; off < -0.01 || off > 0.01 {
			t.Errorf("%s: the note says %.2f, dist %.4f", policy, says, got.Lanes[0].Success.Value)
		}
	}
}
