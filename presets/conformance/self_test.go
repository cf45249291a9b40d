package conformance

import (
	"net/http"
	"slices"
	"testing"

	"github.com/retryscope/retryscope/presets"
)

// TestWrongPresetIsFound: a client held against the preset of another differs, in just the checks that are told apart.
func TestWrongPresetIsFound(t *testing.T) {
	list := clients()
	find := func(preset string) client {
		for i := range list {
			if list[i].preset == preset {
				return list[i]
			}
		}
		t.Fatalf("no client %s", preset)
		return client{}
	}
	for _, c := range []struct {
		real, under string
		want        []string // some of the checks that have to be open
		fine        []string // some of those that must not be
	}{
		{"avast-retry-go-v5", "cenkalti-backoff-v5", []string{"wait 1", "wait 2", "wait 6", "clock"}, []string{"permanent"}},
		{"heimdall", "net-http-h1", []string{"broken connection", "refused connection"}, nil},
		{"cenkalti-backoff-v5", "failsafe-go-retrypolicy", []string{"attempts", "wait 1", "wait 2"}, nil},
		{"go-retryablehttp", "openai-go", []string{"attempts", "wait 1", "wait 2", "end", "statuses"}, []string{"methods", "Retry-After: 2"}},
		{"resty-v3", "go-retryablehttp", []string{"attempts", "wait 1", "methods"}, []string{"statuses", "Retry-After: 2"}},
		{"anthropic-sdk-go", "resty-v3", []string{"attempts", "statuses", "methods", "Retry-After: -5"}, []string{"Retry-After: 2"}},
	} {
		wrong := find(c.real)
		wrong.preset, wrong.named, wrong.fail = c.under, nil, status(http.StatusServiceUnavailable)
		tb := &table{failed: func(error) {}}
		check(t, tb, &wrong)
		var open []string
		for _, r := range tb.sorted() {
			if r.Verdict == verdictOpen {
				open = append(open, r.Check)
			}
		}
		for _, w := range c.want {
			if !slices.Contains(open, w) {
				t.Errorf("%s under %s: %s was taken for the same; open are %q", c.real, c.under, w, open)
			}
		}
		for _, f := range c.fine {
			if slices.Contains(open, f) {
				t.Errorf("%s under %s: %s is open", c.real, c.under, f)
			}
		}
	}
}

// TestJudge: only words of the preset itself make a difference a named one, and a name that is no longer needed is found.
func TestJudge(t *testing.T) {
	p := presets.Preset{Library: "x", Notes: "No jitter.", CannotSay: []string{"It reads whole seconds."}}
	for _, c := range []struct {
		words, verdict string
		same, fails    bool
	}{
		{"", verdictSame, true, false},
		{"whole seconds", verdictSame, true, true},
		{"", verdictOpen, false, true},
		{"whole minutes", verdictOpen, false, true},
		{"whole seconds", verdictNamed, false, false},
		{"No jitter", verdictNamed, false, false},
	} {
		r := row{}
		if err := r.judge(&p, c.words, c.same); (err != nil) != c.fails || r.Verdict != c.verdict {
			t.Errorf("%+v: %s, %v", c, r.Verdict, err)
		}
	}
}
