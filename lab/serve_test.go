package lab_test

import (
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
)

// The server counts as many requests as the client reports, and none comes before its wait is over.
func TestServerCountsWhatTheClientReports(t *testing.T) {
	t.Parallel()
	s, err := script.Parse("503 x2, 429 after=0, 200")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var gaps []time.Duration
	srv := httptest.NewServer(script.NewHandler(s, 1, script.Options{OnRequest: func(r script.Request) {
		mu.Lock()
		defer mu.Unlock()
		gaps = append(gaps, r.Gap)
	}}))
	defer srv.Close()
	tr := request(t, lab.Request{URL: srv.URL}, "base=5ms cap=20ms jitter=none", nil)
	want{attempts: 4, waits: []time.Duration{5 * ms, 10 * ms, 20 * ms}}.check(t, "served", tr)
	mu.Lock()
	defer mu.Unlock()
	if len(gaps) != tr.Done.Attempts {
		t.Fatalf("%d requests, %d attempts", len(gaps), tr.Done.Attempts)
	}
	for i, w := range waits(tr) {
		if gaps[i+1] < w {
			t.Errorf("request %d came %v after the one before, its wait is %v", i+2, gaps[i+1], w)
		}
	}
}
