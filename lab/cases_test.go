package lab_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// What went wrong in other clients, by the number under which docs/CASES.md has it: on the virtual clock where no wire is
// needed.
func TestCases(t *testing.T) {
	t.Parallel()
	deadline := want{result: engine.ResultTimedOut, reason: engine.ReasonDeadline}
	at := func(w want, attempts int, at time.Duration, err string) want {
		w.attempts, w.at, w.err = attempts, at, err
		return w
	}
	exhausted := want{result: engine.ResultFailed, reason: engine.ReasonAttempts}
	cancelled := want{result: engine.ResultCancelled, reason: engine.ReasonCancelled}
	tests := []struct {
		id, script, policy string
		cancelAt           time.Duration // 0: never
		want               want
		has, lacks         []string // in the JSON
	}{
		{id: "CT-03", script: "503", policy: "retries=-1", want: at(exhausted, 1, 0, "503")},
		{id: "CT-05", script: "503", policy: "retries=6 base=0s", want: at(exhausted, 7, 0, ""), has: []string{"attempt 1 of 7", "attempt 7 of 7"}},
		{id: "CT-06", script: "503", policy: "attempts=3 base=1s jitter=none", want: at(exhausted, 3, 3*time.Second, "")},
		{id: "CT-08", script: "503", policy: "base=1s jitter=none", cancelAt: 2 * time.Second, want: at(cancelled, 2, 2*time.Second, ""), has: []string{
			`"attempt":1,"cut":false`, `"attempt":2,"cut":true`, `"attempts":2`,
		}, lacks: []string{`"event":"attempt","t_ms":2000`}},
		{id: "CT-10", script: "503 after=1800", policy: "", want: want{result: engine.ResultDeferred, reason: engine.ReasonCeiling, attempts: 1, err: "server asked 30m, ceiling 30s"}},
		{id: "CT-11", script: "reset latency=2s", policy: "timeout=1s", want: at(deadline, 1, time.Second, "timeout 1s passed in attempt 1")},
		{id: "CN-01", script: "503", policy: "base=30s cap=30s jitter=none", cancelAt: 100 * ms, want: at(cancelled, 1, 100*ms, "canceled")},
		{id: "CN-03", script: "hang", policy: "base=10s jitter=none", cancelAt: 100 * ms, want: at(cancelled, 1, 100*ms, "canceled"), lacks: []string{`"event":"wait"`}},
		{id: "CN-05", script: "hang, 200", policy: "attempt-timeout=100ms base=0s", want: want{attempts: 2, at: 100 * ms}},
		{id: "TO-01", script: "503", policy: "timeout=5s base=10s jitter=none", want: at(deadline, 1, 0, "503 Service Unavailable (timeout 5s: the next attempt would begin after it, in 10s)")},
		{id: "TO-03", script: "hang", policy: "attempt-timeout=1s retries=3 base=0s", want: at(exhausted, 4, 4*time.Second, "")},
		{id: "TO-05", script: "hang", policy: "timeout=10s retries=5 attempt-timeout=3s base=1s jitter=none", want: at(deadline, 3, 10*time.Second, "timeout 10s")},
		{id: "TO-05: an attempt's own", script: "hang", policy: "retries=5 attempt-timeout=10s base=1s jitter=none cap=1s", want: at(exhausted, 6, 65*time.Second, "")},
		{id: "TO-06", script: "503", policy: "timeout=1s base=1s cap=1s jitter=none attempts=6", want: at(deadline, 1, 0, "timeout 1s")},
		{id: "TO-06: 0 is none", script: "503", policy: "timeout=0 base=1s cap=1s jitter=none attempts=6", want: at(exhausted, 6, 5*time.Second, "")},
		{id: "TO-08", script: "503", policy: "timeout=10s retries=10 base=1s cap=none jitter=none", want: at(deadline, 4, 7*time.Second, "timeout 10s"), has: []string{"attempt 4 of 11", `"gate":"deadline","ok":false`}},
		{id: "ER-01", script: `503 body="db down"`, policy: "attempts=3 base=0s", want: at(exhausted, 3, 0, "503 Service Unavailable"), has: []string{`"status":503,"error":"503`}},
		{id: "ER-03", script: "503", policy: "base=1s jitter=none", cancelAt: 100 * ms, want: at(cancelled, 1, 100*ms, "context canceled (last failure: 503")},
		{id: "ER-05", script: "429 after=1", policy: "", want: at(exhausted, 4, 0, "429 Too Many Requests")},
		{id: "ER-06", script: "503, 401", policy: "base=0s", want: want{result: engine.ResultFailed, reason: engine.ReasonNotRetryable, attempts: 2, err: "401 Unauthorized"}},
		{id: "LG-05", script: "503 after=60, 200", policy: "base=1s ceiling=none jitter=none", want: want{attempts: 2, at: time.Minute}, has: []string{
			`"wait_ms":60000,"source":"server"`, `"t_ms":60000,"attempt":1,"cut":false`,
		}},
		{id: "LG-06", script: "503 after=-5", policy: "base=0s", want: at(exhausted, 4, 0, ""), has: []string{`"retry_after_unreadable":true`}, lacks: []string{`_ms":-`}},
		{id: "HT-08: a loop is no success", script: `302 header="Location: /x"`, policy: "", want: want{result: engine.ResultFailed, reason: engine.ReasonNotRetryable, attempts: 1, err: "redirect loop"}},
		{id: "HT-10", script: `503 body="\x1f\x8b\x08"`, policy: "attempts=1", want: at(exhausted, 1, 0, "503"), lacks: []string{"\x1f"}},
	}
	for _, tt := range tests {
		cfg := config(t, tt.script, tt.policy)
		if tt.cancelAt > 0 {
			cfg.CancelAt = tt.cancelAt
		}
		tr := lab.Scripted(cfg)
		tt.want.check(t, tt.id, tr)
		out := jsonOf(t, tr)
		for _, s := range tt.has {
			if !strings.Contains(out, s) {
				t.Errorf("%s: %s is not in\n%s", tt.id, s, out)
			}
		}
		for _, s := range tt.lacks {
			if strings.Contains(out, s) {
				t.Errorf("%s: %s is in\n%s", tt.id, s, out)
			}
		}
	}
}

