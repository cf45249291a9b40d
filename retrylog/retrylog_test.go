package retrylog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/retrylog"
)

// quiet drops what differs from run to run.
func quiet(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == "operation" {
		return slog.Attr{}
	}
	return a
}

func ExampleObserver() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: quiet}))
	r, err := engine.New(engine.Default(), engine.WithObserver(retrylog.Observer(logger)),
		engine.WithClock(engine.NewVirtual(time.Time{})), engine.WithDraw(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	calls := 0
	_, err = engine.Do(context.Background(), r, func(context.Context) (int, error) {
		if calls++; calls == 1 {
			return 0, &engine.StatusError{Status: 503}
		}
		return 0, &engine.StatusError{Status: 401}
	})
	fmt.Println(err)
	// Output:
	// level=INFO msg="waiting to retry" attempt=1 kind=status status=503 wait=200ms source=own
	// level=WARN msg="operation ended" attempt=2 kind=status status=401 result=failed reason=not-retryable waited=200ms elapsed=200ms
	// status 401 (not-retryable after 2 attempts)
}

func TestNoErrorTextIsLogged(t *testing.T) {
	var b bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))
	r, err := engine.New(engine.Default(), engine.WithObserver(retrylog.Observer(logger)),
		engine.WithClock(engine.NewVirtual(time.Time{})))
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.Do(t.Context(), r, func(context.Context) (int, error) {
		return 0, engine.Transient(errors.New("GET http://h/?token=s3cret: refused"))
	})
	if err == nil || !strings.Contains(err.Error(), "s3cret") {
		t.Fatalf("the error itself should be whole: %v", err)
	}
	if strings.Contains(b.String(), "s3cret") {
		t.Errorf("the log holds the error's text:\n%s", b.String())
	}
	if got, want := strings.Count(b.String(), "attempt started"), 4; got != want {
		t.Errorf("%d attempts logged, want %d", got, want)
	}
	if got, want := strings.Count(b.String(), "waiting to retry"), 3; got != want {
		t.Errorf("%d waits logged, want %d", got, want)
	}
}
