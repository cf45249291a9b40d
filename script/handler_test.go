package script_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
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

// serve serves a script on a virtual clock, over loopback.
func serve(t *testing.T, text string, opt script.Options) *httptest.Server {
	t.Helper()
	if opt.Clock == nil {
		opt.Clock = engine.NewVirtual(wall)
	}
	server := httptest.NewServer(script.NewHandler(mustParse(t, text), 1, opt))
	t.Cleanup(server.Close)
	return server
}

// raw sends bytes over a fresh connection and gives all that comes back.
func raw(t *testing.T, server *httptest.Server, text string) (string, error) {
	t.Helper()
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(c)
	if closed := c.Close(); closed != nil {
		t.Error(closed)
	}
	return string(data), err
}

const (
	get  = "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
	head = "HEAD / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n"
	post = "POST / HTTP/1.1\r\nHost: test\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
)

// What goes over the wire, byte for byte (but for the order of the headers
// where net/http writes them: there it sorts).
func TestHandlerWire(t *testing.T) {
	t.Parallel()
	const date, text, end = "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n", "Content-Type: text/plain; charset=utf-8\r\n", "Connection: close\r\n"
	tests := []struct{ text, send, want string }{
		{"503 body=busy", get, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n" + text + date + end + "\r\nbusy"},
		{"503 body=busy", post, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n" + text + date + end + "\r\nbusy"},
		{"503 body=busy", head, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n" + text + date + end + "\r\n"},
		{"204", get, "HTTP/1.1 204 No Content\r\n" + date + end + "\r\n"},
		{"304 after=1", get, "HTTP/1.1 304 Not Modified\r\n" + date + "Retry-After: 1\r\n" + end + "\r\n"},
		{"599 header=Content-Type:a/b", get, "HTTP/1.1 599 status code 599\r\nContent-Length: 0\r\nContent-Type: a/b\r\n" + date + end + "\r\n"},
		{
			`429 after="Wed, 21 Oct 2026 07:28:00 GMT" date="then" header=X-B:2 header="x-b: \x1b[2J"`, get,
			"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n" + text + "Date: then\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\nX-B: 2\r\nX-B: \x1b[2J\r\n" + end + "\r\n",
		},
		{"429 after= date=", get, "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n" + text + "Date: \r\nRetry-After: \r\n" + end + "\r\n"},
		{`429 after="  7 "`, get, "HTTP/1.1 429 Too Many Requests\r\nRetry-After:   7 \r\n" + text + date + end + "Content-Length: 0\r\n\r\n"},
		{`503 reason="Go away" body=x`, get, "HTTP/1.1 503 Go away\r\n" + text + date + end + "Content-Length: 1\r\n\r\nx"},
		{`503 reason= body=x header=Connection:close date=d`, head, "HTTP/1.1 503 \r\nDate: d\r\n" + end + text + "Content-Length: 1\r\n\r\n"},
		{"cut body=half", get, "HTTP/1.1 200 OK\r\nContent-Length: 68\r\n" + text + date + end + "\r\nhalf"},
		{`cut body=half reason=Fine`, get, "HTTP/1.1 200 Fine\r\n" + text + date + end + "Content-Length: 68\r\n\r\nhalf"},
		{"cut body=half", head, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n" + text + date + end + "\r\n"},
		{"badjson body=<html>", get, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nContent-Type: application/json\r\n" + date + end + "\r\n<html>"},
		{"garbage", get, "this is not HTTP\r\n\r\n"},
		{"eof", get, ""},
		{"eof", post, ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			got, err := raw(t, serve(t, tt.text, script.Options{}), tt.send)
			if err != nil || got != tt.want {
				t.Errorf("%v\n%q\nwant\n%q", err, got, tt.want)
			}
		})
	}
}

func TestHandlerResets(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"reset", "refused", "dns", "tls", "reset latency=1h"} {
		for _, sent := range []string{get, post} {
			if got, err := raw(t, serve(t, text, script.Options{}), sent); got != "" || !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("%s: %q, %v", text, got, err)
			}
		}
	}
}

// Fake and wire agree: net/http makes of the handler's answers what the
// transport gives, in status, headers, body and type of error.
func TestFakeAndWireAgree(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"503 body=busy", "204", "429 after=2 date=then", "429 after=", `503 reason="Go away"`, "cut", "badjson", "reset", "eof", "garbage",
		"50% 200, 50% 503",
	} {
		server := serve(t, text, script.Options{})
		wire := &http.Transport{DisableKeepAlives: true}
		fake := script.NewTransport(mustParse(t, text), engine.NewVirtual(wall), 1)
		for n := range 10 {
			got, want := see(t, wire, server.URL), see(t, fake, server.URL)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, request %d: wire %+v\nfake %+v", text, n+1, got, want)
			}
		}
	}
}

type sight struct {
	status, after, date, kind, body string
	length                          int64
	first                           bool // a byte of the answer came
	text                            string
}

