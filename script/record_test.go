package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/script"
)

func TestFromAnswers(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	tests := []struct {
		name    string
		answers []script.Answer
		want    string
		inexact []string // parts of the notes
	}{
		{
			name: "a run", want: "503 x2 latency=80.123ms, 429 after=2 latency=90ms, reset latency=40ms, hang, 200 latency=1ms",
			answers: []script.Answer{
				{Kind: "status", Status: 503, Latency: 80*ms + 123456},
				{Kind: "status", Status: 503, Latency: 80*ms + 122999},
				{Kind: "status", Status: 429, After: set("2"), Date: set("Thu, 01 Jan 2026 00:00:00 GMT"), Latency: 90 * ms},
				{Kind: "transport", Cause: "reset", Latency: 40 * ms},
				{Kind: "timeout", Latency: time.Second},
				{Kind: "success", Status: 200, Latency: ms},
			},
		},
		{
			name: "not in a row", want: "503, 200, 503",
			answers: []script.Answer{{Kind: "status", Status: 503}, {Kind: "success", Status: 200}, {Kind: "status", Status: 503}},
		},
		{
			name: "a Retry-After that is a date keeps its Date", want: `503 after="Thu, 01 Jan 2026 00:00:09 GMT" date="Thu, 01 Jan 2026 00:00:00 GMT"`,
			answers: []script.Answer{{Kind: "status", Status: 503, After: set("Thu, 01 Jan 2026 00:00:09 GMT"), Dated: true, Date: set("Thu, 01 Jan 2026 00:00:00 GMT")}},
		},
		{
			name: "and without one depends on the clock", want: `503 after="Thu, 01 Jan 2026 00:00:09 GMT"`,
			inexact: []string{"answer 1 as 503: Retry-After is a date without a Date"},
			answers: []script.Answer{{Kind: "status", Status: 503, After: set("Thu, 01 Jan 2026 00:00:09 GMT"), Dated: true}},
		},
		{
			name: "what nobody can read depends on nothing", want: `503 after=soon, 503 after="7\u202e", 503 header="X-Ratelimit-Reset: soon"`,
			answers: []script.Answer{
				{Kind: "status", Status: 503, After: set("soon")},
				{Kind: "status", Status: 503, After: set("7\u202e"), Date: set("Thu, 01 Jan 2026 00:00:00 GMT")},
				{Kind: "status", Status: 503, Hints: []script.Header{{Name: "X-Ratelimit-Reset", Value: "soon"}}},
			},
		},
		{
			name: "blank and padded", want: `503 after=, 503 after="  7 "`,
			answers: []script.Answer{{Kind: "status", Status: 503, After: set("")}, {Kind: "status", Status: 503, After: set("  7 ")}},
		},
		{
			name: "hostile", want: `503 after="\x1b]52;c;\a\", 200 #   \xff\u202e"`,
			answers: []script.Answer{{Kind: "status", Status: 503, After: set("\x1b]52;c;\a\", 200 #\r\n\x00\xff\u202e"), Date: set(",x")}},
		},
		{
			name: "broken connections", want: "dns, refused, tls, reset, eof, refused x2, reset x3, refused",
			answers: []script.Answer{
				{Kind: "transport", Cause: "dns", Permanent: true, NotSent: true},
				{Kind: "transport", Cause: "refused", NotSent: true},
				{Kind: "transport", Cause: "tls", Permanent: true, NotSent: true},
				{Kind: "transport", Cause: "reset"},
				{Kind: "transport", Cause: "closed"},
				{Kind: "transport", Cause: "unreachable", NotSent: true},
				{Kind: "transport", Cause: "proxy", NotSent: true},
				{Kind: "transport", Cause: "http2"},
				{Kind: "transport"},
				{Kind: "transport", Cause: "gremlins"},
				{Kind: "transport", Cause: "dns", NotSent: true},
			},
			inexact: []string{
				"answer 6 as refused: the cause was unreachable", "answer 7 as refused: the cause was proxy", "answer 8 as reset: the cause was http2",
				"answer 9 as reset: why it failed is not known", "answer 10 as reset: the cause was gremlins", "answer 11 as refused: dns that may heal",
			},
		},
		{
			name: "it heals or not, and was sent or not", want: "tls x2, refused x2, reset x2, refused, dns, tls, hang x2",
			answers: []script.Answer{
				{Kind: "transport", Cause: "proxy", Permanent: true, NotSent: true},
				{Kind: "transport", Cause: "bad-request", Permanent: true, NotSent: true},
				{Kind: "transport", Cause: "tls", NotSent: true},
				{Kind: "transport", Cause: "reset", NotSent: true},
				{Kind: "transport", Cause: "refused"},
				{Kind: "transport", Cause: "tls"},
				{Kind: "transport", Cause: "closed", NotSent: true},
				{Kind: "transport", Cause: "dns", Permanent: true},
				{Kind: "transport", Cause: "body", Permanent: true},
				{Kind: "timeout", NotSent: true},
				{Kind: "timeout", Early: true},
			},
			inexact: []string{
				"answer 1 as tls: the cause was proxy", "answer 2 as tls: the cause was bad-request", "answer 3 as refused: tls that may heal",
				"answer 4 as refused: reset before anything was sent", "answer 5 as reset: refused after something was sent", "answer 6 as reset: tls that may heal",
				"answer 7 as refused: closed before", "answer 8 as dns: dns after", "answer 9 as tls: the cause was body",
				"answer 10 as hang: it timed out before anything was sent", "answer 11 as hang: no limit of the policy ended it",
			},
		},
		{
			name: "redirects that go round or nowhere", want: `302 x20 latency=8ms header="Location: /", 302 latency=3ms header="Location: about:blank", garbage, 503`,
			answers: []script.Answer{
				{Kind: "invalid-response", Cause: "redirect-loop", Permanent: true, Latency: 80 * ms},
				{Kind: "invalid-response", Cause: "redirect-loop", Permanent: true, Latency: 80 * ms},
				{Kind: "invalid-response", Cause: "malformed", Permanent: true, Latency: 3 * ms},
				{Kind: "invalid-response", Cause: "malformed", Status: 200},
				{Kind: "status", Status: 503},
			},
			inexact: []string{"answer 4 as garbage: it began with status 200"},
		},
		{
			name: "broken answers", want: "cut, garbage x2, badjson, cut after=1",
			answers: []script.Answer{
				{Kind: "invalid-response", Cause: "cut", Status: 200},
				{Kind: "invalid-response", Cause: "malformed"},
				{Kind: "invalid-response"},
				{Kind: "decoding", Status: 200},
				{Kind: "invalid-response", Cause: "cut", Status: 503, After: set("1")},
			},
			inexact: []string{"answer 3 as garbage: what was wrong with it is not known", "answer 5 as cut: its status was 503"},
		},
		{
			name: "nothing stands for it", want: "hang, badjson, tls, 400, 200, badjson",
			answers: []script.Answer{
				{Kind: engine.KindCancelled.String()},
				{Kind: "unknown"},
				{Kind: "unknown", Cause: "bad-request", NotSent: true},
				{Kind: "status", Status: 999},
				{Kind: "success", Status: 0},
				{Kind: "no such kind"},
			},
			inexact: []string{"answer 1 as hang", "answer 2 as badjson", "answer 3 as tls", "answer 4 as 400: a script has no status 999", "answer 6 as badjson"},
		},
		{
			name: "latencies out of range", want: "503, 503 latency=8760h0m0s",
			answers: []script.Answer{{Kind: "status", Status: 503, Latency: -1}, {Kind: "status", Status: 503, Latency: 1 << 62}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := script.FromAnswers(tt.answers)
			if s == nil {
				t.Fatal("no script")
			}
			if s.String() != tt.want {
				t.Errorf("%s\nwant %s", s, tt.want)
			}
			notes := script.Inexact(tt.answers)
			if len(notes) != len(tt.inexact) {
				t.Fatalf("%q", notes)
			}
			for i, part := range tt.inexact {
				if !strings.Contains(notes[i], part) {
					t.Errorf("%q does not say %q", notes[i], part)
				}
				if len(notes[i]) > 64 { // with a few words before it, a line of 80
					t.Errorf("%q is %d long", notes[i], len(notes[i]))
				}
			}
		})
	}
	if s := script.FromAnswers(nil); s != nil {
		t.Errorf("of nothing: %v", s)
	}
}

