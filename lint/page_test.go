package lint_test

import (
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
)

// wellFormed checks what any page has to be: tables of even rows, no control bytes, one title, each section once.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	columns := 0
	seen := map[string]bool{}
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("a control byte in %q", line)
		}
		if strings.HasPrefix(line, "#") {
			if seen[line] {
				t.Errorf("%q twice", line)
			}
			seen[line] = true
		}
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		n := strings.Count(line, "|")
		if columns == 0 {
			columns = n
		}
		if n != columns {
			t.Errorf("a row of %d in a table of %d: %q", n, columns, line)
		}
	}
	if !strings.HasPrefix(page, "# ") || strings.Count("\n"+page, "\n# ") != 1 || !strings.HasSuffix(page, "\n") {
		t.Errorf("no page: %q", page[:min(len(page), 80)])
	}
	for _, bad := range []string{"%!", "\n\n\n", "<nil>"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q in the page", bad)
		}
	}
}

func TestPagesAreWellFormed(t *testing.T) {
	t.Parallel()
	against := lint.Subject{Name: "default", Policy: engine.Default(), Preset: "default"}
	for _, p := range presets.All() {
		s := lint.Subject{Name: p.ID, Policy: p.Policy, Preset: p.ID}
		wellFormed(t, lint.Page(s, nil, lint.Context{}))
		wellFormed(t, lint.Page(s, &against, lint.Context{}))
		wellFormed(t, lint.Page(against, &s, lint.Context{}))
	}
}

// TestPageNamesAreHarmless: a name comes from a file's name, and neither ends a table nor begins a tag.
func TestPageNamesAreHarmless(t *testing.T) {
	t.Parallel()
	s := lint.Subject{Name: "a|b`c<script>\x1b[31m\nd", Policy: engine.Default()}
	o := lint.Subject{Name: "x|y", Policy: policy(t, "attempts=3")}
	page := lint.Page(s, &o, lint.Context{})
	wellFormed(t, page)
	if strings.ContainsAny(page, "<\x1b") {
		t.Error("the name came through")
	}
}

func TestAgainst(t *testing.T) {
	t.Parallel()
	sub := func(text string) *lint.Subject { return &lint.Subject{Name: text, Policy: policy(t, text)} }
	for _, c := range []struct {
		is, was   string
		want, not []string
	}{
		{"attempts=4", "attempts=4", []string{"Both are the same policy."}, []string{"| knob |"}},
		{
			"attempts=3 retry-on=503,decoding methods=GET", "attempts=4",
			[]string{
				"| attempts | 4 | 3 |", "- retried now: decoding\n", "- no longer retried: transport, timeout, invalid-response, 429, 5xx (not 501, 503, 505, 511)\n",
				"- methods no longer repeated: HEAD, OPTIONS, TRACE, PUT, DELETE\n", "- sends, fewest to most: 1 to 3, was 1 to 4\n",
				"- all own waits: 600ms, was 1.4s\n", "- without the timeout: 30.6s, was 41.4s\n", "- findings that are new: retries-decoding, no-429\n",
			},
			[]string{"are gone", "| base |"},
		},
		{
			"timeout=1m", "attempts=4",
			[]string{"- with the timeout: 1m, was no timeout\n", "- sends begun before the timeout: 4, was no timeout\n"},
			[]string{"retried now"},
		},
		{
			"retry-after=ignore", "timeout=1m",
			[]string{"every answer asking for the ceiling: Retry-After is not heard, was 2m10s\n", "- sends begun before the timeout: no timeout, was 4\n"},
			[]string{": none, was", ", was none"}, // which would read as 0
		},
		{"budget=ratio:20%/10", "attempts=4", []string{"| budget | none | ratio:20%/10 |", "- none of the figures below\n"}, nil},
	} {
		page := lint.Page(*sub(c.is), sub(c.was), lint.Context{})
		for _, w := range c.want {
			if !strings.Contains(page, w) {
				t.Errorf("%s against %s has no %q:\n%s", c.is, c.was, w, page)
			}
		}
		for _, w := range c.not {
			if strings.Contains(page, w) {
				t.Errorf("%s against %s has %q", c.is, c.was, w)
			}
		}
	}
}

// TestPageOfAChangedPreset: what a preset says of itself may be no longer so once a knob is turned, and the page says it.
func TestPageOfAChangedPreset(t *testing.T) {
	t.Parallel()
	p, _ := presets.Get("stripe-go")
	for _, c := range []struct{ change, want, not string }{
		{"", "It is the preset **stripe-go**: Stripe for Go. Its rule", "before what is changed"},
		{"", "What the policy cannot say of it:", "What that preset"},
		{" retry-after=at-least", "**stripe-go**: Stripe for Go. Of that, before what is changed here: Its rule", "It is the preset"},
		{" retry-after=at-least", "What that preset cannot say of the client:", "cannot say of it:"},
	} {
		s := lint.Subject{Name: "stripe-go" + c.change, Policy: p.Policy, Preset: p.ID}
		if c.change != "" {
			s.Policy.RetryAfter.Mode = engine.RetryAfterAtLeast
		}
		page := lint.Page(s, nil, lint.Context{})
		if !strings.Contains(page, c.want) || strings.Contains(page, c.not) {
			t.Errorf("%s: no %q, or %q:\n%s", s.Name, c.want, c.not, page[:min(len(page), 1500)])
		}
	}
}