// CT-01: counted at a real server.
func TestCaseAttemptsAndRetries(t *testing.T) {
	t.Parallel()
	for text, count := range map[string]int32{"attempts=3 ": 3, "retries=3 ": 4} {
		var n atomic.Int32
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			n.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
		tr := request(t, lab.Request{URL: srv.URL}, text+quick, nil)
		if n.Load() != count || tr.Done.Attempts != int(count) {
			t.Errorf("%s: %d requests, %d reported", text, n.Load(), tr.Done.Attempts)
		}
		srv.Close()
	}
}

// CN-06: cancelled while a body is read, nothing more is said of trying again.
func TestCaseCancelInABody(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "half")
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-r.Context().Done()
	}))
	defer srv.Close()
	l, err := lab.NewLive(lab.LiveConfig{Config: lab.Config{Policy: policy(t, quick), Request: lab.Request{URL: srv.URL}}})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := l.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want{result: engine.ResultCancelled, reason: engine.ReasonCancelled, attempts: 1}.check(t, "CN-06", tr)
	if out := jsonOf(t, tr); strings.Contains(out, `"verdict":"retry"`) || strings.Contains(out, `"event":"wait"`) {
		t.Error(out)
	}
}

// TO-10: which side of net/http notices first is of no matter.
func TestCaseTimeoutIsATimeout(t *testing.T) {
	t.Parallel()
	url := served(t, "hang")
	for range 30 {
		tr := request(t, lab.Request{URL: url}, quick+"attempts=1 attempt-timeout=3ms", nil)
		if o := tr.Attempts[0].Outcome; o.Kind != engine.KindTimeout {
			t.Fatalf("%+v: %s", o, tr.Attempts[0].Err)
		}
	}
}

