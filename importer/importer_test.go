package importer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/importer"
	"github.com/retryscope/retryscope/presets"
)

func read(t *testing.T, id, text string) (importer.Result, error) {
	t.Helper()
	f, ok := importer.Get(id)
	if !ok {
		t.Fatalf("no format %s", id)
	}
	return f.Read(text)
}

func TestRead(t *testing.T) {
	t.Parallel()
	const curl = "base=1s cap=10m jitter=none retry-after=replace reads=seconds,date,old-date ceiling=6h over-ceiling=cut attempt-timeout=none methods=any "
	const transient = "retry-on=timeout,dns,408,429,500,502-504,522,524"
	tests := []struct {
		name, id, text, policy string
		ignored                []string
	}{
		{"the line", "line", "carom attempts=6\n", mustPreset(t, "carom", "attempts=6"), nil},
		{
			"curl's own", "curl", "curl --retry 5 --retry-delay 2 --retry-max-time 60 https://example.test/",
			"attempts=6 base=2s cap=none curve=constant timeout=62s jitter=none retry-after=replace reads=seconds,date,old-date ceiling=1m attempt-timeout=none methods=any " + transient,
			[]string{"--retry-max-time: curl begins no wait after 1m, which timeout=1m2s is for; but it cuts no attempt short, and timeout does", "the URL"},
		},
		{"curl without", "curl", "curl x", "attempts=1 " + curl + transient, []string{"the URL"}},
		{
			"curl with much else", "curl", "curl -sSf -X POST \\\n -H 'Authorization: Bearer secret' -m2.5 --retry 3 --retry-connrefused -d@file \"$URL\" # --retry 9",
			"attempts=4 base=1s cap=10m jitter=none retry-after=replace reads=seconds,date,old-date ceiling=6h over-ceiling=cut attempt-timeout=2.5s methods=any retry-on=timeout,dns,refused,408,429,500,502-504,522,524",
			[]string{"-s", "-S", "--request", "--header", "--data", "the URL", "--fail, which changes how curl ends and not what it retries"},
		},
		{
			"curl, all errors", "curl", "--retry 1 --retry-all-errors --fail",
			"attempts=2 " + curl + "retry-on=transport,timeout,invalid-response,unknown,dns,tls,proxy,4xx,5xx", nil,
		},
		{
			"grpc", "grpc", `{"loadBalancingConfig": [], "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1}, "methodConfig": [{"name": [{}]},
				{"name": [{"service": "a"}], "waitForReady": true, "timeout": "3.5s", "retryPolicy": {"maxAttempts": 7, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 1.5, "retryableStatusCodes": ["UNAVAILABLE", "UNKNOWN", 8]}}]}`,
			"attempts=5 base=100ms cap=1s factor=1.5 jitter=scale:0.8..1.2 retry-after=replace ceiling=none timeout=3.5s attempt-timeout=none retry-on=429,500,503 methods=any",
			[]string{"loadBalancingConfig", "retryThrottling", "1 more of methodConfig: number 2 was read", "methodConfig: waitForReady", "maxAttempts above 5: a client takes 5 at most", "UNKNOWN: read as 500, which other codes stand for too"},
		},
		{
			"envoy", "envoy", "virtual_hosts:\n- routes:\n  - match: {prefix: /}\n    route:\n      cluster: a\n      timeout: 30s\n      retry_policy:\n        retry_on: 5xx,retriable-status-codes,envoy-ratelimited\n        retriable_status_codes: [429]\n        num_retries: 3\n        per_try_timeout: 2s\n        retry_back_off: {base_interval: 0.1s}\n        host_selection_retry_max_attempts: 5\n",
			"attempts=4 base=100ms cap=1s jitter=full retry-after=ignore timeout=30s attempt-timeout=2s retry-on=transport,timeout,429,5xx methods=any",
			[]string{"retry_policy: host_selection_retry_max_attempts", "retry on envoy-ratelimited"},
		},
		{
			"istio", "istio", "spec:\n  http:\n  - route: []\n    fault: {}\n    retries:\n      attempts: 3\n      perTryTimeout: 2s\n      retryOn: gateway-error,connect-failure,refused-stream\n",
			"attempts=4 base=25ms cap=250ms jitter=full retry-after=ignore attempt-timeout=2s retry-on=transport,timeout,502-504 methods=any",
			[]string{"http: fault"},
		},
		{
			"istio with a backoff", "istio", "spec:\n  http:\n  - retries:\n      attempts: 3\n      backoff: 1s\n      retryOn: 5xx,429\n      retryRemoteLocalities: true\n  - retries: {attempts: 9}\n  - retries: {attempts: 0}\n",
			"attempts=4 base=1s cap=10s jitter=full retry-after=ignore attempt-timeout=none retry-on=transport,timeout,429,5xx methods=any",
			[]string{"retries stands there 3 times: the first was read", "retries: retryRemoteLocalities"},
		},
		{
			"resilience4j", "resilience4j-yaml", "resilience4j.retry:\n  instances:\n    backendA:\n      max-attempts: 5\n      wait-duration: 1s\n      enable-exponential-backoff: true\n      exponential-backoff-multiplier: 2\n      ignoreExceptions: [a.B]\n      retryExceptions: [java.io.IOException, a.C]\n    backendB: {}\n",
			"attempts=5 base=1s cap=none cap-stage=after factor=2 jitter=none retry-after=ignore attempt-timeout=none retry-on=transport methods=any",
			[]string{"1 more: backendA was read", "ignoreExceptions", "retryExceptions: a.C"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := read(t, tt.id, tt.text)
			if err != nil {
				t.Fatal(err)
			}
			want, err := engine.ParsePolicy(tt.policy, engine.Default())
			if err != nil {
				t.Fatal(err)
			}
			if got.Policy != want {
				t.Errorf("got  %s\nwant %s", got.Policy, want)
			}
			slices.Sort(got.Ignored)
			slices.Sort(tt.ignored)
			if !slices.Equal(got.Ignored, tt.ignored) {
				t.Errorf("ignored %q\nwant    %q", got.Ignored, tt.ignored)
			}
		})
	}
}

