package grpc168

import (
	"context"
	"errors"
	"net"
	"strconv"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/retryscope/retryscope/presets/conformance/kit"
)

// TestServe runs the client for the conformance test.
func TestServe(t *testing.T) {
	kit.Serve(t, map[string]string{"google.golang.org/grpc": "v" + grpc.Version}, map[string]kit.Send{"grpc-go-retry-1.68": call})
}

const policy = `{"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":4,"initialBackoff":"0.1s","maxBackoff":"1s",` +
	`"backoffMultiplier":2,"retryableStatusCodes":["UNAVAILABLE"]}}]}`

// health is a server whose answers are those of the wire. A wait that the answer asks for goes out as the trailer that
// gRPC has for it; a broken connection is one.
type health struct {
	grpc_health_v1.UnimplementedHealthServer
	w   *kit.Wire
	cut func()
}

func (h *health) Check(ctx context.Context, _ *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	err := h.w.Call()
	var answer *kit.StatusError
	switch {
	case err == nil:
		return &grpc_health_v1.HealthCheckResponse{}, nil
	case !errors.As(err, &answer):
		h.cut()
		return nil, err
	}
	if wait := answer.Header.Values("Retry-After"); len(wait) > 0 {
		if err := grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", milliseconds(wait[0]))); err != nil {
			return nil, err
		}
	}
	return nil, status.Error(code(answer.Status), err.Error())
}

// milliseconds are the same wait as gRPC says it; what is no number stays as it is.
func milliseconds(seconds string) string {
	if f, err := strconv.ParseFloat(seconds, 64); err == nil {
		return strconv.FormatFloat(f*1000, 'f', -1, 64)
	}
	return seconds
}

// code is the code that a status stands for: 700 and above are the codes themselves.
func code(s int) codes.Code {
	if s >= 700 {
		return codes.Code(s - 700)
	}
	return codes.Unavailable
}

// listener keeps the connections it took, to break them.
type listener struct {
	*bufconn.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.mu.Lock()
		l.conns = append(l.conns, c)
		l.mu.Unlock()
	}
	return c, err
}

func (l *listener) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.conns = nil
}

func call(ctx context.Context, w *kit.Wire, _ string) (int, error) {
	l := &listener{Listener: bufconn.Listen(1 << 16)}
	s := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(s, &health{w: w, cut: l.cut})
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(l) // it says that it was stopped
	}()
	defer func() {
		s.Stop()
		<-served
	}()
	conn, err := grpc.NewClient("passthrough:///service.test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(policy),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	_, err = grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	return 0, err
}
