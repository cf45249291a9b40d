package httpretry_test

import (
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retryscope/retryscope/httpretry"
)

// A phase that the attempt ended in is as long as it got: what the attempt timeout cut short is what its reader is after.
func TestPhasesOfAnAttemptThatIsCut(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	type hooks = *httptrace.ClientTrace
	tests := []struct {
		name string
		do   func(h hooks, pass func(time.Duration))
		want [4]time.Duration // dns, connect, tls, wait
	}{
		{"in dns", func(h hooks, _ func(time.Duration)) { h.DNSStart(httptrace.DNSStartInfo{}) }, [4]time.Duration{300 * ms}},
		{"in connect", func(h hooks, pass func(time.Duration)) {
			h.DNSStart(httptrace.DNSStartInfo{})
			pass(50 * ms)
			h.DNSDone(httptrace.DNSDoneInfo{})
			h.ConnectStart("tcp", "a")
		}, [4]time.Duration{50 * ms, 250 * ms}},
		{"in tls", func(h hooks, pass func(time.Duration)) {
			h.ConnectStart("tcp", "a")
			pass(50 * ms)
			h.ConnectDone("tcp", "a", nil)
			h.TLSHandshakeStart()
		}, [4]time.Duration{0, 50 * ms, 250 * ms}},
		{"in wait", func(h hooks, pass func(time.Duration)) {
			h.GotConn(httptrace.GotConnInfo{})
			pass(10 * ms)
			h.WroteHeaders()
			h.WroteRequest(httptrace.WroteRequestInfo{})
		}, [4]time.Duration{3: 290 * ms}},
		{"another connection came free first", func(h hooks, pass func(time.Duration)) {
			h.ConnectStart("tcp", "a")
			pass(100 * ms)
			h.GotConn(httptrace.GotConnInfo{Reused: true})
			h.WroteHeaders()
		}, [4]time.Duration{1: 100 * ms, 3: 200 * ms}},
		{"sent again below, both waits", func(h hooks, pass func(time.Duration)) {
			h.WroteHeaders()
			pass(100 * ms)
			h.WroteHeaders()
		}, [4]time.Duration{3: 300 * ms}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var got [4]time.Duration
				base := roundTripper(func(req *http.Request) (*http.Response, error) {
					tt.do(httptrace.ContextClientTrace(req.Context()), func(d time.Duration) { <-time.After(d) })
					<-req.Context().Done()
					return nil, req.Context().Err()
				})
				rt := transport(t, base, "attempts=1 attempt-timeout=300ms", httpretry.WithAttemptHook(func(i httpretry.Info) {
					got = [4]time.Duration{i.DNS, i.Connect, i.TLS, i.Wait}
				}))
				if _, _, err := roundTrip(t, rt, request(t, http.MethodGet, "http://server.test/", nil)); err == nil {
					t.Error("no error")
				}
				if got != tt.want {
					t.Errorf("dns, connect, tls, wait %v, want %v", got, tt.want)
				}
			})
		})
	}
}