// ER-08: a policy that is none is refused, with every run.
func TestCaseNoPolicy(t *testing.T) {
	t.Parallel()
	cfg := config(t, "200", "")
	cfg.Policy = engine.Policy{}
	if tr := lab.Scripted(cfg); tr.Done.Result != engine.ResultFailed || tr.Done.Attempts != 0 || !strings.Contains(tr.Done.Err, "attempts") {
		t.Errorf("%+v", tr.Done)
	}
	for _, n := range []string{"0", "-1", ""} { // CT-03
		if _, err := engine.ParsePolicy("attempts="+n, engine.Default()); err == nil {
			t.Errorf("attempts=%s is taken", n)
		}
	}
}

// LG-01, LG-03: a password in the URL is in nothing that is shown.
func TestCaseSecretsInTheURL(t *testing.T) {
	t.Parallel()
	tr := request(t, lab.Request{
		URL: "http://user:s3cret@127.0.0.1:1/?access_token=s3cret&sig=s3cret#code=s3cret",
		Header: http.Header{
			"Authorization": {"Bearer s3cret"}, "X-Api-Key": {"s3cret"}, "Cookie": {"session=s3cret"},
		},
	}, quick, nil)
	want{result: engine.ResultFailed, reason: engine.ReasonAttempts, attempts: 4}.check(t, "LG-01", tr)
	noSecret(t, tr, "s3cret")
	if tr.Head.URL != "http://user:•••@127.0.0.1:1/?access_token=•••&sig=•••#•••" {
		t.Error(tr.Head.URL)
	}
}

// HT-01, HT-03: a body that ends early, in each way there is, is a failed attempt of a GET and is tried again.
func TestCaseBodiesCutShort(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"shorter than its length":    "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
		"cut in a chunk":             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		"without the last chunk":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
		"a length, and then a reset": "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc!",
	} {
		n := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if n++; n > 1 {
				return
			}
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(conn, strings.TrimSuffix(answer, "!"))
			if tcp, ok := conn.(*net.TCPConn); ok && strings.HasSuffix(answer, "!") {
				_ = tcp.SetLinger(0)
			}
			_ = conn.Close()
		}))
		tr := request(t, lab.Request{URL: srv.URL}, quick, nil)
		want{attempts: 2}.check(t, name, tr)
		if o := tr.Attempts[0].Outcome; o.Kind != engine.KindInvalidResponse && o.Cause != engine.CauseReset {
			t.Errorf("%s: %+v", name, o)
		}
		srv.Close()
	}
}

// HT-05: an answer to HEAD that says it is compressed has nothing to decode.
func TestCaseHeadOfACompressedAnswer(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "100")
	}))
	defer srv.Close()
	want{attempts: 1}.check(t, "HT-05", request(t, lab.Request{URL: srv.URL, Method: "HEAD"}, quick, nil))
}

// HT-11: the host that is shown is the host that is dialed.
func TestCaseOneParserForTheURL(t *testing.T) {
	t.Parallel()
	url := served(t, "200")
	_, hostport, _ := strings.Cut(url, "//")
	tr := request(t, lab.Request{URL: "HTTP://a:b@evil.test@" + hostport + "/"}, quick, nil)
	want{attempts: 1}.check(t, "HT-11", tr)
	if tr.Head.URL != "HTTP://a:•••@"+hostport+"/" {
		t.Error(tr.Head.URL)
	}
	noSecret(t, tr, "evil.test")
}

// TU-01: a body full of control sequences is in nothing.
func TestCaseBodyOfControlSequences(t *testing.T) {
	t.Parallel()
	tr := request(t, lab.Request{URL: served(t, `503 body="\x1b]52;c;SGk=\x07\x1b[2J"`)}, quick, nil)
	want{result: engine.ResultFailed, reason: engine.ReasonAttempts, attempts: 4, err: "503"}.check(t, "TU-01", tr)
	noSecret(t, tr, "SGk=")
	if s := tr.Attempts[0].Detail.Reason; trace.Clean(s) != s {
		t.Errorf("%q", s)
	}
}
