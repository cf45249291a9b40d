package conformance

import (
	"context"
	"errors"
	"net"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
)

const grpcPolicy = `{"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":4,"initialBackoff":"0.1s","maxBackoff":"1s",` +
	`"backoffMultiplier":2,"retryableStatusCodes":["UNAVAILABLE"]}}]}`

// grpcClients are calls of gRPC, and its connections.
func grpcClients() []client {
	return []client{
		{preset: "grpc-go-connection", module: "google.golang.org/grpc", fail: reset(), send: dialGRPC},
		{preset: "grpc-go-retry", module: "google.golang.org/grpc", send: callGRPC},
	}
}

// health is a server whose answers are those of the wire.
type health struct {
	grpc_health_v1.UnimplementedHealthServer
	w *wire
}

func (h *health) Check(context.Context, *grpc_health_v1.HealthCheckRequest) (*grpc_health_v1.HealthCheckResponse, error) {
	if err := h.w.call(); err != nil {
		return nil, grpcstatus.Error(codes.Unavailable, err.Error())
	}
	return &grpc_health_v1.HealthCheckResponse{}, nil
}

func callGRPC(ctx context.Context, w *wire, _ string) (int, error) {
	l := bufconn.Listen(1 << 16)
	s := grpc.NewServer()
	grpc_health_v1.RegisterHealthServer(s, &health{w: w})
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	defer func() { s.Stop(); <-served }()
	conn, err := grpc.NewClient("passthrough:///service.test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(grpcPolicy),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
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