// Every kind and every cause the engine has was thought of: a new one has to be
// put here, and so into the table.
func TestFromAnswersKnowsTheEngine(t *testing.T) {
	t.Parallel()
	kinds := map[engine.Kind]string{
		engine.KindSuccess: "503", engine.KindStatus: "503", engine.KindTransport: "reset", engine.KindTimeout: "hang",
		engine.KindInvalidResponse: "cut", engine.KindDecoding: "badjson", engine.KindCancelled: "hang", engine.KindUnknown: "badjson",
	}
	for kind := engine.Kind(0); kind.String() != engine.Kind(255).String(); kind++ {
		got := script.FromAnswers([]script.Answer{{Kind: kind.String(), Status: 503}}).String()
		if want, known := kinds[kind]; !known || got != want {
			t.Errorf("%v: %s, want %s", kind, got, want)
		}
	}
	causes := map[engine.Cause]string{
		engine.CauseDNS: "dns", engine.CauseRefused: "refused", engine.CauseTLS: "tls", engine.CauseReset: "reset", engine.CauseClosed: "eof",
		engine.CauseUnreachable: "refused", engine.CauseProxy: "refused", engine.CauseHTTP2: "reset", engine.CauseRequest: "tls", engine.CauseBody: "tls",
		// Not of a connection; where one is said to be, its connection broke.
		engine.CauseCut: "reset", engine.CauseMalformed: "reset", engine.CauseRedirectLoop: "reset",
	}
	for _, cause := range engine.Causes() {
		a := script.Answer{Kind: engine.KindTransport.String(), Cause: cause.String()}
		switch causes[cause] {
		case "dns", "tls":
			a.Permanent, a.NotSent = true, true
		case "refused":
			a.NotSent = true
		}
		got := script.FromAnswers([]script.Answer{a}).String()
		if want, known := causes[cause]; !known || got != want {
			t.Errorf("%v: %s, want %s", cause, got, want)
		}
	}
}

