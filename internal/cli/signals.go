package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// errSignal is the cause of a context that a signal ended.
var errSignal = errors.New("stopped by a signal")

var signalCodes = map[os.Signal]int{
	syscall.SIGHUP:  ExitHungUp,
	syscall.SIGINT:  ExitCancelled,
	syscall.SIGTERM: ExitTerminated,
}

// watchSignals ends the context at the first SIGHUP, SIGINT or SIGTERM. signalled tells which came, as an exit code. A
// second signal ends the program at once, as the system does by default.
func watchSignals(parent context.Context) (ctx context.Context, signalled func() (int, bool), stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	var code atomic.Int32
	done := make(chan struct{})
	go func() {
		select {
		case s := <-ch:
			code.Store(int32(signalCodes[s])) //nolint:gosec // exit codes are below 256
			signal.Stop(ch)
			cancel(errSignal)
		case <-done:
		}
	}()
	return ctx, func() (int, bool) { c := int(code.Load()); return c, c != 0 }, func() {
		signal.Stop(ch)
		close(done)
		cancel(nil)
	}
}
