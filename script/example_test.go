package script_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"syscall"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/script"
)

func ExampleParse() {
	s, err := script.Parse("503 x2, 429 latency=80ms after=2 # busy\nreset, 200")
	fmt.Println(s, err)
	// Output:
	// 503 x2, 429 after=2 latency=80ms, reset, 200 <nil>
}

func ExampleParse_faults() {
	_, err := script.Parse("503, 429 after, hang latency=1s")
	for _, fault := range script.Faults(err) {
		fmt.Println(fault)
	}
	// Output:
	// step 2, column 10: after has no value; it is written after=…; here may stand xN, latency, after, date, reason, header, body, a comma, a new line or the end
	// step 3, column 22: hang never answers, so it has no latency; here may stand xN, a comma, a new line or the end
}

func ExampleScript_StepFor() {
	s, err := script.Parse("@0s 503, @3s 200")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, at := range []time.Duration{0, 2999 * time.Millisecond, 3 * time.Second} {
		_, step := s.StepFor(1, at, 0)
		fmt.Println(at, step.Answer())
	}
	// Output:
	// 0s 503
	// 2.999s 503
	// 3s 200
}

func ExampleNewTransport() {
	s, err := script.Parse("reset latency=40ms, 503 latency=1h")
	if err != nil {
		fmt.Println(err)
		return
	}
	clock := engine.NewVirtual(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	client := &http.Client{Transport: script.NewTransport(s, clock, 42)}

	_, err = client.Get("http://example.test/")
	fmt.Println(errors.Is(err, syscall.ECONNRESET), clock.Now())

	resp, err := client.Get("http://example.test/")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Status, clock.Now(), resp.Body.Close())
	// Output:
	// true 40ms
	// 503 Service Unavailable 1h0m0.04s <nil>
}

func ExampleNewHandler() {
	s, err := script.Parse(`503 after=2 reason="Back soon"`)
	if err != nil {
		fmt.Println(err)
		return
	}
	tell := func(r script.Request) { fmt.Println(r.N, r.Method, r.Path, "step", r.Step, r.Answer) }
	server := httptest.NewServer(script.NewHandler(s, 42, script.Options{OnRequest: tell}))
	defer server.Close()

	resp, err := http.Get(server.URL + "/users")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Status, resp.Header.Get("Retry-After"), resp.Body.Close())
	// Output:
	// 1 GET /users step 1 503
	// 503 Back soon 2 <nil>
}

func ExampleFromAnswers() {
	fmt.Println(script.FromAnswers([]script.Answer{
		{Kind: "status", Status: 503, Latency: 80 * time.Millisecond, After: script.Value{Text: "2", Set: true}},
		{Kind: "timeout", Latency: 10 * time.Second},
		{Kind: "success", Status: 200},
	}))
	// Output:
	// 503 after=2 latency=80ms, hang, 200
}
