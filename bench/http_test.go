package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/hashicorp/go-retryablehttp"
)

const (
	attemptTimeout = 10 * time.Second

	memoryURL = "http://memory.test/v1/things?page=2"
	smallBody = `{"id":"7f3a","name":"a small thing","tags":["one","two"],"ok":true}`
)

var errStatus = errors.New("the last answer was not a 200")

// memory answers at once and without a network: a number of 503s, then a 200, then the same again. It does what any
// transport must: it reads and closes the body it is sent, and makes a new answer with headers and a body.
type memory struct {
	fails, left int
	sends       int
}

func newMemory(fails int) *memory { return &memory{fails: fails, left: fails} }

func (m *memory) RoundTrip(req *http.Request) (*http.Response, error) {
	m.sends++
	if req.Body != nil {
		_, err := io.Copy(io.Discard, req.Body)
		if err = errors.Join(err, req.Body.Close()); err != nil {
			return nil, err
		}
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	status, text := http.StatusOK, "200 OK"
	if m.left > 0 {
		m.left--
		status, text = http.StatusServiceUnavailable, "503 Service Unavailable"
	} else {
		m.left = m.fails
	}
	body := &smallReader{}
	body.reader.Reset(smallBytes)
	return &http.Response{
		Status: text, StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Content-Type":   {"application/json"},
			"Content-Length": {strconv.Itoa(len(smallBody))},
			"Date":           {"Sun, 01 Mar 2026 12:00:00 GMT"},
		},
		Body: body, ContentLength: int64(len(smallBody)), Request: req,
	}, nil
}

var smallBytes = []byte(smallBody)

// smallReader is a small body that can be closed.
type smallReader struct{ reader bytes.Reader }

func (r *smallReader) Read(p []byte) (int, error) { return r.reader.Read(p) }

func (r *smallReader) Close() error { return nil }

// browser is one way to send a request and read the whole answer.
type browser struct {
	name string
	get  func(ctx context.Context, url string) error
}

// finish reads and closes what came back.
func finish(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return errStatus
	}
	return nil
}

// plain sends each request once through client.
func plain(name string, client *http.Client) browser {
	return browser{name, func(ctx context.Context, url string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		return finish(client.Do(req))
	}}
}

// plainTimeout gives each request as long as a policy with this attempt-timeout does.
func plainTimeout(name string, client *http.Client) browser {
	once := plain(name, client)
	return browser{name, func(ctx context.Context, url string) error {
		ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
		defer cancel()
		return once.get(ctx, url)
	}}
}

// byHand is the loop one writes around a client: drain, close, wait, send again.
func byHand(name string, client *http.Client) browser {
	return browser{name, func(ctx context.Context, url string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		for left := maxAttempts; ; left-- {
			resp, err := client.Do(req)
			if left == 1 || err != nil || resp.StatusCode < http.StatusInternalServerError {
				return finish(resp, err)
			}
			_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 4096))
			if err = errors.Join(err, resp.Body.Close()); err != nil {
				return err
			}
			timer := time.NewTimer(shortWait)
			select {
			case <-ctx.Done():
				timer.Stop()
				return context.Cause(ctx)
			case <-timer.C:
			}
		}
	}}
}

// cloner sends a copy of each request once: the least that a RoundTripper costs that may not write to what it is given,
// and has to send something of its own.
type cloner struct{ base http.RoundTripper }

func (c cloner) RoundTrip(req *http.Request) (*http.Response, error) {
	return c.base.RoundTrip(req.Clone(req.Context()))
}

// hashicorp is go-retryablehttp with its logger off.
func hashicorp(base http.RoundTripper) browser {
	client := retryablehttp.NewClient()
	client.HTTPClient = &http.Client{Transport: base}
	client.Logger = nil
	client.RetryMax = maxAttempts - 1
	client.RetryWaitMin, client.RetryWaitMax = shortWait, shortWait
	return browser{"retryablehttp", func(ctx context.Context, url string) error {
		req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		return finish(client.Do(req))
	}}
}

