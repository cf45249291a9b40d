package lab_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// quick is a policy whose waits cost a test nothing.
const quick = "base=1ms cap=1ms jitter=none "

// request runs a live request and gives its record.
func request(t *testing.T, r lab.Request, policyText string, change func(*lab.LiveConfig)) *trace.Trace {
	t.Helper()
	cfg := lab.LiveConfig{Config: lab.Config{Policy: policy(t, policyText), Request: r, Draw: -1}}
	if change != nil {
		change(&cfg)
	}
	l, err := lab.NewLive(cfg)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := l.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tr.Done == nil || !tr.Checks.OK() {
		t.Errorf("checks: %v", tr.Broken)
	}
	return tr
}

func served(t *testing.T, scriptText string) string {
	t.Helper()
	s, err := script.Parse(scriptText)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(script.NewHandler(s, 42, script.Options{}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// The same faults on the wire are of the same kinds as in the script, are decided on alike, and are still so when the
// record of the wire is made a script.
func TestWireAgreesWithScript(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"cut", "garbage", "badjson", "reset", "eof", "hang", "503", "429 after=0", "501", "404", "503 after=x", "503 after=-5", "307",
		"cut body=abc", `503 reason="so sorry" body="db down"`,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			policyText := quick + "attempt-timeout=10s"
			if text == "hang" {
				policyText = quick + "attempt-timeout=60ms"
			}
			full := text + ", 200"
			wire := request(t, lab.Request{URL: served(t, full)}, policyText, nil)
			scripted := lab.Scripted(config(t, full, policyText))
			again := lab.Scripted(config(t, lab.ToScript(wire), policyText))
			if len(lab.Inexact(wire)) != 0 {
				t.Errorf("inexact: %v", lab.Inexact(wire))
			}
			if len(wire.Attempts) != len(scripted.Attempts) || len(again.Attempts) != len(wire.Attempts) {
				t.Fatalf("%d attempts on the wire (%s), %d scripted, %d made of it (%s)", len(wire.Attempts), wire.Done.Err, len(scripted.Attempts), len(again.Attempts), lab.ToScript(wire))
			}
			for i := range wire.Attempts {
				w, s, a := wire.Attempts[i], scripted.Attempts[i], again.Attempts[i]
				if w.Outcome != s.Outcome || a.Outcome != s.Outcome {
					t.Errorf("on the wire %+v, scripted %+v, made of it %+v", w.Outcome, s.Outcome, a.Outcome)
				}
				if w.Decision != s.Decision {
					t.Errorf("on the wire %+v, scripted %+v", w.Decision, s.Decision)
				}
				if w.Detail.Reason != s.Detail.Reason || w.Detail.RetryAfter != s.Detail.RetryAfter || w.Detail.HasRetryAfter != s.Detail.HasRetryAfter || w.Detail.BodyBytes != s.Detail.BodyBytes {
					t.Errorf("on the wire %+v, scripted %+v", w.Detail, s.Detail)
				}
			}
			if wire.Done.Result != scripted.Done.Result || wire.Done.Reason != scripted.Done.Reason || wire.Done.Status != scripted.Done.Status {
				t.Errorf("on the wire %+v, scripted %+v", wire.Done, scripted.Done)
			}
		})
	}
}

func TestWireRefused(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	r := lab.Request{Method: "POST", URL: "http://user:hunter2@" + addr + "/?token=t0ps3cret", Body: []byte("x"), HasBody: true, BodyOnce: true}
	tr := request(t, r, quick, nil)
	want{result: engine.ResultFailed, reason: engine.ReasonAttempts, attempts: 4, err: "refused"}.check(t, "refused", tr)
	for _, a := range tr.Attempts {
		if a.Outcome.Kind != engine.KindTransport || a.Outcome.Cause != engine.CauseRefused || !a.Outcome.NotSent || a.Ambiguous {
			t.Errorf("%+v", a.Outcome)
		}
	}
	noSecret(t, tr, "hunter2", "t0ps3cret")
}

