package httpretry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// instantly runs the loop in virtual time, so that an example does not wait.
func instantly() httpretry.Option {
	return httpretry.WithEngine(engine.WithClock(engine.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))))
}

// flaky answers 503 twice, then 200.
func flaky() http.RoundTripper {
	n := 0
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		n++
		fmt.Println(strings.TrimSpace(fmt.Sprintln("send", n, req.Method, req.Header.Get("Idempotency-Key"))))
		if n < 3 {
			return response(503, strings.NewReader("busy"), 4), nil
		}
		return response(200, strings.NewReader(`{"ok":true}`), 11), nil
	})
}

func Example() {
	transport, err := httpretry.New(flaky(), engine.Default(), instantly())
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: transport}
	resp, err := client.Get("http://peer.test/")
	if err != nil {
		fmt.Println(err) // only where there is no answer at all
		return
	}
	text, err := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(text), err, resp.Body.Close())
	// Output:
	// send 1 GET
	// send 2 GET
	// send 3 GET
	// 200 {"ok":true} <nil> <nil>
}

func ExampleNew() {
	_, err := httpretry.New(nil, engine.Policy{Attempts: -1})
	var field *engine.FieldError
	fmt.Println(errors.As(err, &field))
	// Output: true
}

func ExampleTransport_RoundTrip() {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	transport, err := httpretry.New(roundTripper(func(*http.Request) (*http.Response, error) { return nil, refused }), engine.Default(), instantly())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = transport.RoundTrip(httptest.NewRequest(http.MethodPost, "http://peer.test/", strings.NewReader("hello")))
	var failed *httpretry.Error
	fmt.Println(errors.As(err, &failed), failed.Report.Attempts, failed.Report.Reason, errors.Is(err, syscall.ECONNREFUSED))
	// Output: true 4 attempts-exhausted true
}

