package lab_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
)

// What is read of a failed attempt says what happened, not what the error is called in Go.
func TestWordsOfAFailure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, policy, words string }{
		{"hang", "attempts=2 attempt-timeout=1s", "no answer within the attempt timeout of 1s (attempts-exhausted after 2 attempts)"},
		{"hang", "attempt-timeout=90s attempts=1", "no answer within the attempt timeout of 1m30s"},
		{"503 latency=2m", "attempt-timeout=none timeout=90s", "no answer within the timeout of 1m30s (timeout 1m30s passed in attempt 1)"},
		{"503 latency=2m", "attempt-timeout=2m timeout=90s", "no answer within the timeout of 1m30s"},
		{"cut", "attempts=1", "the body of the answer ended early (attempts-exhausted"},
		{"eof", "attempts=1", "the connection was closed before an answer (attempts-exhausted"},
	} {
		sc, err := script.Parse(c.script)
		if err != nil {
			t.Fatal(err)
		}
		tr := lab.Scripted(lab.Config{Policy: policy(t, c.policy), Script: sc, Draw: -1, CancelAt: -1, SignOutAt: -1})
		if !strings.HasPrefix(tr.Done.Err, c.words) {
			t.Errorf("%s: %q, want %q", c.script, tr.Done.Err, c.words)
		}
		for i := range tr.Attempts {
			for _, raw := range []string{"context", "EOF"} {
				if strings.Contains(tr.Attempts[i].Err+tr.Done.Err, raw) {
					t.Errorf("%s: %q and %q say %s", c.script, tr.Attempts[i].Err, tr.Done.Err, raw)
				}
			}
		}
	}
}

func TestWordsOfALiveFailure(t *testing.T) {
	t.Parallel()
	stall := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/body":
			w.Header().Set("Content-Length", "9")
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/cut":
			w.Header().Set("Content-Length", "9")
			_, _ = io.WriteString(w, "half")
		case "/closed":
			panic(http.ErrAbortHandler)
		case "/lost":
			http.Redirect(w, r, "http://hunter2.invalid/", http.StatusFound)
		case "/refused":
			http.Redirect(w, r, "http://127.0.0.1:1/hunter2", http.StatusFound)
		default:
			<-r.Context().Done()
		}
	}))
	t.Cleanup(stall.Close)
	for _, c := range []struct {
		path, limit, words string
		cause              engine.Cause
	}{
		{"/", "200ms", "no answer within the attempt timeout of 200ms", engine.CauseNone},
		{"/body", "2s", "the answer was not whole within the attempt timeout of 2s", engine.CauseNone},
		{"/cut", "1m", "the body of the answer ended early", engine.CauseCut},
		{"/closed", "1m", "the connection was closed before an answer", engine.CauseClosed},
		{"/lost", "1m", "a redirect led to a host that cannot be looked up", engine.CauseDNS},
		{"/refused", "1m", "a redirect led to where the connection is refused", engine.CauseRefused},
	} {
		tr := request(t, lab.Request{URL: stall.URL + c.path}, quick+"attempts=1 retry-on=none attempt-timeout="+c.limit, unlisted)
		if a := &tr.Attempts[0]; !strings.HasPrefix(tr.Done.Err, c.words+" (") || a.Err != c.words || a.Outcome.Cause != c.cause {
			t.Errorf("%s: %q, %q, %+v, want %q", c.path, tr.Done.Err, a.Err, a.Outcome, c.words)
		}
	}
}

// unlisted is a network that knows addresses and no name.
func unlisted(cfg *lab.LiveConfig) {
	var d net.Dialer
	cfg.Base = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		if host, _, err := net.SplitHostPort(addr); err == nil && net.ParseIP(host) == nil {
			return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
		}
		return d.DialContext(ctx, network, addr)
	}}
}
