package conformance

import (
	"context"
	"errors"
	"log/slog"
	"strconv"

	"go.temporal.io/api/workflowservice/v1"
	temporal "go.temporal.io/sdk/client"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// temporalClients are the calls of Temporal's own client to its service. They fail before any send where the connection
// is refused, which is dialed on a clock of its own.
func temporalClients() []client {
	return []client{{
		preset: "temporal-service-client", module: "go.temporal.io/sdk", codes: true, noRefused: true, waits: 4,
		hints: []string{"0", "2", "1.5", "-5", "999999999999", "empty"},
		named: map[string]string{
			"end":                       "the error is the deadline's",
			"codes":                     "ABORTED and UNKNOWN are retried",
			"Retry-After: 1.5":          "may be a fraction of a second",
			"Retry-After: 999999999999": "beyond what the protocol allows",
		},
		send: cancelWorkflow,
	}}
}

// workflows is a service whose answers are those of the wire. A wait that the answer asks for goes out as RetryInfo.
type workflows struct {
	workflowservice.UnimplementedWorkflowServiceServer
	w   *wire
	cut func()
}

// GetSystemInfo says what a server of today does: that INTERNAL means one that a retry does not help.
func (*workflows) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{
		Capabilities: &workflowservice.GetSystemInfoResponse_Capabilities{InternalErrorDifferentiation: true},
	}, nil
}

func (s *workflows) RequestCancelWorkflowExecution(context.Context, *workflowservice.RequestCancelWorkflowExecutionRequest) (*workflowservice.RequestCancelWorkflowExecutionResponse, error) {
	err := s.w.call()
	var answer *statusError
	switch {
	case err == nil:
		return &workflowservice.RequestCancelWorkflowExecutionResponse{}, nil
	case !errors.As(err, &answer):
		s.cut()
		return nil, err
	}
	st := grpcstatus.New(grpcCode(answer.status), err.Error())
	if f, bad := strconv.ParseFloat(answer.header.Get("Retry-After"), 64); bad == nil {
		whole := int64(f)
		wait := &durationpb.Duration{Seconds: whole, Nanos: int32((f - float64(whole)) * 1e9)}
		if st, err = st.WithDetails(&errdetails.RetryInfo{RetryDelay: wait}); err != nil {
			return nil, err
		}
	}
	return nil, st.Err()
}

func cancelWorkflow(ctx context.Context, w *wire, _ string) (int, error) {
	dial, stop := serveGRPC(func(s *grpc.Server, cut func()) {
		workflowservice.RegisterWorkflowServiceServer(s, &workflows{w: w, cut: cut})
	})
	defer stop()
	c, err := temporal.NewLazyClient(temporal.Options{
		HostPort: "passthrough:///service.test", Logger: slog.New(slog.DiscardHandler),
		ConnectionOptions: temporal.ConnectionOptions{DialOptions: dial},
	})
	if err != nil {
		return 0, err
	}
	defer c.Close()
	// A deadline of the caller would stretch the cap, a tenth of it.
	return 0, c.CancelWorkflow(context.WithoutCancel(ctx), "workflow", "run")
}