func ExampleWithPolicy() {
	transport, err := httpretry.New(flaky(), engine.Default(), instantly())
	if err != nil {
		fmt.Println(err)
		return
	}
	once := engine.Default()
	once.Attempts = 1
	req := httptest.NewRequest(http.MethodGet, "http://peer.test/", nil)
	resp, err := transport.RoundTrip(req.WithContext(httpretry.WithPolicy(context.Background(), once)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.StatusCode, resp.Body.Close())
	// Output:
	// send 1 GET
	// 503 <nil>
}

func ExampleTransport_SetPolicy() {
	transport, err := httpretry.New(nil, engine.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	p := transport.Policy()
	p.Attempts = 6
	fmt.Println(transport.SetPolicy(p), transport.Policy().Attempts)
	p.Attempts = 0
	fmt.Println(transport.SetPolicy(p) != nil, transport.Policy().Attempts)
	// Output:
	// <nil> 6
	// true 6
}

// A Transport keeps no connections; those of the transport below are closed through it, as by http.Client.
func ExampleTransport_CloseIdleConnections() {
	var accepted atomic.Int32
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			accepted.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	transport, err := httpretry.New(nil, engine.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: transport}
	for range 2 {
		resp, err := client.Get(server.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = io.Copy(io.Discard, resp.Body)
		fmt.Println(resp.StatusCode, err, resp.Body.Close())
		client.CloseIdleConnections()
	}
	fmt.Println(accepted.Load(), "connections")
	// Output:
	// 404 <nil> <nil>
	// 404 <nil> <nil>
	// 2 connections
}

func ExampleWithEngine() {
	budget := engine.NewBudget(engine.BudgetRule{Kind: engine.BudgetTokens, Capacity: 10, Cost: 10, Credit: 1})
	p := engine.Default()
	p.Budget = engine.BudgetRule{Kind: engine.BudgetTokens, Capacity: 10, Cost: 10, Credit: 1}
	transport, err := httpretry.New(flaky(), p, instantly(), httpretry.WithEngine(engine.WithBudget(budget)))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "http://peer.test/", nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	report, _ := httpretry.ReportOf(resp)
	fmt.Println(resp.StatusCode, report.Reason, resp.Body.Close())
	// Output:
	// send 1 GET
	// send 2 GET
	// 503 budget-exhausted <nil>
}

func ExampleWithGeneratedKey() {
	transport, err := httpretry.New(flaky(), engine.Default(), instantly(), httpretry.WithGeneratedKey(func() string { return "key-1" }))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := (&http.Client{Transport: transport}).Post("http://peer.test/", "text/plain", strings.NewReader("hello"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.StatusCode, resp.Body.Close())
	// Output:
	// send 1 POST key-1
	// send 2 POST key-1
	// send 3 POST key-1
	// 200 <nil>
}

func ExampleWithRead() {
	n := 0
	cutOnce := roundTripper(func(*http.Request) (*http.Response, error) {
		if n++; n == 1 {
			return response(200, io.MultiReader(strings.NewReader("hel"), broken{io.ErrUnexpectedEOF}), 5), nil
		}
		return response(200, strings.NewReader("hello"), 5), nil
	})
	transport, err := httpretry.New(cutOnce, engine.Default(), instantly(), httpretry.WithRead(1<<20))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "http://peer.test/", nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := io.ReadAll(resp.Body)
	fmt.Println(n, string(text), err, resp.Body.Close())
	// Output: 2 hello <nil> <nil>
}

func ExampleWithInspect() {
	n := 0
	halfJSON := roundTripper(func(*http.Request) (*http.Response, error) {
		if n++; n == 1 {
			return response(200, strings.NewReader(`{"ok":`), -1), nil
		}
		return response(200, strings.NewReader(`{"ok":true}`), -1), nil
	})
	isJSON := func(_ *http.Response, body []byte) error {
		if !json.Valid(body) {
			return engine.Transient(errors.New("no JSON"))
		}
		return nil
	}
	transport, err := httpretry.New(halfJSON, engine.Default(), instantly(), httpretry.WithRead(1<<20), httpretry.WithInspect(isJSON))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "http://peer.test/", nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := io.ReadAll(resp.Body)
	fmt.Println(n, string(text), err, resp.Body.Close())
	// Output: 2 {"ok":true} <nil> <nil>
}

func ExampleWithAttemptHook() {
	hook := func(i httpretry.Info) { fmt.Println("attempt", i.Attempt, i.Status, i.Reason) }
	transport, err := httpretry.New(flaky(), engine.Default(), instantly(), httpretry.WithAttemptHook(hook))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := transport.RoundTrip(httptest.NewRequest(http.MethodGet, "http://peer.test/", nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Body.Close())
	// Output:
	// send 1 GET
	// attempt 1 503 Service Unavailable
	// send 2 GET
	// attempt 2 503 Service Unavailable
	// send 3 GET
	// attempt 3 200 OK
	// <nil>
}

func ExampleReportOf() {
	transport, err := httpretry.New(flaky(), engine.Default(), httpretry.WithEngine(
		engine.WithClock(engine.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))), engine.WithDraw(1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := (&http.Client{Transport: transport}).Get("http://peer.test/")
	if err != nil {
		fmt.Println(err)
		return
	}
	report, ok := httpretry.ReportOf(resp)
	fmt.Println(ok, report.Result, report.Attempts, report.Waited, resp.Body.Close())
	// Output:
	// send 1 GET
	// send 2 GET
	// send 3 GET
	// true succeeded 3 600ms <nil>
}

func ExampleErrorOf() {
	p := engine.Default()
	p.Attempts = 2
	transport, err := httpretry.New(flaky(), p, instantly())
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := (&http.Client{Transport: transport}).Get("http://peer.test/")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.StatusCode, resp.Body.Close())
	fmt.Println(httpretry.ErrorOf(resp))
	// Output:
	// send 1 GET
	// send 2 GET
	// 503 <nil>
	// 503 Service Unavailable (attempts-exhausted after 2 attempts)
}

func ExampleClassify() {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	o := httpretry.Classify(nil, fmt.Errorf("outer: %w", refused), nil)
	fmt.Println(o.Kind, o.Cause, "not sent:", o.NotSent)
	o = httpretry.Classify(&http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"7"}}}, nil, nil)
	fmt.Println(o.Kind, o.Status, o.Hint.Wait)
	// Output:
	// transport refused not sent: true
	// status 429 7s
}

func ExampleCheckProxy() {
	base := &http.Transport{Proxy: http.ProxyFromEnvironment, OnProxyConnectResponse: httpretry.CheckProxy}
	_, err := httpretry.New(base, engine.Default())
	fmt.Println(err)
	refusal := &httpretry.ProxyError{Proxy: "proxy.test:3128", Status: 407}
	fmt.Println(refusal)
	fmt.Println(httpretry.Classify(nil, refusal, nil).Permanent)
	// Output:
	// <nil>
	// proxy proxy.test:3128 answered 407 Proxy Authentication Required to CONNECT
	// true
}
