package script_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/script"
)

// set is a value that was given.
func set(s string) script.Value { return script.Value{Text: s, Set: true} }

func status(code int) script.Step {
	return script.Step{Kind: script.Status, Status: code, Count: 1}
}

// with gives a step after a change.
func with(s script.Step, change func(*script.Step)) script.Step {
	change(&s)
	return s
}

func steps(s *script.Script) []script.Step {
	list := make([]script.Step, s.Len())
	for i := range list {
		list[i] = s.Step(i)
	}
	return list
}

func kind(k script.Kind) script.Step {
	s := script.Step{Kind: k, Count: 1}
	if k.Answers() {
		s.Status = 200
	}
	return s
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		text  string
		mode  script.Mode
		steps []script.Step
		print string // "" where it is the text
	}{
		{name: "one", text: "503", steps: []script.Step{status(503)}},
		{name: "borders of status", text: "200, 599", steps: []script.Step{status(200), status(599)}},
		{
			name: "as in the manual", text: "503 x2, 429 after=2 latency=80ms, reset, 200",
			steps: []script.Step{
				with(status(503), func(s *script.Step) { s.Count = 2 }),
				with(status(429), func(s *script.Step) { s.After, s.Latency = set("2"), 80*time.Millisecond }),
				kind(script.Reset), status(200),
			},
		},
		{
			name: "every outcome", text: "refused, dns, tls, reset, eof, cut, garbage, badjson, hang",
			steps: []script.Step{
				kind(script.Refused), kind(script.DNS), kind(script.TLS), kind(script.Reset), kind(script.EOF),
				kind(script.Cut), kind(script.Garbage), kind(script.BadJSON), kind(script.Hang),
			},
		},
		{
			name: "by time", text: "@0s 503, @3s 200 latency=1ms", mode: script.ByTime,
			steps: []script.Step{
				status(503),
				with(status(200), func(s *script.Step) { s.At, s.Latency = 3*time.Second, time.Millisecond }),
			},
		},
		{name: "a bare zero is a time", text: "@0 503", mode: script.ByTime, steps: []script.Step{status(503)}, print: "@0s 503"},
		{
			name: "by chance", text: "70% 200, 20% 503, 10% hang", mode: script.ByChance,
			steps: []script.Step{
				with(status(200), func(s *script.Step) { s.Share = 70_000_000 }),
				with(status(503), func(s *script.Step) { s.Share = 20_000_000 }),
				with(kind(script.Hang), func(s *script.Step) { s.Share = 10_000_000 }),
			},
		},
		{
			name: "decimals add up exactly", text: "33.3% 200, 33.3% 503, 33.300001% 429, 0.099999% reset, 0% eof", mode: script.ByChance,
			steps: []script.Step{
				with(status(200), func(s *script.Step) { s.Share = 33_300_000 }),
				with(status(503), func(s *script.Step) { s.Share = 33_300_000 }),
				with(status(429), func(s *script.Step) { s.Share = 33_300_001 }),
				with(kind(script.Reset), func(s *script.Step) { s.Share = 99_999 }),
				kind(script.EOF),
			},
		},
		{
			name: "every option, in any order",
			text: `503 body=oops header="X-A: b c" reason="Go away" date=now latency=1.5s after=7 x3 header=X-A:2`,
			steps: []script.Step{{
				Kind: script.Status, Status: 503, Count: 3, Latency: 1500 * time.Millisecond, After: set("7"), Date: set("now"),
				Reason: set("Go away"), Headers: []script.Header{{"X-A", "b c"}, {"X-A", "2"}}, Body: set("oops"),
			}},
			print: `503 x3 after=7 latency=1.5s date=now reason="Go away" header="X-A: b c" header="X-A: 2" body=oops`,
		},
		{
			name: "an empty value is not an absent one", text: "503 after=, 503 after=\"\", 503",
			steps: []script.Step{
				with(status(503), func(s *script.Step) { s.After = set("") }),
				with(status(503), func(s *script.Step) { s.After = set("") }), status(503),
			},
			print: "503 after=, 503 after=, 503",
		},
		{
			name: "a date in quotes", text: `429 after="Wed, 21 Oct 2026 07:28:00 GMT"`,
			steps: []script.Step{with(status(429), func(s *script.Step) { s.After = set("Wed, 21 Oct 2026 07:28:00 GMT") })},
		},
		{
			name: "blanks inside quotes stay", text: `429 after="  7	 "`,
			steps: []script.Step{with(status(429), func(s *script.Step) { s.After = set("  7\t ") })},
			print: `429 after="  7\t "`,
		},
		{
			name: "plain characters in bare values", text: `429 after=a"b\n#5=6;é, 200`,
			steps: []script.Step{with(status(429), func(s *script.Step) { s.After = set(`a"b\n#5=6;é`) }), status(200)},
		},
		{
			name: "escapes in quotes", text: `200 body="\"\\\n\r\t\x1b\xff\u202e# no comment"`,
			steps: []script.Step{with(status(200), func(s *script.Step) { s.Body = set("\"\\\n\r\t\x1b\xff\u202e# no comment") })},
		},
		{
			name: "control characters a wire carries", text: `503 after="\x1b[2J" reason="\a"`,
			steps: []script.Step{with(status(503), func(s *script.Step) { s.After, s.Reason = set("\x1b[2J"), set("\a") })},
		},
		{
			name: "broken UTF-8 is kept", text: "200 body=\xff, 200 body=\"\xff \"",
			steps: []script.Step{
				with(status(200), func(s *script.Step) { s.Body = set("\xff") }),
				with(status(200), func(s *script.Step) { s.Body = set("\xff ") }),
			},
			print: `200 body="\xff", 200 body="\xff "`,
		},
		{
			name:  "lines, comments, blank lines, commas at line ends",
			text:  "\ufeff# an outage\r\n503 x2 # twice\r\n\r\n429 after=1,# a hint\n\treset#now\n, 200,\n",
			steps: []script.Step{with(status(503), func(s *script.Step) { s.Count = 2 }), with(status(429), func(s *script.Step) { s.After = set("1") }), kind(script.Reset), status(200)},
			print: "503 x2, 429 after=1, reset, 200",
		},
		{
			name: "header values are kept but for one blank", text: `200 header="X:  a "`,
			steps: []script.Step{with(status(200), func(s *script.Step) { s.Headers = []script.Header{{"X", " a "}} })},
		},
		{
			name: "options of cut and badjson", text: `cut after=1 body="half of", badjson body=<html> date=, hang x2, reset latency=1ms`,
			steps: []script.Step{
				with(kind(script.Cut), func(s *script.Step) { s.After, s.Body = set("1"), set("half of") }),
				with(kind(script.BadJSON), func(s *script.Step) { s.Body, s.Date = set("<html>"), set("") }),
				with(kind(script.Hang), func(s *script.Step) { s.Count = 2 }),
				with(kind(script.Reset), func(s *script.Step) { s.Latency = time.Millisecond }),
			},
			print: `cut after=1 body="half of", badjson date= body=<html>, hang x2, reset latency=1ms`,
		},
		{
			name: "limits", text: "503 x1000000 latency=8760h", steps: []script.Step{with(status(503), func(s *script.Step) { s.Count, s.Latency = script.MaxCount, script.MaxDuration })},
			print: "503 x1000000 latency=8760h0m0s",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := script.Parse(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := steps(s); s.Mode() != tt.mode || !reflect.DeepEqual(got, tt.steps) {
				t.Errorf("by %v:\n%+v\nwant by %v:\n%+v", s.Mode(), got, tt.mode, tt.steps)
			}
			want := tt.print
			if want == "" {
				want = tt.text
			}
			if s.String() != want {
				t.Errorf("prints %s\nwant   %s", s, want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string // "step:line:column-end what", what by a part of it
	}{
		{"empty", "", []string{"1:1:1-1 the script is empty"}},
		{"only comments", " # 503\n", []string{"1:1:1-1 the script is empty"}},
		{"unknown word", "503, flaky, 200", []string{`2:1:6-11 "flaky" is no outcome`}},
		{"status out of range", "199, 600, 5030, 20", []string{"1:1:1-4 no status", "2:1:6-9 no status", "3:1:11-15 no status", "4:1:17-19 no status"}},
		{"all at once, over lines", "503 after\nnope\n200 latency=-1s delay=2s # x", []string{
			"1:1:5-10 after has no value", `2:2:1-5 "nope" is no outcome`, "3:3:5-16 negative", "3:3:17-25 here latency",
		}},
		{"two commas", "503,,200", []string{"2:1:5-6 no step before this comma"}},
		{"a comma first, over a line", "\n,503,\n, @0s 200", []string{"1:2:1-2 no step", "3:3:1-2 no step", "4:3:3-6 a step by time in a script by count"}},
		{"two outcomes", "503 200", []string{"1:1:5-8 a second outcome"}},
		{"options before outcome", "after=2 503, x2 503", []string{`1:1:1-8 "after=" stands before`, `2:1:14-16 "x2" stands before`}},
		{"twice", "503 x2 x3 after=1 after=1", []string{"1:1:8-10 xN is given twice", "1:1:19-26 after is given twice"}},
		{"count", "503 x0, 503 x1000001, 503 x99999999999999999999, 503 x-1", []string{
			"1:1:5-7 range", "2:1:13-21 range", "3:1:27-48 range", `4:1:54-57 "x-1" is no option`,
		}},
		{"below what there is", "@0s 503 latency=0.1ns, @0.9ns 200", []string{"1:1:9-22 below 1ns and not 0", "2:1:24-30 below 1ns and not 0"}},
		{"latency", "503 latency=, 503 latency=80, 503 latency=soon, 503 latency=8761h", []string{
			"1:1:5-13 it is empty", "2:1:19-29 it has no unit", "3:1:35-47 it is no duration", "4:1:53-66 longer than a year",
		}},
		{"options without effect", "reset after=1, hang latency=1s, refused body=x, dns header=a:b", []string{
			"1:1:7-14 reset has no answer", "2:1:21-31 hang never answers", "3:1:41-47 refused has no answer", "4:1:53-63 dns has no answer",
		}},
		{"line ends in headers", `503 after="a\nb" date="\r" reason="\x00" header="X: a\nb"`, []string{
			"1:1:5-17 after holds a line end", "1:1:18-27 date holds", "1:1:28-41 reason holds", "1:1:42-58 header holds",
		}},
		{"headers", `503 header=X header="X y: z" header=: header="content-length: 5"`, []string{
			"1:1:5-13 no header line", `1:1:14-29 "X y" is no header name`, `1:1:30-38 "" is no header name`, "1:1:39-65 is set from the body",
		}},
		{"quotes", `503 after="2, 200`, []string{"1:1:11-12 not closed"}},
		{"a quote before the outcome", `after="2 503`, []string{"1:1:7-8 not closed"}},
		{"no option is left", "@0s hang latency=1s", []string{"1:1:10-20 hang never answers"}},
		{"long words are cut short", strings.Repeat("ö", 50), []string{`1:1:1-51 "` + strings.Repeat("ö", 39) + `…" is no outcome`}},
		{"after the quote", `503 after="2"s, nope`, []string{`1:1:14-15 "s" follows`, "2:1:17-21 no outcome"}},
		{"escapes", `503 body="\q\xg1\"`, []string{"1:1:11-13 no such escape", "1:1:13-15 no such escape", "1:1:10-11 not closed"}},
		{"columns are runes", `503 reason="Größe" nö=1`, []string{`1:1:20-24 "nö" is no option`}},
		{"a body where none goes", "204 body=x, 304 body=x, 204 body=", []string{"1:1:5-11 a 204 has no body", "2:1:17-23 a 304 has no body"}},
		{"good JSON", "badjson body={}", []string{"1:1:9-16 good JSON"}},
		{"times", "@1s 503", []string{"1:1:1-4 nothing is said about the time before @1s"}},
		{"times rise", "@0s 503, @3s 200, @3s 503, @1s 200, @x 200, @4s", []string{
			"3:1:19-22 @3s is not after @3s", "4:1:28-31 @1s is not after @3s", `5:1:37-39 "@x" is no time`, `6:1:48-48 outcome is missing after "@4s"`,
		}},
		{"shares", "70% 200, 20% 503", []string{"2:1:10-17 the shares make 90%, not 100%"}},
		{"shares over", "70% 200, 30.000001% 503", []string{"2:1:10-24 the shares make 100.000001%"}},
		{"share forms", "% 200, 101% 200, 1.% 200, .5% 200, 1.0000001% 200, -1% 200, 1e1% 200, ٣% 200", []string{
			`1:1:1-2 "%"`, `2:1:8-12 "101%"`, `3:1:18-21 "1.%"`, `4:1:27-30 ".5%"`, `5:1:36-46 "1.0000001%"`, `6:1:52-55 "-1%"`, `7:1:61-65 "1e1%"`, `8:1:71-73 "٣%"`,
		}},
		{"modes do not mix", "503, @1s 200, 10% 200", []string{"2:1:6-9 by time in a script by count", "3:1:15-18 by chance in a script by count"}},
		{"count with time and chance", "@0s 503 x2\n@1s 200", []string{`1:1:9-11 "x2" counts requests, and this script goes by time`}},
		{"count with chance", "100% 503 x2, 200", []string{"1:1:10-12 goes by chance", "2:1:14-17 by count in a script by chance"}},
		{"control characters are shown escaped", "503 a\x1b[2J=1", []string{`1:1:5-12 "a\x1b[2J" is no option`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := script.Parse(tt.text)
			if s != nil || !errors.Is(err, script.ErrScript) {
				t.Fatalf("script %v, error %v", s, err)
			}
			checkFaults(t, err, tt.want)
		})
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"503, hang latency=1s": "step 2, column 11: hang never answers, so it has no latency; here may stand xN, a comma, a new line or the end",
		"503\nreset\n200 x0":   `step 3, line 3, column 5: "x0" is out of range; here may stand x1 to x1000000`,
		"nope\n": `step 1, column 1: "nope" is no outcome; here may stand ` +
			"an outcome: a status (200–599), refused, dns, tls, reset, eof, cut, garbage, badjson or hang",
	} {
		if _, err := script.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

func checkFaults(t *testing.T, err error, want []string) {
	t.Helper()
	faults := script.Faults(err)
	if len(faults) != len(want) {
		t.Fatalf("%d faults, want %d:\n%v", len(faults), len(want), err)
	}
	seen := map[string]int{}
	for _, f := range faults {
		at := position(f)
		seen[at]++
		found := false
		for _, w := range want {
			place, what, _ := strings.Cut(w, " ")
			found = found || place == at && strings.Contains(f.What, what)
		}
		if !found || f.Allowed == "" {
			t.Errorf("%s %s; allowed %q\nnot among %q", at, f.What, f.Allowed, want)
		}
	}
	if len(seen) != len(want) {
		t.Errorf("places %v, want one fault at each", seen)
	}
}
