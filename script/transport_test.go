package script_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/script"
)

var wall = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func request(ctx context.Context, t testing.TB, method string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "http://example.test/path?key=value", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// send sends a GET and reads the answer.
func send(t testing.TB, rt http.RoundTripper) (resp *http.Response, body string, err error) {
	t.Helper()
	resp, err = rt.RoundTrip(request(t.Context(), t, http.MethodGet))
	if err != nil {
		return nil, "", err
	}
	data, err := io.ReadAll(resp.Body)
	if closed := resp.Body.Close(); closed != nil {
		t.Error(closed)
	}
	return resp, string(data), err
}

func TestTransportAnswers(t *testing.T) {
	t.Parallel()
	clock := engine.NewVirtual(wall)
	rt := script.NewTransport(mustParse(t, `503 latency=120ms body=busy, 429 x2 after="  7 " date=then reason="Slow down" header="x-a: 1" header="X-A: 2", 204, 599 header=Content-Type:a/b`), clock, 1)
	text := "text/plain; charset=utf-8"
	slow := http.Header{"Retry-After": {"  7 "}, "Date": {"then"}, "X-A": {"1", "2"}, "Content-Type": {text}, "Content-Length": {"0"}}
	wants := []struct {
		status string
		header http.Header
		body   string
	}{
		{"503 Service Unavailable", http.Header{"Content-Type": {text}, "Content-Length": {"4"}}, "busy"},
		{"429 Slow down", slow, ""},
		{"429 Slow down", slow, ""},
		{"204 No Content", http.Header{}, ""},
		{"599 status code 599", http.Header{"Content-Type": {"a/b"}, "Content-Length": {"0"}}, ""},
		{"599 status code 599", http.Header{"Content-Type": {"a/b"}, "Content-Length": {"0"}}, ""},
	}
	for i, want := range wants {
		resp, body, err := send(t, rt)
		if err != nil {
			t.Fatal(err)
		}
		if resp.Status != want.status || body != want.body || !reflect.DeepEqual(resp.Header, want.header) {
			t.Errorf("answer %d: %s %v %q\nwant %s %v %q", i+1, resp.Status, resp.Header, body, want.status, want.header, want.body)
		}
		if resp.ContentLength != int64(len(want.body)) || resp.Request == nil || resp.Proto != "HTTP/1.1" {
			t.Errorf("answer %d: length %d, request %v, %s", i+1, resp.ContentLength, resp.Request, resp.Proto)
		}
	}
	if clock.Now() != 120*time.Millisecond {
		t.Errorf("it took %v", clock.Now())
	}
	if rt.Requests() != len(wants) {
		t.Errorf("%d requests counted", rt.Requests())
	}
}

func TestTransportFailures(t *testing.T) {
	t.Parallel()
	as := func(target any) func(error) bool { return func(err error) bool { return errors.As(err, target) } }
	op := func(name string, errno syscall.Errno) func(error) bool {
		return func(err error) bool {
			var oe *net.OpError
			return errors.As(err, &oe) && oe.Op == name && oe.Addr.String() == "example.test:80" && errors.Is(err, errno)
		}
	}
	tests := []struct {
		word  string
		is    func(error) bool
		hooks string // those called, in order
	}{
		{"refused", op("dial", syscall.ECONNREFUSED), "get-conn connect connected:true"},
		{"dns", func(err error) bool {
			var oe *net.OpError
			var de *net.DNSError
			return errors.As(err, &oe) && oe.Op == "dial" && errors.As(err, &de) && de.IsNotFound && !de.Temporary() && de.Name == "example.test"
		}, "get-conn dns resolved:true"},
		{"tls", func(err error) bool {
			var ua x509.UnknownAuthorityError
			return as(new(*tls.CertificateVerificationError))(err) && errors.As(err, &ua)
		}, "get-conn connect connected:false tls secured:true"},
		{"reset", op("read", syscall.ECONNRESET), "get-conn connect connected:false got-conn headers request"},
		{"eof", func(err error) bool { return err == io.EOF }, "get-conn connect connected:false got-conn headers request"}, //nolint:errorlint // net/http gives it bare
		{"garbage", func(err error) bool {
			var ne net.Error
			return !errors.As(err, &ne) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
		}, "get-conn connect connected:false got-conn headers request first-byte"},
		{"cut", func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }, "get-conn connect connected:false got-conn headers request first-byte"},
		{"hang", func(err error) bool { return errors.Is(err, engine.ErrNeverEnds) }, "get-conn connect connected:false got-conn headers request"},
	}
	for _, tt := range tests {
		t.Run(tt.word, func(t *testing.T) {
			t.Parallel()
			clock := engine.NewVirtual(wall)
			text, took := tt.word, time.Duration(0)
			if tt.word != "hang" {
				text, took = tt.word+" latency=40ms", 40*time.Millisecond
			}
			rt := script.NewTransport(mustParse(t, text), clock, 1)
			var hooks []string
			ctx := httptrace.WithClientTrace(t.Context(), recorder(&hooks))
			resp, err := rt.RoundTrip(request(ctx, t, http.MethodGet))
			if tt.word == "cut" {
				_, err = io.ReadAll(resp.Body)
			}
			if err == nil || !tt.is(err) {
				t.Errorf("%T %v", err, err)
			}
			if got := strings.Join(hooks, " "); got != tt.hooks {
				t.Errorf("hooks %s\nwant  %s", got, tt.hooks)
			}
			if clock.Now() != took {
				t.Errorf("it took %v, want %v", clock.Now(), took)
			}
		})
	}
}

