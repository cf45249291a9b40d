package importer_test

import (
	"fmt"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
)

// curlLines are commands of curl's, but for the URL, and what the server does meanwhile: nothing for a server that is not there.
var curlLines = []struct{ name, line, script string }{
	{"a delay of its own", "curl --retry 5 --retry-delay 2 --retry-max-time 60", "503, 200"},
	{"doubled waits", "curl --retry 2", "503 x5"},
	{"heals", "curl --retry 5 --retry-delay 1", "500, 429, 200"},
	{"no retries", "curl -sS", "503, 200"},
	{"final", "curl --retry 1 --retry-delay 1", "404, 200"},
	{"failing", "curl -f --retry 1 --retry-delay 1", "503, 200"},
	{"failing, final", "curl --fail --retry 1 --retry-delay 1", "404, 200"},
	{"a server error that is final", "curl --retry 1 --retry-delay 1", "501, 200"},
	{"every error", "curl --retry 1 --retry-delay 1 --retry-all-errors", "reset, 200"},
	{"every error, cut", "curl --retry 1 --retry-delay 1 --retry-all-errors", "cut, 200"},
	{"every error, no HTTP", "curl --retry 1 --retry-delay 1 --retry-all-errors", "garbage, 200"},
	{"every error, but a status is none", "curl --retry 1 --retry-delay 1 --retry-all-errors", "404, 200"},
	{"every error, and a status is one", "curl -f --retry 1 --retry-delay 1 --retry-all-errors", "404, 200"},
	{"reset", "curl --retry 1 --retry-delay 1", "reset, 200"},
	{"closed", "curl --retry 1 --retry-delay 1", "eof, 200"},
	{"POST", "curl -X POST -d x=1 --retry 1 --retry-delay 1", "503, 200"},
	{"slow", "curl -m 0.3 --retry 1 --retry-delay 1", "hang, 200"},
	{"a server's wait", "curl --retry 3 --retry-delay 9", "503 after=1, 200"},
	{"a server's wait of nothing", "curl --retry 1 --retry-delay 1", "503 after=0, 200"},
	{"cut by time", "curl --retry 9 --retry-delay 1 --retry-max-time 2", "503"},
	{"doubled and cut by time", "curl --retry 9 --retry-max-time 2", "503"},
	{"slow and cut by time", "curl --retry 9 --retry-delay 1 --retry-max-time 2", "503 latency=1500ms"},
	{"a server's wait cut by time", "curl --retry 9 --retry-delay 3 --retry-max-time 3", "503 after=4, 200"},
	{"refused", "curl --retry 1 --retry-delay 1", ""},
	{"refused and asked to", "curl --retry-connrefused --retry 1 --retry-delay 1", ""},
	{"refused and every error", "curl --retry-all-errors --retry 1 --retry-delay 1", ""},
	{"the last word counts", "curl --retry 9 --retry-all-errors --retry 1 --no-retry-all-errors --retry-delay 1", "reset, 200"},
}

// TestCurlDoesTheSame: a command's policy, run against a server, sends what the real curl sends to the same one. A busy machine may
// disturb one try, hardly three.
func TestCurlDoesTheSame(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	var all sync.WaitGroup // they mostly wait: all at once
	for _, tt := range curlLines {
		all.Go(func() {
			r, err := read(t, "curl", tt.line+" http://127.0.0.1/")
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				return
			}
			wrong := ""
			for range 3 {
				var theirs, ours []time.Duration
				var both sync.WaitGroup
				both.Go(func() {
					theirs = server(t, tt.script, func(url string) []time.Duration { return realCurl(t, tt.line, url) })
				})
				both.Go(func() {
					ours = server(t, tt.script, func(url string) []time.Duration { return realRun(t, &r.Policy, tt.line, url) })
				})
				both.Wait()
				if wrong = apart(theirs, ours); wrong == "" {
					return
				}
				t.Logf("%s: disturbed? %s", tt.name, wrong)
			}
			t.Errorf("%s: %s under %s", tt.name, wrong, r.Policy)
		})
	}
	all.Wait()
}

// server plays a script to a client and returns the gaps between the requests; where there is no server, those the client tells.
func server(t *testing.T, text string, client func(url string) []time.Duration) []time.Duration {
	t.Helper()
	if text == "" {
		return client("http://127.0.0.1:1/")
	}
	s, err := script.Parse(text)
	if err != nil {
		t.Error(err)
		return nil
	}
	var mu sync.Mutex
	var gaps []time.Duration
	srv := httptest.NewServer(script.NewHandler(s, 1, script.Options{OnRequest: func(r script.Request) {
		mu.Lock()
		defer mu.Unlock()
		gaps = append(gaps, r.Gap)
	}}))
	defer srv.Close()
	client(srv.URL)
	mu.Lock()
	defer mu.Unlock()
	return gaps
}