// Whatever a server says, a script comes of it that has as many answers.
func FuzzFromAnswers(f *testing.F) {
	f.Add("status", "", 503, int64(80_000_000), "2", "Thu, 01 Jan 2026 00:00:00 GMT", true)
	f.Add("transport", "reset", 0, int64(-5), "\r\n", "", false)
	f.Add("invalid-response", "redirect-loop", 0, int64(80_000_000), "", "", false)
	f.Add("invalid-response", "cut", 503, int64(1<<62), "a \"b\\", "\x00\xff", true)
	f.Fuzz(func(t *testing.T, kind, cause string, status int, latency int64, after, date string, given bool) {
		a := script.Answer{
			Kind: kind, Cause: cause, Status: status, Latency: time.Duration(latency),
			After: script.Value{Text: after, Set: given}, Date: script.Value{Text: date, Set: given},
		}
		b := script.Answer{Kind: "status", Status: 418}
		s := script.FromAnswers([]script.Answer{a, a, b})
		if s == nil {
			t.Fatal("no script")
		}
		if first, last := s.Step(0), s.Step(s.Len()-1); s.Len() > 2 || s.Len() == 2 && first.Count != 2 && first.Count != 20 || last.Answer() != "418" {
			t.Fatalf("%s", s)
		}
		printable(t, s.String())
	})
}