func see(t *testing.T, rt http.RoundTripper, url string) (s sight) {
	t.Helper()
	trace := &httptrace.ClientTrace{GotFirstResponseByte: func() { s.first = true }}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rt.RoundTrip(req)
	if err == nil {
		var data []byte
		data, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		s.status, s.body, s.length = resp.Status, string(data), resp.ContentLength
		s.after, s.kind = fmt.Sprintf("%q", resp.Header.Values("Retry-After")), resp.Header.Get("Content-Type")
		if s.date = resp.Header.Get("Date"); s.date == wall.Format(http.TimeFormat) {
			s.date = "" // the server's own, which the fake leaves out
		}
	}
	var op *net.OpError
	switch {
	case err == nil:
	case errors.As(err, &op):
		s.text = fmt.Sprint(op.Op, errors.Is(err, syscall.ECONNRESET))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		s.text = err.Error()
	default: // net/http has no type for it; its own words are at the end
		s.text = err.Error()[strings.LastIndex(err.Error(), "malformed"):]
	}
	return s
}

func TestHandlerHang(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"hang", "200 latency=1h"} {
		arrived, left := make(chan struct{}), make(chan any)
		handler := script.NewHandler(mustParse(t, text), 1, script.Options{OnRequest: func(script.Request) { close(arrived) }}) // the real clock
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				why := recover()
				left <- why
				panic(why)
			}()
			handler.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = server.Client().Do(req); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", text, err)
		}
		if why := <-left; why != http.ErrAbortHandler { //nolint:errorlint // a panic value
			t.Errorf("%s: left with %v", text, why)
		}
	}
}

func TestHandlerTells(t *testing.T) {
	t.Parallel()
	var got []script.Request
	clock := engine.NewVirtual(wall)
	if err := clock.Wait(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	server := serve(t, "@0s 503 latency=2s, @3s reset", script.Options{Clock: clock, OnRequest: func(r script.Request) { got = append(got, r) }})
	for _, path := range []string{"/a?secret=1", "/b%20c"} {
		resp, err := server.Client().Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := raw(t, server, post); err == nil {
		t.Error("the third request was answered")
	}
	server.Close()
	want := []script.Request{
		{N: 1, Method: "GET", Path: "/a", Step: 1, Answer: "503"},
		{N: 2, T: 2 * time.Second, Gap: 2 * time.Second, Method: "GET", Path: "/b%20c", Step: 1, Answer: "503"},
		{N: 3, T: 4 * time.Second, Gap: 2 * time.Second, Method: "POST", Path: "/", Step: 2, Answer: "reset"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// Requests that come together are each given a number and a step of their own.
func TestHandlerNumbers(t *testing.T) {
	t.Parallel()
	const many = 40
	var got []int // written in the callback, which runs one call at a time
	server := serve(t, "503 x20, 200", script.Options{Clock: engine.Real(), OnRequest: func(r script.Request) { got = append(got, r.N*10+r.Step) }})
	var mu sync.Mutex
	statuses := map[int]int{}
	var wg sync.WaitGroup
	for range many {
		wg.Go(func() {
			resp, err := server.Client().Get(server.URL)
			if err != nil {
				t.Error(err)
				return
			}
			_ = resp.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			statuses[resp.StatusCode]++
		})
	}
	wg.Wait()
	var want []int
	for n := 1; n <= many; n++ {
		want = append(want, n*10+1+(n-1)/20)
	}
	if !slices.Equal(got, want) || !reflect.DeepEqual(statuses, map[int]int{503: 20, 200: 20}) {
		t.Errorf("%v, statuses %v", got, statuses)
	}
}

// Where there is no connection to take (a recorder, HTTP/2) the request is
// aborted or, for a plain answer, answered without its reason.
func TestHandlerWithoutConnection(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"reset", "eof", "garbage", "cut", "hang"} {
		func() {
			defer func() {
				if why := recover(); why != http.ErrAbortHandler { //nolint:errorlint // a panic value
					t.Errorf("%s: %v", text, why)
				}
			}()
			script.NewHandler(mustParse(t, text), 1, script.Options{Clock: engine.NewVirtual(wall)}).
				ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody))
			t.Errorf("%s: came back", text)
		}()
	}
	w := httptest.NewRecorder()
	script.NewHandler(mustParse(t, "503 reason=X after=1 body=b"), 1, script.Options{}).
		ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	if w.Code != 503 || w.Header().Get("Retry-After") != "1" || w.Body.String() != "b" {
		t.Errorf("%d %v %q", w.Code, w.Header(), w.Body)
	}
}

func TestHandlerOverTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(script.NewHandler(mustParse(t, "200 reason=Fine, reset, eof"), 1, script.Options{Clock: engine.NewVirtual(wall)}))
	t.Cleanup(server.Close)
	resp, err := server.Client().Get(server.URL)
	if err != nil || resp.Status != "200 Fine" {
		t.Fatalf("%v %v", resp, err)
	}
	_ = resp.Body.Close()
	if _, err = server.Client().Get(server.URL); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("reset: %v", err)
	}
	if _, err = server.Client().Get(server.URL); !errors.Is(err, io.EOF) {
		t.Errorf("eof: %v", err)
	}
}

func TestWireCaveats(t *testing.T) {
	t.Parallel()
	got := mustParse(t, "200, refused x2, dns, hang, tls, reset, eof, cut, garbage, badjson").WireCaveats()
	if len(got) != 3 {
		t.Fatalf("%q", got)
	}
	for i, start := range []string{"step 2: refused: ", "step 3: dns: ", "step 5: tls: "} {
		if !strings.HasPrefix(got[i], start) || !strings.Contains(got[i], "reset") {
			t.Errorf("%q", got[i])
		}
	}
}