// failsafeHTTP is failsafe-go's RoundTripper. It leaves the bodies of failed answers unread and open.
func failsafeHTTP(base http.RoundTripper) browser {
	policy := failsafehttp.NewRetryPolicyBuilder().
		WithMaxAttempts(maxAttempts).
		WithDelay(shortWait).
		ReturnLastFailure().
		Build()
	return plain("failsafehttp", &http.Client{Transport: failsafehttp.NewRoundTripper(base, policy)})
}

// surf runs each browser against url; sends, where given, counts what reached the other side. The first operation of
// each, which makes the connection, is not counted.
func surf(b *testing.B, url string, fails int, all []browser, sends func() int) {
	ctx := context.Background()
	for _, c := range all {
		b.Run("by="+c.name, func(b *testing.B) {
			if err := c.get(ctx, url); err != nil {
				b.Fatal(err)
			}
			before := sends()
			b.ReportAllocs()
			for b.Loop() {
				if err := c.get(ctx, url); err != nil {
					b.Fatal(err)
				}
			}
			if got, want := sends()-before, b.N*(fails+1); got != want {
				b.Fatalf("%d sends in %d operations, want %d: not the same work", got, b.N, want)
			}
		})
	}
}

func BenchmarkTransportSuccess(b *testing.B) {
	m := newMemory(0)
	surf(b, memoryURL, m.fails, []browser{
		plain("ours", oursHTTP(b, m, 0)),
		plain("floor", &http.Client{Transport: m}),
		plain("floor-clone", &http.Client{Transport: cloner{m}}),
		hashicorp(m),
		failsafeHTTP(m),
	}, func() int { return m.sends })
}

func BenchmarkTransportSuccessTimeout(b *testing.B) {
	m := newMemory(0)
	surf(b, memoryURL, m.fails, []browser{
		plain("ours", oursHTTP(b, m, attemptTimeout)),
		plainTimeout("floor", &http.Client{Transport: m}),
	}, func() int { return m.sends })
}

func BenchmarkTransportThreeFailures(b *testing.B) {
	m := newMemory(3)
	surf(b, memoryURL, m.fails, []browser{
		plain("ours", oursHTTP(b, m, 0)),
		byHand("floor", &http.Client{Transport: m}),
		hashicorp(m),
		failsafeHTTP(m),
	}, func() int { return m.sends })
}

// BenchmarkPipeSuccess is the success through net/http's own client and server, over pipes in memory.
func BenchmarkPipeSuccess(b *testing.B) {
	server, served := serve(b, 0)
	far := make(chan net.Conn)
	server.Listener = &pipeListener{Listener: server.Listener, conns: far, done: make(chan struct{})}
	server.Start()
	defer server.Close()
	base := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		near, there := net.Pipe()
		select {
		case far <- there:
			return near, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	defer base.CloseIdleConnections()
	surf(b, memoryURL, 0, []browser{
		plain("ours", oursHTTP(b, base, 0)),
		plain("floor", &http.Client{Transport: base}),
	}, served)
}

// pipeListener hands out the far ends of pipes in place of what its Listener would accept.
type pipeListener struct {
	net.Listener

	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

func BenchmarkLoopbackSuccess(b *testing.B) {
	loopback(b, 0)
}

func BenchmarkLoopbackThreeFailures(b *testing.B) {
	loopback(b, 3)
}

func loopback(b *testing.B, fails int) {
	server, served := serve(b, fails)
	server.Start()
	defer server.Close()
	base := server.Client().Transport
	surf(b, server.URL, fails, []browser{
		plain("ours", oursHTTP(b, base, 0)),
		byHand("floor", &http.Client{Transport: base}),
		hashicorp(base),
	}, served)
}

// serve is a server, not yet started, that says 503 a number of times, then 200, then the same again.
func serve(b *testing.B, fails int) (server *httptest.Server, served func() int) {
	b.Helper()
	var count atomic.Int64
	left := fails
	server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		count.Add(1)
		w.Header().Set("Content-Type", "application/json")
		if left > 0 {
			left--
			w.WriteHeader(http.StatusServiceUnavailable)
		} else {
			left = fails
		}
		if _, err := io.WriteString(w, smallBody); err != nil {
			b.Error(err)
		}
	}))
	return server, func() int { return int(count.Load()) }
}