// noSecret looks into all of a record: every string of it, and its JSON. Nothing a terminal acts on is in the words that
// are shown as they are.
func noSecret(t *testing.T, tr *trace.Trace, secrets ...string) {
	t.Helper()
	all := jsonOf(t, tr) + fmt.Sprintf("%+v %+v", *tr, *tr.Done) + lab.ToScript(tr)
	for _, s := range secrets {
		if strings.Contains(all, s) {
			t.Errorf("%q is in the record", s)
		}
	}
	shown := []string{tr.Head.URL, tr.Head.Source, tr.Done.Err, strings.ReplaceAll(jsonOf(t, tr), "\n", "")}
	for i := range tr.Attempts {
		shown = append(shown, tr.Attempts[i].Err)
	}
	for _, s := range shown {
		if trace.Clean(s) != s {
			t.Errorf("not clean: %q", s)
		}
	}
}

func TestWireTLS(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = quiet()
	srv.StartTLS()
	defer srv.Close()
	tr := request(t, lab.Request{URL: srv.URL}, quick, nil)
	if a := tr.Attempts[0]; a.Outcome.Kind != engine.KindTransport || a.Outcome.Cause != engine.CauseTLS || !a.Outcome.Permanent || len(tr.Attempts) != 1 {
		t.Errorf("%+v: %s", a.Outcome, a.Err)
	}
	// And with a server that is trusted, over HTTP/2, the phases are there.
	tr = request(t, lab.Request{URL: srv.URL}, quick, func(c *lab.LiveConfig) {
		base, ok := srv.Client().Transport.(*http.Transport)
		if !ok {
			t.Fatal("not a transport")
		}
		c.Base = base
	})
	if a := tr.Attempts[0]; a.Outcome.Status != http.StatusNotFound || a.Detail.Phases.TLS <= 0 || a.Detail.Phases.Connect <= 0 || a.Detail.Phases.Wait <= 0 {
		t.Errorf("%+v: %+v", a.Outcome, a.Detail)
	}
	srv.Client().CloseIdleConnections()
}

