package lab_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// HT-10, TU-01: a body that is compressed without saying so, or that would steer a terminal, is counted and never kept:
// nothing of it is in a record, whatever the status.
func TestCaseBodiesAreNotKept(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"compressed":     "\x1f\x8b\x08\x00\x00\x00\x00\x00MARKER\x00\xff",
		"steering":       "\x1b]52;c;MARKER\x07\x1b[2J",
		"binary":         strings.Repeat("\x00MARKER\xfe", 400),
		"plain rubbish":  "db down MARKER",
		"JSON that lies": "{MARKER",
	} {
		for _, status := range []int{503, 200, 404} {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
			}))
			tr := request(t, lab.Request{URL: srv.URL}, quick+"attempts=2", nil)
			srv.Close()
			noSecret(t, tr, "MARKER")
			d := tr.Attempts[0].Detail
			want := int64(len(body))
			if status != 200 && want > 2<<10 {
				want = -1 // the server sends it in parts
			}
			if d.BodyBytes != want {
				t.Errorf("%s, %d: %d bytes counted, there were %d", name, status, d.BodyBytes, want)
			}
			if o := tr.Attempts[0].Outcome; status == 200 && o.Kind != engine.KindDecoding || status != 200 && o.Kind != engine.KindStatus {
				t.Errorf("%s, %d: %+v", name, status, o)
			}
		}
	}
}

// The body of a failure is as long as its answer says, scripted or on the wire, at the end of a chain of redirects and
// without a body for HEAD; where the answer does not say, nobody guesses.
func TestBodiesOfFailures(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/down", http.StatusFound)
			return
		case "/none":
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case "/parts":
			w.WriteHeader(http.StatusServiceUnavailable)
			_ = http.NewResponseController(w).Flush() // it shows below: no length can follow
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = io.WriteString(w, "the service is down for a while.\n")
	}))
	defer srv.Close()
	for _, tt := range []struct {
		method, path string
		want         int64
	}{{"", "/down", 33}, {"", "/moved", 33}, {"", "/none", 0}, {"", "/parts", -1}, {"HEAD", "/down", 0}} {
		tr := request(t, lab.Request{Method: tt.method, URL: srv.URL + tt.path}, quick+"attempts=2", nil)
		for _, a := range tr.Attempts {
			if a.Detail.BodyBytes != tt.want || a.Detail.BodyCut || a.Outcome.Status != http.StatusServiceUnavailable {
				t.Errorf("%s %s: %d bytes, want %d", tt.method, tt.path, a.Detail.BodyBytes, tt.want)
			}
		}
	}
	if a := lab.Scripted(config(t, "503 body=hello", "")).Attempts[0]; a.Detail.BodyBytes != 5 {
		t.Errorf("a scripted answer of 5 bytes: %d", a.Detail.BodyBytes)
	}
}

// HT-11: what no URL can be is refused before anything is sent, by the parser that also dials.
func TestCaseURLsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://exa\nmple.com", "http://exa\tmple.com/", "http://h\x00/", "http://h\x1b[2J/", "http://[::1/", "http://h:port/", "//h/", "h/", "",
		"ftp://h/", "javascript:alert(1)", "http:///x", "http://:80/", "http://h/%zz", "http://%31%32%37.0.0.1:1/",
	} {
		l, err := lab.NewLive(lab.LiveConfig{Config: lab.Config{Policy: policy(t, quick), Request: lab.Request{URL: url}}})
		if err == nil || l != nil {
			t.Errorf("%q is taken", url)
			continue
		}
		if strings.ContainsAny(err.Error(), "\x1b\x00\n\t") {
			t.Errorf("%q: %q", url, err)
		}
	}
}

// NE-01, CT-01: what is shown is what the server saw, with the attempts, the hops of redirects and the hidden sends added
// up.
func TestCaseTheServersCountIsTheShownOne(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen++
		mu.Unlock()
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/there", http.StatusFound)
			return
		}
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer srv.Close()
	tr := request(t, lab.Request{URL: srv.URL}, quick+"attempts=4", nil)
	sent := 0
	for _, a := range tr.Attempts {
		sent += 1 + a.Detail.Redirects + a.Detail.Resent
	}
	if tr.Done.Attempts != 4 || sent != seen || seen != 8 {
		t.Errorf("%d attempts, %d sends shown, %d at the server", tr.Done.Attempts, sent, seen)
	}
	if out := jsonOf(t, tr); strings.Count(out, `"redirects":1`) != 4 {
		t.Error(fmt.Sprint("the redirects are not shown: ", out))
	}
}

// RA-16, RA-15, RA-06: a Retry-After with padding is read alike from a socket, whose client trims it, and from a script,
// whose answers are made of a header that nobody trims.
func TestCaseWireAndScriptReadOneWait(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]engine.Hint{
		"   7  ":             {State: engine.HintWait, Wait: 7 * time.Second},
		"\t7\t":              {State: engine.HintWait, Wait: 7 * time.Second},
		"   ":                {State: engine.HintUnreadable},
		"":                   {State: engine.HintUnreadable},
		" -1 ":               {State: engine.HintUnreadable},
		"7 7":                {State: engine.HintUnreadable},
		" 9999999999999999 ": {State: engine.HintTooLong, Wait: engine.Forever},
	} {
		const text = "attempts=2 ceiling=1s base=1ms jitter=none"
		url := raw(t, "HTTP/1.1 503 Service Unavailable\r\nRetry-After:"+value+"\r\nContent-Length: 0\r\n\r\n")
		wire := request(t, lab.Request{URL: url}, text, nil)
		scripted := lab.Scripted(config(t, "503 after="+strconv.Quote(value), text))
		for where, tr := range map[string]*trace.Trace{"wire": wire, "script": scripted} {
			a := tr.Attempts[0]
			if a.Outcome.Hint != want {
				t.Errorf("%q on the %s: %+v, want %+v", value, where, a.Outcome.Hint, want)
			}
			if deferred := tr.Done.Result == engine.ResultDeferred; deferred != (want.Wait > time.Second) || a.Decision.Server != want.Wait {
				t.Errorf("%q on the %s: %v, the server's wait is %v", value, where, tr.Done.Result, a.Decision.Server)
			}
		}
	}
}
