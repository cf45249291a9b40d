package lab_test

import (
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
)

// The hard stop on sends holds for what reaches the server: net/http's own re-sends count, and none is made too many.
func TestLiveMaxSendsOnTheWire(t *testing.T) {
	t.Parallel()
	tests := []struct {
		script          string
		limit           int
		attempts, wired int
		reason          engine.Reason
	}{
		{"503, reset, 200", 1, 1, 1, engine.ReasonMaxSends},
		{"503, reset, 200", 2, 2, 2, engine.ReasonMaxSends},
		{"503, reset, 200", 3, 2, 3, engine.ReasonNone},
		{"503, eof, 503, 200", 3, 2, 3, engine.ReasonMaxSends},
		{"503, eof, 503, 200", 4, 3, 4, engine.ReasonNone},
	}
	for _, tt := range tests {
		s, err := script.Parse(tt.script)
		if err != nil {
			t.Fatal(err)
		}
		var requests atomic.Int32
		server := httptest.NewServer(script.NewHandler(s, 1, script.Options{OnRequest: func(script.Request) { requests.Add(1) }}))
		cfg := config(t, "200", "base=0 attempts=9")
		cfg.Script, cfg.Request.URL = nil, server.URL
		sends := engine.NewSends(tt.limit)
		l, err := lab.NewLive(lab.LiveConfig{Config: cfg, Sends: sends})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := l.Run(t.Context())
		server.Close()
		if err != nil || len(tr.Attempts) != tt.attempts || tr.Done.Reason != tt.reason {
			t.Errorf("%s, %d at most: %d attempts, %v, %v", tt.script, tt.limit, len(tr.Attempts), tr.Done.Reason, err)
		}
		if n := int(requests.Load()); n != tt.wired || n != sends.Used() {
			t.Errorf("%s, %d at most: %d at the server, %d counted, want %d", tt.script, tt.limit, n, sends.Used(), tt.wired)
		}
	}
}
