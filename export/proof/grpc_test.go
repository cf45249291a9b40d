package proof

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/internal/prove"
	"github.com/retryscope/retryscope/presets"
	"github.com/retryscope/retryscope/script"
)

// codeOf is the code of gRPC that a status stands for.
func codeOf(s int) codes.Code {
	switch s {
	case http.StatusTooManyRequests:
		return codes.ResourceExhausted
	case http.StatusInternalServerError:
		return codes.Internal
	case http.StatusServiceUnavailable:
		return codes.Unavailable
	case http.StatusGatewayTimeout:
		return codes.DeadlineExceeded
	case http.StatusNotFound:
		return codes.NotFound
	case http.StatusConflict:
		return codes.Aborted
	default:
		return codes.Unknown
	}
}

// health plays a script in the words of gRPC, and keeps when it was asked.
type health struct {
	grpc_health_v1.UnimplementedHealthServer
	answers http.RoundTripper
	times   []time.Time
}

func (h *health) Check(ctx context.Context, _ *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	h.times = append(h.times, time.Now())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://test.test/", http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := h.answers.RoundTrip(req)
	if err != nil {
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusOK {
		return &grpc_health_v1.HealthCheckResponse{}, nil
	}
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		if err := grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", strconv.Itoa(n*1000))); err != nil {
			return nil, err
		}
	}
	return nil, status.Error(codeOf(resp.StatusCode), resp.Status)
}

// called makes one call with a service config against a script, and gives the gaps between the attempts that arrived.
func called(t *testing.T, config, text string) []time.Duration {
	t.Helper()
	s, err := script.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	h := &health{answers: script.NewTransport(s, engine.Real(), 1)}
	l := bufconn.Listen(1 << 16)
	server := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(server, h)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	defer func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	conn, err := grpc.NewClient("passthrough:///service.test", grpc.WithDefaultServiceConfig(config),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	// How it ended is the server's word, which the attempts show as well.
	_, _ = grpc_health_v1.NewHealthClient(conn).Check(context.WithoutCancel(t.Context()), &grpc_health_v1.HealthCheckRequest{})
	gaps := make([]time.Duration, len(h.times))
	for i := range h.times {
		if i > 0 {
			gaps[i] = h.times[i].Sub(h.times[i-1])
		}
	}
	return gaps
}

// grpc-go reads what is exported and obeys it: as many attempts, and over enough calls waits that fill the windows. The
// time of a bubble costs nothing, and is exact.
func TestGRPC(t *testing.T) {
	more := []prove.Case{
		{Name: "windows", Policy: "attempts=5 base=1s cap=3s jitter=scale:0.8..1.2", Script: "503 x9"},
		{Name: "codes", Policy: "attempts=5 base=100ms retry-on=404,409", Script: "404, 409, 503, 200"},
		{Name: "unknown", Policy: "attempts=5 base=100ms", Script: "418, 200"},
		{Name: "pushed back", Policy: "attempts=5 base=100ms retry-after=replace ceiling=none", Script: "503, 503 after=7, 503 after=0, 200"},
		{Name: "timeout", Policy: "attempts=5 base=10s curve=constant timeout=15s", Script: "503 x9"},
	}
	f, _ := export.Get("grpc")
	for _, c := range slices.Concat(prove.More(), more) {
		if slices.Contains([]string{"not asked to", "timeouts alone", "timeouts"}, c.Name) {
			continue // a failed connection is none of a call's answers
		}
		t.Run(c.Name, func(t *testing.T) {
			p, err := engine.ParsePolicy(c.Policy, engine.Default())
			if err != nil {
				t.Fatal(err)
			}
			r, err := f.Export(p)
			if err != nil {
				t.Fatal(err)
			}
			low, high := windowsOf(t, &r.Carried, c.Script)
			seenLow, seenHigh := slices.Clone(high), slices.Clone(low)
			for range 100 {
				var gaps []time.Duration
				synctest.Test(t, func(t *testing.T) { gaps = called(t, r.Text, c.Script) })
				if len(gaps) != len(low) {
					t.Fatalf("%d attempts, our own run makes %d\n%s", len(gaps), len(low), r.Text)
				}
				for i, g := range gaps {
					seenLow[i], seenHigh[i] = min(seenLow[i], g), max(seenHigh[i], g)
				}
			}
			const grain = time.Microsecond
			for i := range low {
				if seenLow[i] < low[i]-grain || seenHigh[i] > high[i]+grain || float64(seenHigh[i]-seenLow[i]) < 0.9*float64(high[i]-low[i]) {
					t.Errorf("before attempt %d: %v to %v, our own run waits %v to %v\n%s", i+1, seenLow[i], seenHigh[i], low[i], high[i], r.Text)
				}
			}
		})
	}
}

// windowsOf are the gaps of our own runs, at the lowest and the highest draw.
func windowsOf(t *testing.T, p *engine.Policy, text string) (low, high []time.Duration) {
	t.Helper()
	j := prove.Job{Policy: *p, Script: text, Method: http.MethodPost}
	low, high, err := j.Gaps()
	if err != nil || len(low) != len(high) {
		t.Fatalf("%v and %v: %v", low, high, err)
	}
	return low, high
}

// Whatever is exported is a service config in the eyes of grpc-go.
func TestGRPCReadsEveryPreset(t *testing.T) {
	f, _ := export.Get("grpc")
	for _, p := range presets.All() {
		r, err := f.Export(p.Policy)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := grpc.NewClient("passthrough:///service.test", grpc.WithDefaultServiceConfig(r.Text), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Errorf("%s: %v\n%s", p.ID, err, r.Text)
			continue
		}
		if err := conn.Close(); err != nil {
			t.Error(fmt.Errorf("%s: %w", p.ID, err))
		}
	}
}
