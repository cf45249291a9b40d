package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// errSignal is the cause of a context that a signal ended.
var errSignal = errors.New("stopped by a signal")

var signalCodes = map[os.Signal]int{
	syscall.SIGHUP:  ExitHungUp,
	syscall.SIGINT:  ExitCancelled,
	syscall.SIGQUIT: ExitQuit,
	syscall.SIGTERM: ExitTerminated,
}

// again is how long after the first signal a second one counts. Before that it is taken for the same one: a supervisor
// signals the process and its group, a terminal that goes away hangs up twice.
const again = time.Second

// watchSignals ends the context at the first SIGHUP, SIGINT, SIGQUIT or SIGTERM. caught tells which came, as an exit code. One more
// after a second ends the program at once, as the system does by default.
func watchSignals(parent context.Context) (ctx context.Context, caught func() (int, bool), stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 1)
	for s := range signalCodes {
		if !signal.Ignored(s) { // nohup, or a shell that runs it in the background: it stays ignored
			signal.Notify(ch, s)
		}
	}
	var code atomic.Int32
	done := make(chan struct{})
	go func() {
		select {
		case s := <-ch:
			code.Store(int32(signalCodes[s])) //nolint:gosec // exit codes are below 256
			cancel(errSignal)
		case <-done:
			return
		}
		select {
		case <-time.After(again):
			signal.Stop(ch)
		case <-done:
		}
	}()
	return ctx, func() (int, bool) { c := int(code.Load()); return c, c != 0 }, func() {
		if code.Load() == 0 { // else the program is about to end with that code, and a late twin of the signal must not change it
			signal.Stop(ch)
		}
		close(done)
		cancel(nil)
	}
}