func TestWireDetails(t *testing.T) {
	t.Parallel()
	var got []*http.Request
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Header.Set("Body", string(body))
		got = append(got, r)
		w.Header().Set("X-Request-Id", "id-1")
		w.Header().Set("Set-Cookie", "hunter=2")
		w.Header().Set("Content-Type", "application/json")
		if len(got) < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"a": 1}`)
	}))
	defer srv.Close()
	tr := request(t, lab.Request{
		Method: "POST", URL: strings.Replace(srv.URL, "http://", "http://me:hunter2@", 1) + "/p?q=1#frag", Key: "key-1",
		Header: http.Header{"X-A": {"b", "c"}, "Host": {"other.test"}}, Body: []byte("hello"), HasBody: true,
	}, quick, nil)
	want{attempts: 3}.check(t, "details", tr)
	for i, r := range got {
		user, password, _ := r.BasicAuth()
		if r.Method != "POST" || r.Header.Get("Idempotency-Key") != "key-1" || r.Header.Get("Body") != "hello" || user != "me" || password != "hunter2" ||
			r.Host != "other.test" || r.URL.RequestURI() != "/p?q=1" || len(r.Header["X-A"]) != 2 {
			t.Errorf("request %d: %+v", i+1, r)
		}
	}
	first, last := tr.Attempts[0].Detail, tr.Attempts[2].Detail
	if !first.HasPhases || first.Phases.Connect <= 0 || first.Phases.Wait <= 0 || first.Reused || first.Reason != "Service Unavailable" || first.Proto != "HTTP/1.1" {
		t.Errorf("first: %+v", first)
	}
	if !last.Reused || last.Phases.Connect != 0 || last.BodyBytes != 8 || last.BodyCut {
		t.Errorf("last: %+v", last)
	}
	if len(last.Headers) != 2 || last.Headers[0].Name != "Date" || last.Headers[1] != (trace.Header{Name: "X-Request-Id", Value: "id-1"}) {
		t.Errorf("headers: %+v", last.Headers)
	}
	if !strings.Contains(jsonOf(t, tr), `"phases_ms":{"dns":0,"connect":`) {
		t.Error("no phases in the JSON")
	}
	noSecret(t, tr, "hunter")
}

// A body without end is read up to a bound; one that trickles ends with the attempt's time.
func TestWireHugeAndSlowBodies(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{}, 2)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { gone <- struct{}{} }()
		if r.URL.Path == "/slow" {
			fmt.Fprint(w, "x")
			_ = http.NewResponseController(w).Flush() // a client that is gone shows below
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Length", "1073741824")
		chunk := make([]byte, 1<<16)
		for r.Context().Err() == nil {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	tr := request(t, lab.Request{URL: srv.URL + "/huge"}, quick, nil)
	want{attempts: 1}.check(t, "huge", tr)
	if d := tr.Attempts[0].Detail; d.BodyBytes != lab.BodyLimit || !d.BodyCut {
		t.Errorf("%+v", d)
	}
	<-gone
	tr = request(t, lab.Request{URL: srv.URL + "/slow"}, quick+"attempts=1 attempt-timeout=50ms", nil)
	want{result: engine.ResultFailed, reason: engine.ReasonAttempts, attempts: 1}.check(t, "slow", tr)
	if o := tr.Attempts[0].Outcome; o.Kind != engine.KindTimeout {
		t.Errorf("%+v", o)
	}
	<-gone
}

// raw serves one answer, byte for byte, to every request.
func raw(t *testing.T, answer string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, answer) // who has gone away is not written to
		_ = conn.Close()
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// Whatever a server puts into its answer changes nothing but words, and those are clean.
func TestWireHostileTexts(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]52;c;SGk=\x07\x1b[2J\u202e\u009b1m"
	for _, answer := range []string{
		"HTTP/1.1 503 " + evil + "\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 503 x\r\nX-Request-Id: " + evil + "\r\nRetry-After: " + evil + "\r\nContent-Length: 3\r\n\r\n\x1b[2",
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{\x1b[2J",
		"HTTP/1.1 " + evil + "\r\n\r\n",
		"HTTP/1.1 503 x\r\n" + evil + ": x\r\n\r\n",
		"HTTP/1.1 302 x\r\nLocation: http://h\x1b[2J/" + evil + "\r\n\r\n",
		"HTTP/1.1 302 x\r\nLocation: " + evil + "://\r\n\r\n",
		evil,
	} {
		tr := request(t, lab.Request{URL: raw(t, answer)}, quick+"attempts=2", nil)
		if tr.Done.Result != engine.ResultFailed {
			t.Errorf("%q: %+v", answer, tr.Done)
		}
		noSecret(t, tr)
		back, err := trace.Read(strings.NewReader(jsonOf(t, tr)))
		if err != nil || back.Done == nil || back.Done.Err != tr.Done.Err {
			t.Errorf("%q: not read back: %v", answer, err)
		}
		if _, err := script.Parse(lab.ToScript(tr)); err != nil {
			t.Errorf("%q: its script: %v", answer, err)
		}
	}
}

// byName dials the same server for every name, so that a chain goes from host to host and no name is looked up.
func byName(srv *httptest.Server) *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, srv.Listener.Addr().String())
	}}
}

type seen struct {
	method, host, path, body string
	header                   http.Header
}

// hops runs a request against a server of many names that sends it on by table: "host/path" to a status and a Location.
func hops(t *testing.T, r lab.Request, table map[string]string) (*trace.Trace, []seen) {
	t.Helper()
	var all []seen
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		all = append(all, seen{r.Method, r.Host, r.URL.RequestURI(), string(body), r.Header.Clone()})
		next, ok := table[r.Host+r.URL.Path]
		if !ok {
			return
		}
		var status int
		var location string
		if _, err := fmt.Sscanf(next, "%d %s", &status, &location); err != nil {
			t.Error(err)
		}
		w.Header().Set("Location", location)
		w.WriteHeader(status)
	}))
	defer srv.Close()
	base := byName(srv)
	defer base.CloseIdleConnections()
	tr := request(t, r, quick, func(c *lab.LiveConfig) { c.Base = base })
	return tr, all
}

// To another host go the method and the body, and no secret of any kind.
func TestWireRedirectToAnotherHost(t *testing.T) {
	t.Parallel()
	r := lab.Request{
		Method: "POST", URL: "http://user:hunter2@a.test/?token=hunter3", Key: "k", Body: []byte("hello"), HasBody: true,
		Header: http.Header{"X-Api-Key": {"hunter4"}, "Cookie": {"c=hunter5"}, "X-Auth-Token": {"hunter6"}, "Accept": {"text/plain"}},
	}
	tr, all := hops(t, r, map[string]string{"a.test/": "307 /here?key=hunter7", "a.test/here": "308 http://b.test/there", "b.test/there": "307 http://a.test/back"})
	want{attempts: 1}.check(t, "chain", tr)
	if len(all) != 4 || tr.Attempts[0].Detail.Redirects != 3 || !strings.Contains(jsonOf(t, tr), `"redirects":3`) {
		t.Fatalf("%d requests, %+v", len(all), tr.Attempts[0].Detail)
	}
	for i, s := range all {
		if s.method != "POST" || s.body != "hello" || s.header.Get("Idempotency-Key") != "k" || s.header.Get("Accept") != "text/plain" {
			t.Errorf("request %d: %+v", i+1, s)
		}
		secrets := strings.Count(fmt.Sprintf("%v", s.header), "hunter")
		if wantSecrets := map[bool]int{true: 3, false: 0}[i < 2]; secrets != wantSecrets && s.header.Get("Authorization") == "" || i >= 2 && s.header.Get("Authorization") != "" {
			t.Errorf("request %d has %d secrets: %v", i+1, secrets, s.header)
		}
		if i < 2 && s.header.Get("Authorization") == "" {
			t.Errorf("request %d lacks its own: %v", i+1, s.header)
		}
	}
	for i, referer := range []string{"", "http://a.test/", "http://a.test/", "http://b.test/"} {
		if got := all[i].header.Get("Referer"); got != referer {
			t.Errorf("request %d: referer %q, want %q", i+1, got, referer)
		}
	}
	noSecret(t, tr, "hunter")
}

// A redirect that cannot be followed, for its body is gone, is no success.
func TestWireRedirectNotFollowed(t *testing.T) {
	t.Parallel()
	r := lab.Request{Method: "PUT", URL: "http://a.test/", Body: []byte("hello"), HasBody: true, BodyOnce: true}
	tr, all := hops(t, r, map[string]string{"a.test/": "307 http://b.test/"})
	want{result: engine.ResultFailed, reason: engine.ReasonNotReplayable, attempts: 1, err: "307"}.check(t, "307", tr)
	if len(all) != 1 || tr.Attempts[0].Outcome.Kind != engine.KindStatus {
		t.Errorf("%d requests, %+v", len(all), tr.Attempts[0].Outcome)
	}
}

func TestWireRedirectLoop(t *testing.T) {
	t.Parallel()
	tr, all := hops(t, lab.Request{URL: "http://a.test/?code=hunter2"}, map[string]string{"a.test/": "302 http://b.test/?code=hunter3", "b.test/": "302 http://a.test/?code=hunter2"})
	want{result: engine.ResultFailed, reason: engine.ReasonNotRetryable, attempts: 1, err: "redirect loop"}.check(t, "loop", tr)
	if a := tr.Attempts[0]; a.Outcome.Cause != engine.CauseRedirectLoop || len(all) != 10 || a.Detail.Redirects != 9 || !strings.Contains(tr.Done.Err, "after 9 hops") {
		t.Errorf("%d requests, %+v, %s", len(all), a, tr.Done.Err)
	}
	noSecret(t, tr, "hunter")
}

// A redirect that is followed is a send like any other for the hard stop on them.
func TestRedirectsCountAsSends(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		script          string
		sends, requests int
		attempts        int
		reason          engine.Reason
		err             string
	}{
		{`302 header="Location: /"`, 3, 3, 1, engine.ReasonNotRetryable, "no send is left to follow it"},
		{`302 header="Location: /b", 503 x2, 302 header="Location: /b", 200`, 3, 3, 2, engine.ReasonMaxSends, "503"},
		{`302 header="Location: /b", 200`, 2, 2, 1, engine.ReasonNone, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var count *counted
			l := live(t, tc.script, "jitter=none", func(c *lab.LiveConfig) {
				count = &counted{RoundTripper: c.Base}
				c.Base, c.MaxSends = count, tc.sends
			})
			tr := started(t.Context(), t, l)()
			if count.n != tc.requests || len(tr.Attempts) != tc.attempts || tr.Done.Reason != tc.reason || !strings.Contains(tr.Done.Err, tc.err) {
				t.Errorf("%s: %d requests in %d attempts, %v, %q", tc.script, count.n, len(tr.Attempts), tr.Done.Reason, tr.Done.Err)
			}
		})
	}
}

// counted counts what is sent.
type counted struct {
	http.RoundTripper
	n int
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.n++
	return c.RoundTripper.RoundTrip(r)
}

func TestWireRedirectElsewhere(t *testing.T) {
	t.Parallel()
	for _, location := range []string{"ftp://h/", "javascript:alert(1)", "http://[::1/", "http:///x"} {
		tr, _ := hops(t, lab.Request{URL: "http://a.test/"}, map[string]string{"a.test/": "302 " + location})
		if tr.Done.Result != engine.ResultFailed || tr.Attempts[0].Outcome.Kind == engine.KindSuccess || tr.Attempts[0].Outcome.Kind == engine.KindUnknown {
			t.Errorf("%s: %+v", location, tr.Attempts[0].Outcome)
		}
	}
}

// A 503 at the end of a chain is retried from its beginning.
func TestWireRedirectsAreOneAttempt(t *testing.T) {
	t.Parallel()
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/end", http.StatusFound)
			return
		}
		if n++; n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer srv.Close()
	tr := request(t, lab.Request{URL: srv.URL}, quick, nil)
	want{attempts: 2}.check(t, "chain", tr)
	if n != 2 || tr.Attempts[0].Detail.Redirects != 1 || tr.Attempts[1].Detail.Redirects != 1 {
		t.Errorf("%d, %+v", n, tr.Attempts)
	}
}

// The caller's own request and body are left as they were.
func TestRequestIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	r := lab.Request{Method: "POST", URL: served(t, `307 header="Location: /x", 503, 200`), Key: "k", Header: http.Header{"Host": {"h.test"}, "X": {"y"}}, Body: []byte("hello"), HasBody: true}
	was := lab.Request{Method: r.Method, URL: r.URL, Key: r.Key, Header: r.Header.Clone(), Body: []byte("hello"), HasBody: true}
	request(t, r, quick, nil)
	if !reflect.DeepEqual(r, was) {
		t.Errorf("%+v", r)
	}
}

// A cancel of a run over the wire ends it at once, wherever it is.
func TestWireCancel(t *testing.T) {
	t.Parallel()
	url := served(t, "503, hang")
	for _, kind := range []trace.EventKind{trace.KindWait, trace.KindAttempt} {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		cfg := lab.LiveConfig{Config: lab.Config{Policy: policy(t, "base=1h cap=1h jitter=none"), Request: lab.Request{URL: url}, Draw: -1}}
		cfg.Observe = func(_ *trace.Trace, e trace.Event) {
			if n++; e.Kind == kind {
				time.AfterFunc(ms, cancel)
			}
		}
		l, err := lab.NewLive(cfg)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := l.Run(ctx)
		cancel()
		if err != nil || tr.Done.Result != engine.ResultCancelled || !tr.Checks.OK() {
			t.Errorf("%v, %+v, %v", err, tr.Done, tr.Broken)
		}
	}
}

// A success is one whose body came whole, as far as it is read: a cut or a fault far into it counts.
func TestWireLongBodies(t *testing.T) {
	t.Parallel()
	const length = 2 << 20
	long := `["` + strings.Repeat("a", length) + `"]`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/cut":
			w.Header().Set("Content-Length", strconv.Itoa(length))
			fmt.Fprint(w, strings.Repeat("a", 65<<10)) // the handler's end closes the connection
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, long)
		case "/badjson":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, long+" x")
		case "/badthencut":
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(length))
			fmt.Fprint(w, "x"+strings.Repeat("a", 65<<10))
		}
	}))
	defer srv.Close()
	for _, tt := range []struct {
		path  string
		kind  engine.Kind
		cause engine.Cause
		words string
	}{
		{"/cut", engine.KindInvalidResponse, engine.CauseCut, ""},
		{"/json", engine.KindSuccess, engine.CauseNone, ""},
		{"/badjson", engine.KindDecoding, engine.CauseNone, fmt.Sprintf("wrong at byte %d of %d", length+6, length+6)},
		{"/badthencut", engine.KindInvalidResponse, engine.CauseCut, ""},
	} {
		tr := request(t, lab.Request{URL: srv.URL + tt.path}, quick+"attempts=1", nil)
		a := tr.Attempts[0]
		if a.Outcome.Kind != tt.kind || a.Outcome.Cause != tt.cause || a.Detail.BodyCut || !strings.Contains(a.Err, tt.words) {
			t.Errorf("%s: %+v %q", tt.path, a.Outcome, a.Err)
		}
	}
}
