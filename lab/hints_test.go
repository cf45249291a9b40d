package lab_test

import (
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// A wait asked for in another header than Retry-After is one and the same on the wire, in the script, in a script made of
// the record, and in the record read back, which says where it came from.
func TestHintsAgree(t *testing.T) {
	t.Parallel()
	const policyText = quick + "retry-after=replace hints=retry-after-ms,x-amz-retry-after,ratelimit-reset,x-ratelimit-reset"
	for _, c := range []struct {
		script string
		from   engine.HintHeader
		state  engine.HintState
		wait   time.Duration
		line   string // in the record
		lines  uint8  // that differ
	}{
		{`503 after=7 header="Retry-After-Ms: 12"`, engine.HeaderRetryAfterMS, engine.HintWait, 12 * time.Millisecond, `"retry_after":"7","hint":{"header":"retry-after-ms","value":"12"}`, 0},
		{`503 header="x-amz-retry-after: 3"`, engine.HeaderXAmzRetryAfter, engine.HintWait, 3 * time.Millisecond, `"hint":{"header":"x-amz-retry-after","value":"3"}`, 0},
		{`429 header="RateLimit-Reset: 0"`, engine.HeaderRateLimitReset, engine.HintWait, 0, `"hint":{"header":"ratelimit-reset","value":"0"}`, 0},
		{
			`429 date="Thu, 01 Jan 2026 12:00:00 GMT" header="X-RateLimit-Reset: 1767268801"`, engine.HeaderXRateLimitReset, engine.HintWait, time.Second,
			`"hint":{"header":"x-ratelimit-reset","value":"1767268801"}`, 0,
		},
		{`429 date="Thu, 01 Jan 2026 12:00:00 GMT" header="X-RateLimit-Reset: 5"`, engine.HeaderRetryAfter, engine.HintNone, 0, "", 0},
		{`503 header="Retry-After-Ms: soon"`, engine.HeaderRetryAfterMS, engine.HintUnreadable, 0, `"hint":{"header":"retry-after-ms","value":"soon"},"retry_after_unreadable":true`, 0},
		{`503 after=0 header="Retry-After-Ms: soon"`, engine.HeaderRetryAfter, engine.HintWait, 0, `"retry_after":"0"`, 0},
		{`503 header="Retry-After: 0" header="Retry-After: 0"`, engine.HeaderRetryAfter, engine.HintWait, 0, `"retry_after":"0"`, 0},
		{`503 after=0 header="Retry-After: 20"`, engine.HeaderRetryAfter, engine.HintUnreadable, 0, `"retry_after":"0, 20","retry_after_unreadable":true,"retry_after_lines":2`, 2},
		{`503 header="Retry-After: 20" header="retry-after: 0" header="Retry-After: 20"`, engine.HeaderRetryAfter, engine.HintUnreadable, 0, `"retry_after":"20, 0, 20","retry_after_unreadable":true,"retry_after_lines":3`, 3},
		{`503 header="Retry-After-Ms: 9" header="Retry-After-Ms: 9"`, engine.HeaderRetryAfterMS, engine.HintWait, 9 * time.Millisecond, `"hint":{"header":"retry-after-ms","value":"9"}`, 0},
		{`503 header="Retry-After-Ms: 9" header="Retry-After-Ms: 8"`, engine.HeaderRetryAfterMS, engine.HintUnreadable, 0, `"hint":{"header":"retry-after-ms","value":"9, 8"},"retry_after_unreadable":true,"retry_after_lines":2`, 2},
		{`503 after=0 header="Retry-After-Ms: 9" header="Retry-After-Ms: 8"`, engine.HeaderRetryAfter, engine.HintWait, 0, `"retry_after":"0"`, 0},
	} {
		t.Run(c.script, func(t *testing.T) {
			t.Parallel()
			full := c.script + ", 200"
			wire := request(t, lab.Request{URL: served(t, full)}, policyText, nil)
			scripted := lab.Scripted(config(t, full, policyText))
			again := lab.Scripted(config(t, lab.ToScript(wire), policyText))
			if len(lab.Inexact(wire)) != 0 {
				t.Errorf("inexact: %v", lab.Inexact(wire))
			}
			back, err := trace.Read(strings.NewReader(jsonOf(t, wire)))
			if err != nil {
				t.Fatal(err)
			}
			want := engine.Hint{State: c.state, From: c.from, Wait: c.wait, Lines: c.lines}
			for name, tr := range map[string]*trace.Trace{"wire": wire, "scripted": scripted, "made of it": again, "read back": back} {
				if len(tr.Attempts) != 2 {
					t.Fatalf("%s: %d attempts: %s", name, len(tr.Attempts), tr.Done.Err)
				}
				a := &tr.Attempts[0]
				if a.Outcome.Hint != want {
					t.Errorf("%s: %+v, want %+v", name, a.Outcome.Hint, want)
				}
				if a.Hint() != wire.Attempts[0].Hint() || c.from != engine.HeaderRetryAfter && a.Hint() == "" {
					t.Errorf("%s: the header is %q", name, a.Hint())
				}
				if text := jsonOf(t, tr); !strings.Contains(text, c.line) || strings.Contains(text, `"hint"`) != (c.from != engine.HeaderRetryAfter) {
					t.Errorf("%s: no %s in\n%s", name, c.line, text)
				}
			}
		})
	}
}

// A reset time without a Date beside it depends on the clock, and a script made of it says so.
func TestHintWithoutADate(t *testing.T) {
	t.Parallel()
	tr := lab.Scripted(config(t, `429 header="X-RateLimit-Reset: 5", 200`, "hints=x-ratelimit-reset"))
	if notes := lab.Inexact(tr); len(notes) != 1 || !strings.Contains(notes[0], "X-Ratelimit-Reset is a time without a Date") {
		t.Errorf("notes %q", notes)
	}
}
