package export_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
)

// No export for JavaScript has a wait or a timeout that a timer cannot take, and what was cut to it is named.
func TestNoTimerIsTooLong(t *testing.T) {
	t.Parallel()
	const most = (1<<31 - 1) * time.Millisecond
	for _, text := range []string{
		"base=1000h cap=none", "base=10h cap=2000h factor=3", "attempts=unlimited cap=none", "base=400h cap=500h jitter=scale:0.5..1.5 curve=constant",
		"jitter=additive:700h", "curve=constant base=900h cap=none jitter=none", "least=700h cap=800h", "timeout=1000h attempt-timeout=900h",
		"ceiling=none retry-after=replace", "ceiling=2000h", "ceiling=20h over-ceiling=cut", "ceiling=2000h over-ceiling=cut retry-after=replace",
	} {
		p, err := engine.ParsePolicy(text, engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"got", "ky", "axios-retry", "p-retry"} {
			f, _ := export.Get(id)
			r, err := f.Export(p)
			if err != nil {
				t.Fatal(err)
			}
			c := r.Carried
			retries := min(c.Attempts-1, 500)
			for range 30 {
				if _, hi := c.Bounds(1 + rand.IntN(retries)); hi > most { //nolint:gosec // any retry will do
					t.Errorf("%s of %s waits %s", id, text, hi)
				}
			}
			if c.Timeout > most || c.AttemptTimeout > most {
				t.Errorf("%s of %s: timeouts %s and %s", id, text, c.Timeout, c.AttemptTimeout)
			}
			if c.RetryAfter.Mode != engine.RetryAfterIgnore && c.Ceiling > most {
				t.Errorf("%s of %s waits %s for a server", id, text, c.Ceiling)
			}
			ceiling, _ := p.Get("ceiling")
			if c.Ceiling == most && !strings.Contains(r.Text, "NOT CARRIED: ceiling="+ceiling+": written as 596h31m23.647s") {
				t.Errorf("%s of %s does not name it:\n%s", id, text, r.Text)
			}
		}
	}
}

// A ceiling to which longer waits are cut is carried by clients that cut.
func TestCeilingThatCuts(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"ky": "maxRetryAfter: 20000,", "axios-retry": "Math.min(server, 20000)"} {
		p, err := engine.ParsePolicy("retry-after=replace ceiling=20s over-ceiling=cut", engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		f, _ := export.Get(id)
		r, err := f.Export(p)
		if err != nil || !strings.Contains(r.Text, want) || strings.Contains(strings.Join(r.Lost, "\n"), "ceiling") {
			t.Errorf("%s: %v\n%s", id, err, r.Text)
		}
	}
}
