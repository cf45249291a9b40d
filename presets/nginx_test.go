package presets_test

import (
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
)

// What an nginx with two servers and nothing but proxy_pass sends to the second one: as nginx 1.22.1 did.
func TestNginxNextUpstream(t *testing.T) {
	t.Parallel()
	p, _, err := presets.Parse("nginx")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		outcome   engine.Outcome
		get, post bool
	}{
		{"nobody listens", engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseRefused, NotSent: true}, true, true},
		{"reset", engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseReset}, true, false},
		{"closed before an answer", engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseClosed}, true, false},
		{"no answer in time", engine.Outcome{Kind: engine.KindTimeout}, true, false},
		{"no HTTP", engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseMalformed}, false, false},
		{"cut short", engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseCut}, false, false},
		{"503", engine.Outcome{Kind: engine.KindStatus, Status: 503}, false, false},
	} {
		for method, want := range map[string]bool{"GET": c.get, "POST": c.post} {
			facts := engine.Facts{Allowance: engine.NoLimit, Sends: engine.NoLimit, Method: method, Safety: p.Safety(method, false)}
			state, d := p.Next(engine.State{}, &c.outcome, &facts, 0.5)
			if got := d.Verdict == engine.Retry; got != want || got && d.Wait != 0 {
				t.Errorf("%s %s: %v, want %v", method, c.name, d, want)
			}
			if want {
				if _, d = p.Next(state, &c.outcome, &facts, 0.5); d.Verdict == engine.Retry {
					t.Errorf("%s %s: a third server", method, c.name)
				}
			}
		}
	}
}