// realCurl tells by what it says, in whole seconds, what it waited.
func realCurl(t *testing.T, line, url string) []time.Duration {
	t.Helper()
	args := append(strings.Fields(line)[1:], "--no-progress-meter", "--noproxy", "*", "-o", filepath.Join(t.TempDir(), "body"), url)
	out, err := exec.CommandContext(t.Context(), "curl", args...).CombinedOutput()
	t.Logf("curl %q: %v %s", args, err, out) // it has exit codes of its own for how it ended
	told := []time.Duration{0}
	for range strings.Count(string(out), "Will retry in 1 second") {
		told = append(told, time.Second)
	}
	return told
}

func realRun(t *testing.T, p *engine.Policy, line, url string) []time.Duration {
	t.Helper()
	request := lab.Request{URL: url}
	if strings.Contains(line, "POST") {
		// A live run sends a POST again with a key only, where curl asks for none.
		request = lab.Request{URL: url, Method: "POST", Body: []byte("x=1"), HasBody: true, Key: "k"}
	}
	l, err := lab.NewLive(lab.LiveConfig{Config: lab.Config{Policy: *p, Request: request, Draw: -1}})
	if err != nil {
		t.Error(err)
		return nil
	}
	ran, err := l.Run(t.Context())
	if err != nil {
		t.Error(err)
		return nil
	}
	told := []time.Duration{0}
	for i := range ran.Attempts[1:] {
		told = append(told, ran.Attempts[i].Wait.For)
	}
	return told
}

// apart says where two lists of gaps differ by more than a busy machine takes.
func apart(theirs, ours []time.Duration) string {
	const early, late = 50 * time.Millisecond, 400 * time.Millisecond
	if len(theirs) != len(ours) {
		return fmt.Sprintf("curl sent %d times (%v), the policy %d (%v)", len(theirs), theirs, len(ours), ours)
	}
	for i := 1; i < len(ours); i++ {
		if d := theirs[i] - ours[i]; d < -late || d > late || ours[i]+early < time.Second { // no wait of curl's is shorter
			return fmt.Sprintf("before request %d curl waited %v, the policy %v", i+1, theirs[i], ours[i])
		}
	}
	return ""
}

// TestCurlCommands: what people paste is read as a shell reads it, and what is not read is said.
func TestCurlCommands(t *testing.T) {
	t.Parallel()
	const waits = " base=1s cap=10m jitter=none retry-after=replace reads=seconds,date,old-date ceiling=6h over-ceiling=cut attempt-timeout=none methods=any retry-on=timeout,dns,408,429,500,502-504,522,524"
	for _, c := range []struct{ text, policy, ignored string }{
		{"$ curl --retry 3 x", "attempts=4", "the URL"},
		{"sudo /usr/bin/curl --retry 3 x", "attempts=4", "the URL"},
		{`C:\bin\curl.exe --retry 3`, "", "no curl command stands there"}, // a shell takes its backslashes away
		{"'C:\\bin\\curl.exe' --retry 3", "attempts=4", ""},
		{"A=b curl --retry 3 'x?a=1&b=2' | jq . >out 2>&1; echo", "attempts=4", "2 more commands: the first curl was read\nthe URL"},
		{"cd /\ncurl --retry 3 \\\n  x 2>/dev/null >> out\ncurl --retry 9", "attempts=4", "2 more commands: the first curl was read\nthe URL"},
		{`curl $'x\'y' --retry 3 --data-raw $'a\'b c'`, "attempts=4", "--data-raw\nthe URL"},
		{`curl "a\"b c" --retry 3`, "attempts=4", "the URL"},
		{"curl -XPOST -H'A: b' -sSfL --retry 3", "attempts=4", "--fail, which changes how curl ends and not what it retries\n--header\n--request\n-L\n-S\n-s"},
		{"curl --retry 3 --next --retry 9", "attempts=4", "what stands behind --next"},
		{"curl --retry 3 -: --retry 9", "attempts=4", "what stands behind --next"},
		{"curl --retry 3 --retry-delay 0 --retry-max-time 0 --max-time 0", "attempts=4", ""},
		{"curl --ip-tos x --proxy-header --retry --retry 3 --expand-data --retry", "attempts=4", "--expand-data\n--ip-tos\n--proxy-header\n--retry, which --expand-data takes for its value\n--retry, which --proxy-header takes for its value"},
		{"curl --retry-max-time 60", "attempts=1", ""},
		{"curl --retry 3 -f --no-fail --retry-connrefused --no-retry-connrefused", "attempts=4", ""},
		{"curl --retry 3 --compressed --no-buffer", "attempts=4", "--compressed\n--no-buffer"},
		{"curl --retry 99999999999999999999 #9", "", "--retry=99999999999999999999"},
	} {
		r, err := read(t, "curl", c.text)
		if c.policy == "" {
			if err == nil || !strings.Contains(err.Error(), c.ignored) {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		want, perr := engine.ParsePolicy(c.policy+waits, engine.Default())
		if err != nil || perr != nil || r.Policy != want {
			t.Errorf("%q: %v %v\n%s, want\n%s", c.text, err, perr, r.Policy, want)
		}
		if got := sortedLines(r.Ignored); got != c.ignored {
			t.Errorf("%q: not read %q, want %q", c.text, got, c.ignored)
		}
	}
}