// sortedLines are lines in one text.
func sortedLines(lines []string) string {
	lines = slices.Clone(lines)
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// What is not read is listed once, and not without end.
func TestIgnoredIsBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("curl --retry 3 --" + strings.Repeat("é", 9999))
	for i := range 50_000 {
		fmt.Fprintf(&b, " --a%d --again", i)
	}
	r, err := read(t, "curl", b.String())
	if err != nil || len(r.Ignored) != 101 || r.Ignored[100] != "49902 more" {
		t.Fatalf("%v: %d lines, the last %q", err, len(r.Ignored), r.Ignored[len(r.Ignored)-1])
	}
	for _, l := range r.Ignored {
		if n := utf8.RuneCountInString(l); n > 200 {
			t.Errorf("a line of %d", n)
		}
	}
}

// A mark that some editors put before a text is none of it.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	for id, text := range map[string]string{"line": "attempts=3", "curl": "curl --retry 2", "grpc": `{"methodConfig":[{}]}`, "istio": "retries: {attempts: 1}"} {
		with, err := read(t, id, "\uFEFF"+text)
		without, err2 := read(t, id, text)
		if err != nil || err2 != nil || with.Policy != without.Policy {
			t.Errorf("%s: %v, %v", id, err, err2)
		}
	}
}

func mustPreset(t *testing.T, id, more string) string {
	t.Helper()
	p, _, err := presets.Parse(id + " " + more)
	if err != nil {
		t.Fatal(err)
	}
	return p.String()
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct{ id, text, want string }{
		{"line", "", importer.ErrNoPolicy.Error()},
		{"line", "maxBackoff=3s", "here cap"},
		{"curl", "", importer.ErrNoPolicy.Error()},
		{"curl", "curl --retry", "its value is missing"},
		{"curl", "curl --retry many --max-time soon", "--retry=many: a whole number of 0 or more\n--max-time=soon: a number of seconds"},
		{"curl", "curl --retry-delay -1 --retry-max-time NaN --max-time inf", "--retry-delay=-1: a number of seconds, 0 or more\n--retry-max-time=NaN: a number of seconds, 0 or more\n--max-time=inf"},
		{"curl", "  # curl --retry 3", importer.ErrNoPolicy.Error()},
		{"curl", "curl", importer.ErrNoPolicy.Error()},
		{"curl", "curl 'x", "a quote is not closed"},
		{"curl", "wget --tries 3", "no curl command stands there"},
		{"curl", "curl \xff", importer.ErrNoText.Error()},
		{"line", "attempts=3\x00", importer.ErrNoText.Error()},
		{"grpc", "\n \t", importer.ErrNoPolicy.Error()},
		{"grpc", "{", "no JSON: line 1: unexpected end"},
		{"grpc", "{\n\n  'a': 1}", "no JSON: line 3: invalid character '\\''"},
		{"grpc", "[]", "no JSON object"},
		{"grpc", "{}", importer.ErrNoPolicy.Error()},
		{"grpc", `{"methodConfig":[{"retryPolicy":{"maxAttempts":1,"initialBackoff":"1","maxBackoff":"1s","backoffMultiplier":0,"retryableStatusCodes":["NO"]}}]}`, "maxAttempts=1: a whole number of 2 or more"},
		{"envoy", "", importer.ErrNoPolicy.Error()},
		{"envoy", "a: [", "yaml"},
		{"envoy", "a: 1", importer.ErrNoPolicy.Error()},
		{"istio", "retries: {attempts: -1, retryOn: '299'}", "attempts=-1: a whole number of 1 or more\nretryOn=299: a status that has a name"},
		{"resilience4j-yaml", "a: 1", importer.ErrNoPolicy.Error()},
		{"resilience4j-yaml", "instances: {a: {maxAttempts: 0, enableRandomizedWait: true, randomizedWaitFactor: 1}}", "randomizedWaitFactor=1"},
	}
	for _, tt := range tests {
		_, err := read(t, tt.id, tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s %q: %v, want %q", tt.id, tt.text, err, tt.want)
		}
	}
	if _, err := read(t, "grpc", "{}"); !errors.Is(err, importer.ErrNoPolicy) {
		t.Errorf("not ErrNoPolicy: %v", err)
	}
}