func recorder(hooks *[]string) *httptrace.ClientTrace {
	add := func(format string, args ...any) { *hooks = append(*hooks, fmt.Sprintf(format, args...)) }
	return &httptrace.ClientTrace{
		GetConn:      func(string) { add("get-conn") },
		DNSStart:     func(httptrace.DNSStartInfo) { add("dns") },
		DNSDone:      func(i httptrace.DNSDoneInfo) { add("resolved:%t", i.Err != nil) },
		ConnectStart: func(string, string) { add("connect") },
		ConnectDone:  func(_, _ string, err error) { add("connected:%t", err != nil) },
		GotConn: func(i httptrace.GotConnInfo) {
			add("got-conn")
			if i.Conn.RemoteAddr().String() != "example.test:80" {
				add("at %s", i.Conn.RemoteAddr())
			}
		},
		TLSHandshakeStart:    func() { add("tls") },
		TLSHandshakeDone:     func(_ tls.ConnectionState, err error) { add("secured:%t", err != nil) },
		WroteHeaders:         func() { add("headers") },
		WroteRequest:         func(httptrace.WroteRequestInfo) { add("request") },
		GotFirstResponseByte: func() { add("first-byte") },
		Got1xxResponse:       func(int, textproto.MIMEHeader) error { return nil },
	}
}

func TestTransportContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("the user went away")
	for _, text := range []string{
		"hang", "200 latency=1h", "refused latency=1h", "dns latency=1h", "tls latency=1h", "reset latency=1h", "cut latency=1h",
		"200 latency=2s", // the end of the context comes first at one instant
	} {
		clock := engine.NewVirtual(wall)
		rt := script.NewTransport(mustParse(t, text), clock, 1)
		ctx, cancel := context.WithCancelCause(t.Context())
		clock.At(2*time.Second, engine.RankCancel, func() { cancel(cause) })
		if _, err := rt.RoundTrip(request(ctx, t, http.MethodGet)); !errors.Is(err, cause) || clock.Now() != 2*time.Second {
			t.Errorf("%s: %v at %v", text, err, clock.Now())
		}
		body := &given{Reader: strings.NewReader("late")}
		req := request(ctx, t, http.MethodPost)
		req.Body = body
		if _, err := rt.RoundTrip(req); !errors.Is(err, cause) || body.closed != 1 || body.read != 0 || rt.Requests() != 1 {
			t.Errorf("%s: a request that was over: %v, body %+v, %d requests", text, err, body, rt.Requests())
		}
	}
	clock := engine.NewVirtual(wall)
	ctx, cancel := clock.WithTimeout(t.Context(), time.Second)
	defer cancel()
	rt := script.NewTransport(mustParse(t, "hang"), clock, 1)
	if _, err := rt.RoundTrip(request(ctx, t, http.MethodGet)); !errors.Is(err, context.DeadlineExceeded) || clock.Now() != time.Second {
		t.Errorf("%v at %v", err, clock.Now())
	}
}

func TestTransportWithoutURL(t *testing.T) {
	t.Parallel()
	body := &given{Reader: strings.NewReader("x")}
	rt := script.NewTransport(mustParse(t, "200"), engine.NewVirtual(wall), 1)
	if _, err := rt.RoundTrip(&http.Request{Body: body}); err == nil || body.closed != 1 || rt.Requests() != 0 {
		t.Errorf("%v, closed %d times", err, body.closed)
	}
}

func TestTransportAddress(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://a.test/": "a.test:80", "https://a.test/": "a.test:443", "https://a.test:8443/": "a.test:8443", "http://[::1]/": "[::1]:80",
	} {
		req := request(t.Context(), t, http.MethodGet)
		var err error
		if req.URL, err = req.URL.Parse(url); err != nil {
			t.Fatal(err)
		}
		_, err = script.NewTransport(mustParse(t, "refused"), engine.NewVirtual(wall), 1).RoundTrip(req)
		var op *net.OpError
		if !errors.As(err, &op) || op.Addr.String() != want || op.Addr.Network() != "tcp" {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestTransportByTime(t *testing.T) {
	t.Parallel()
	clock := engine.NewVirtual(wall)
	if err := clock.Wait(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	rt := script.NewTransport(mustParse(t, "@0s 503 latency=1s, @3s 200"), clock, 1)
	var got []int
	for range 5 { // at 0s, 1s, 2s, 3s, 3s: the time of arrival counts
		resp, _, err := send(t, rt)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, resp.StatusCode)
	}
	if want := []int{503, 503, 503, 200, 200}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// One seed gives one run, whatever else is drawn; another seed gives another.
func TestTransportByChance(t *testing.T) {
	t.Parallel()
	run := func(seed uint64) []int {
		rt := script.NewTransport(mustParse(t, "50% 200, 50% 503"), engine.NewVirtual(wall), seed)
		got := make([]int, 200)
		for i := range got {
			resp, _, err := send(t, rt)
			if err != nil {
				t.Fatal(err)
			}
			got[i] = resp.StatusCode
			if first := engine.Draw(seed, engine.PurposeScript, 0, uint64(i+1)) < 0.5; first != (got[i] == 200) {
				t.Fatalf("request %d got %d", i+1, got[i])
			}
		}
		return got
	}
	if !slices.Equal(run(7), run(7)) || slices.Equal(run(7), run(8)) {
		t.Error("a run is not of its seed alone")
	}
}

// Under a plain client the errors are those a caller knows, and many
// goroutines may send at once on the real clock.
func TestTransportUnderClient(t *testing.T) {
	t.Parallel()
	rt := script.NewTransport(mustParse(t, "503 x50, 200 x49, 418"), engine.Real(), 1)
	client := &http.Client{Transport: rt}
	var mu sync.Mutex
	got := map[int]int{}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			resp, err := client.Post("http://example.test/", "text/plain", bytes.NewReader([]byte("hello")))
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			got[resp.StatusCode]++
			if err := resp.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if want := map[int]int{503: 50, 200: 49, 418: 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
