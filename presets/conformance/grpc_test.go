package conformance

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
)

const grpcPolicy = `{"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":4,"initialBackoff":"0.1s","maxBackoff":"1s",` +
	`"backoffMultiplier":2,"retryableStatusCodes":["UNAVAILABLE"]}}]}`

// grpcClients are calls of gRPC, and its connections.
func grpcClients() []client {
	call := grpcRetry("grpc-go-retry")
	call.send = callGRPC
	return []client{
		{preset: "grpc-go-connection", module: "google.golang.org/grpc", fail: reset(), send: dialGRPC},
		call,
	}
}

// grpcRetry is what both versions of it share. A refused connection is no attempt: a call fails before one, and its
// connection is dialed on a clock of its own.
func grpcRetry(preset string) client {
	return client{
		preset: preset, module: "google.golang.org/grpc", codes: true, noRefused: true,
		hints: []string{"0", "2", "1.5", "-5", "999999999999", "empty", "soon"},
		named: map[string]string{
			"Retry-After: 1.5":          "It is in milliseconds",
			"Retry-After: 999999999999": "beyond every duration",
			"Retry-After: -5":           "forbids a retry where it is negative",
			"Retry-After: empty":        "forbids a retry where it is negative",
			"Retry-After: soon":         "forbids a retry where it is negative",
		},
	}
}

// raw is where the answers begin that are a code of gRPC and not a status of HTTP.
const raw = 700

// grpcCode is the code that a status of HTTP stands for, or the code itself.
func grpcCode(status int) codes.Code {
	switch {
	case status >= raw:
		return codes.Code(status - raw)
	case status == http.StatusTooManyRequests:
		return codes.ResourceExhausted
	default:
		return codes.Unavailable
	}
}

// httpStatus is the status of HTTP that Google gives each code: https://cloud.google.com/apis/design/errors.
var httpStatus = map[codes.Code]int{
	codes.Canceled: 499, codes.Unknown: 500, codes.InvalidArgument: 400, codes.DeadlineExceeded: 504, codes.NotFound: 404,
	codes.AlreadyExists: 409, codes.PermissionDenied: 403, codes.ResourceExhausted: 429, codes.FailedPrecondition: 400,
	codes.Aborted: 409, codes.OutOfRange: 400, codes.Unimplemented: 501, codes.Internal: 500, codes.Unavailable: 503,
	codes.DataLoss: 500, codes.Unauthenticated: 401,
}

// grpcCodes compares which codes are sent again.
func (k *checker) grpcCodes() {
	k.t.Helper()
	var mine, theirs []string
	for code, status := range httpStatus {
		synctest.Test(k.t, func(*testing.T) {
			if w, _, _ := run(ours(&k.p, 1), k.method, 1, answer{status: status}); w.sends() > 1 {
				mine = append(mine, code.String())
			}
		})
		synctest.Test(k.t, func(*testing.T) {
			if w, _, _ := run(k.c.send, k.method, 1, answer{status: raw + int(code)}); w.sends() > 1 {
				theirs = append(theirs, code.String())
			}
		})
	}
	slices.Sort(mine)
	slices.Sort(theirs)
	k.compare("codes", strings.Join(mine, " "), strings.Join(theirs, " "))
}

// health is a server whose answers are those of the wire. A wait that the answer asks for goes out as the trailer that
// gRPC has for it; a broken connection is one.
type health struct {
	grpc_health_v1.UnimplementedHealthServer
	w   *wire
	cut func()
}

func (h *health) Check(ctx context.Context, _ *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	err := h.w.call()
	var answer *statusError
	switch {
	case err == nil:
		return &grpc_health_v1.HealthCheckResponse{}, nil
	case !errors.As(err, &answer):
		h.cut()
		return nil, err
	}
	if wait := answer.header.Values("Retry-After"); len(wait) > 0 {
		if err := grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms", inMilliseconds(wait[0]))); err != nil {
			return nil, err
		}
	}
	return nil, grpcstatus.Error(grpcCode(answer.status), err.Error())
}

// inMilliseconds is the same wait as gRPC says it; what is no number stays as it is.
func inMilliseconds(seconds string) string {
	if f, err := strconv.ParseFloat(seconds, 64); err == nil {
		return strconv.FormatFloat(f*1000, 'f', -1, 64)
	}
	return seconds
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

// serveGRPC is a server with what register gives it, the options of a client that reach it, and its end.
func serveGRPC(register func(s *grpc.Server, cut func())) (dial []grpc.DialOption, stop func()) {
	l := &listener{Listener: bufconn.Listen(1 << 16)}
	s := grpc.NewServer()
	register(s, l.cut)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	dial = []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }),
	}
	return dial, func() { s.Stop(); <-served }
}

func callGRPC(ctx context.Context, w *wire, _ string) (int, error) {
	dial, stop := serveGRPC(func(s *grpc.Server, cut func()) { grpc_health_v1.RegisterHealthServer(s, &health{w: w, cut: cut}) })
	defer stop()
	conn, err := grpc.NewClient("passthrough:///service.test", append(dial, grpc.WithDefaultServiceConfig(grpcPolicy))...)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	_, err = grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	return 0, err
}

// dialGRPC counts the dials of a client whose server is away.
func dialGRPC(ctx context.Context, w *wire, _ string) (int, error) {
	done := make(chan struct{})
	over := sync.OnceFunc(func() { close(done) })
	conn, err := grpc.NewClient("passthrough:///service.test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			err := w.call()
			if err == nil {
				over()
				err = errors.New("the run is over")
			}
			return nil, err
		}))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	conn.Connect()
	select {
	case <-done:
		return 0, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