// What is exported is imported as the same policy, for every preset and for policies of any kind.
func TestExportThenImport(t *testing.T) {
	t.Parallel()
	for _, f := range importer.Formats() {
		for _, p := range presets.All() {
			if err := thereAndBack(&f, &p.Policy); err != nil {
				t.Errorf("%s: %v", p.ID, err)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := engine.Default()
		for _, name := range engine.Fields() {
			values, ok := turned[name]
			if !ok {
				continue // a knob that no other client has
			}
			if err := p.Set(name, rapid.SampledFrom(values).Draw(t, name)); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "more statuses") {
			if s := rapid.IntRange(100, 599).Draw(t, "status"); s/100 != 2 {
				p.RetryOn.Statuses.Add(s)
			}
		}
		if p.Validate() != nil {
			return
		}
		for _, f := range importer.Formats() {
			if err := thereAndBack(&f, &p); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// turned are values of knobs, some of them odd.
var turned = map[string][]string{
	"attempts": {"1", "2", "4", "9", "70", "1000000000", "unlimited"}, "base": {"0s", "1ns", "15ms", "123456us", "1s", "2.4s", "90s", "3h"},
	"throttle-base": {"0s", "1s"}, "cap": {"none", "1s", "7777us", "1h", "1ns"}, "cap-stage": {"before", "after", "both"}, "least": {"0s", "50ms"},
	"curve": {"none", "constant", "linear", "quadratic", "exponential", "fibonacci"}, "factor": {"1", "1.3", "2", "1.123456789012", "1000000"},
	"shift": {"0", "1"}, "first": {"plain", "immediate", "unjittered"},
	"jitter":      {"none", "full", "equal", "smooth", "decorrelated", "additive:100ms", "scale:0.8..1.2", "scale:0.33..1.67", "scale:0..2", "scale:1..1"},
	"retry-after": {"at-least", "replace", "ignore", "clamp:5s", "required"}, "hints": {"none", "retry-after-ms"}, "spread": {"0s", "1s"},
	"ceiling": {"none", "0s", "10s", "6h", "30h"}, "timeout": {"none", "1ns", "1500ms", "3s", "29s", "62s", "2h", "9000h"},
	"attempt-timeout": {"none", "1ns", "1500ms", "2h"},
	"retry-on":        {"none", "5xx", "transport,timeout,429,503", "refused,503", "timeout", "transport,4xx,5xx", "timeout,dns,refused", "transport,-refused,404,500-504", "http2,dns,cut"},
	"methods":         {"any", "idempotent", "GET,POST"}, "budget": {"none", "tokens:500/14/1", "ratio:20%/10"},
}

func thereAndBack(f *importer.Format, p *engine.Policy) error {
	out, ok := export.Get(f.ID)
	if !ok {
		return errors.New("no export " + f.ID)
	}
	r, err := out.Export(*p)
	if err != nil {
		return err
	}
	back, err := f.Read(r.Text)
	if err != nil {
		return errors.New(f.ID + ": " + err.Error() + "\n" + r.Text)
	}
	line, _ := export.Get("line")
	plain, err := line.Export(back.Policy) // a policy is the same where it does the same
	if err != nil {
		return err
	}
	if again, err := out.Export(back.Policy); err != nil || again.Carried != r.Carried {
		return errors.New(f.ID + " of " + p.String() + ": written again it is another one: " + again.Carried.String() + ", was " + r.Carried.String())
	}
	if plain.Carried != r.Carried {
		return errors.New(f.ID + " of " + p.String() + "\ncame back as " + plain.Carried.String() + "\nwritten as   " + r.Carried.String() + "\n" + r.Text)
	}
	return nil
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"curl --retry 3 'x", `{"methodConfig":[{"retryPolicy":{"maxAttempts":1e99}}]}`, "retries: {attempts: 1}\n---\nretry_policy: [1]", "instances: {a: {waitDuration: .nan}}", "attempts=4",
		"x=$(sudo -u a bash -c \"curl --retry=3 \\`y\\`\") <<-E & curl –x \n\tE\n", "curl ^\"x^&y^\" ^\n --retry-del 3", "curl.exe `\n ${X:-$((1))} --no-retry",
		"resilience4j.retry:\n configs.b: {baseConfig: c, waitDuration: PT1.5S}\n instances: {a: {base-config: b}}\nretry: {instances: [1]}",
		"virtual_hosts: [{retryPolicy: {retryOn: 'reset,5xx', retryBackOff: {baseInterval: .5s}}}]", "http: [{retries: {attempts: 2, retryOn: 503, backoff: 1ms}}]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range importer.Formats() {
			r, err := format.Read(text)
			if err != nil {
				continue
			}
			if err := r.Policy.Validate(); err != nil {
				t.Errorf("%s reads %q as a policy that is not valid: %v", format.ID, text, err)
			}
			for _, l := range r.Ignored {
				if strings.ContainsAny(l, "\n\x1b") {
					t.Errorf("%s: a line that is none: %q", format.ID, l)
				}
			}
		}
	})
}
