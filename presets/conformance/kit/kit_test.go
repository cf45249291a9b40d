package kit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestServe: each send and each wait is told, and the answer of the other end is what the client meets.
func TestServe(t *testing.T) {
	in := strings.Join([]string{
		`{"client":"twice","method":"GET","patient":3600000000000}`, `{"status":503}`, `{}`, `{"error":"reset"}`,
		`{"client":"twice","method":"GET","patient":3600000000000}`, `{"status":429,"header":{"Retry-After":["9"]}}`, `{"stop":true}`,
	}, "\n") + "\n"
	var out bytes.Buffer
	var errs []error
	serve(t, bufio.NewReader(strings.NewReader(in)), &out, map[string]string{"m": "v1"}, map[string]Send{
		"twice": func(ctx context.Context, w *Wire, _ string) (int, error) {
			errs = append(errs, w.Call())
			time.Sleep(2 * time.Second)
			err := w.Call()
			errs = append(errs, err)
			if errors.Is(err, ErrStopped) && ctx.Err() == nil {
				t.Error("a stopped run goes on")
			}
			return 0, err
		},
	})
	want := strings.Join([]string{
		`{"clients":["twice"],"versions":{"m":"v1"}}`,
		`{"op":"call"}`, `{"op":"sleep","ns":2000000000}`, `{"op":"call"}`, `{"op":"end","error":"read tcp: read: connection reset by peer"}`,
		`{"op":"call"}`, `{"op":"sleep","ns":2000000000}`, `{"op":"end","error":"the run was stopped"}`,
	}, "\n") + "\n"
	if out.String() != want {
		t.Errorf("it said\n%s, not\n%s", out.String(), want)
	}
	var status *StatusError
	if len(errs) != 4 || !errors.As(errs[0], &status) || status.Status != 503 || !errors.As(errs[2], &status) || status.Header.Get("Retry-After") != "9" {
		t.Errorf("the client met %v", errs)
	}
}
