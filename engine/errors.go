package engine

import (
	"errors"
	"fmt"
	"time"
)

// Errors to match with errors.Is.
var (
	// ErrDeferred: the server asked for a longer wait than the policy's ceiling.
	ErrDeferred = errors.New("deferred")
	// ErrTimeout: the operation's own timeout passed, or left no room for another attempt.
	ErrTimeout = errors.New("operation timed out")
	// ErrStaleGeneration: the session's generation moved on since the operation began.
	ErrStaleGeneration = errors.New("the session was signed out")
	// ErrInlineTimeout: an operation that takes no context cannot be held to a timeout unless it is detached.
	ErrInlineTimeout = errors.New("engine: an inline operation cannot be held to a timeout: use DoDetached, or timeout=none attempt-timeout=none")
	// ErrDetachedClock: a detached operation runs beside the loop, which a clock that jumps cannot wait for.
	ErrDetachedClock = errors.New("engine: a detached operation needs the real clock")
	// ErrNoAttempt: the allowance or the limit on sends was used up before the first attempt.
	ErrNoAttempt = errors.New("no send is left for this operation")
	// ErrNoRetrier: Do was given no retrier, or no operation.
	ErrNoRetrier = errors.New("engine: no retrier or no operation; make a retrier with New")
)

// StatusError is an answer whose status is a failure.
type StatusError struct {
	Status int
	// Text is what the status is called.
	Text string
}

func (e *StatusError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("status %d", e.Status)
	}
	return fmt.Sprintf("%d %s", e.Status, e.Text)
}

// historyLimit bounds what an error remembers: a long outage must not fill the memory.
const historyLimit = 16

// FailedError is what Do returns when it tries no more: why, after how many attempts, and the last real error, which
// errors.Is and errors.As reach.
type FailedError struct {
	// Reason is the first gate that failed.
	Reason Reason
	// Attempts counts the sends of this layer.
	Attempts int
	// Last is the error of the last attempt; History holds those of the attempts before it, the latest 16, oldest first.
	Last    error
	History []error
	// Cause is why there could be no further attempt, where an error says so: that of Operation.Again. nil else.
	Cause error
}

func (e *FailedError) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%v (%s after %s: %v)", lastText(e.Last), e.Reason, attempts(e.Attempts), e.Cause)
	}
	return fmt.Sprintf("%v (%s after %s)", lastText(e.Last), e.Reason, attempts(e.Attempts))
}

// Unwrap is the last real error, with the cause behind it where there is one.
func (e *FailedError) Unwrap() error {
	if e.Cause == nil {
		return e.Last
	}
	return errors.Join(e.Last, e.Cause)
}

// DeferredError is the end of an operation whose server asked for a longer wait than the ceiling.
type DeferredError struct {
	// Asked is the wait the server asked for (Forever if no duration can hold it), Ceiling the longest one taken.
	Asked, Ceiling time.Duration
	Attempts       int
	Last           error
}

func (e *DeferredError) Error() string {
	asked := tooLong(e.Ceiling)
	if e.Asked != Forever {
		asked = FormatDuration(e.Asked) + ", ceiling " + FormatDuration(e.Ceiling)
	}
	return fmt.Sprintf("%v (deferred: server asked %s)", lastText(e.Last), asked)
}

// Is matches ErrDeferred.
func (e *DeferredError) Is(target error) bool { return target == ErrDeferred }

// Unwrap is the last real error.
func (e *DeferredError) Unwrap() error { return e.Last }

// TimeoutError is the end of an operation whose own timeout passed, or would pass before another attempt. It does not
// match context.DeadlineExceeded by itself (that is the caller's own deadline), but its last failure may: that of an
// attempt cut by the timeout, where no attempt before it failed.
type TimeoutError struct {
	// Timeout is the policy's; Wait the pause that would have crossed it, 0 where an attempt was cut.
	Timeout, Wait time.Duration
	Attempts      int
	// Last is the last failure: that of an earlier attempt where the latest was merely cut by the timeout.
	Last error
}

func (e *TimeoutError) Error() string {
	if e.Wait > 0 {
		return fmt.Sprintf("%v (timeout %s: the next attempt would begin after it, in %s)", lastText(e.Last), FormatDuration(e.Timeout), FormatDuration(e.Wait))
	}
	return fmt.Sprintf("%v (timeout %s passed in attempt %d)", lastText(e.Last), FormatDuration(e.Timeout), e.Attempts)
}

// Is matches ErrTimeout.
func (e *TimeoutError) Is(target error) bool { return target == ErrTimeout }

// Unwrap is the last real error.
func (e *TimeoutError) Unwrap() error { return e.Last }

// InterruptedError is the end of an operation by its caller: a cancel, the caller's own deadline, or a sign-out. Both
// the interruption with its cause and the last failure are reached by errors.Is and errors.As.
type InterruptedError struct {
	// Err is context.Canceled, context.DeadlineExceeded or ErrStaleGeneration; Cause is context.Cause where it says more.
	Err, Cause error
	Attempts   int
	// Last is the last failure before the interruption, nil where there was none.
	Last error
}

func (e *InterruptedError) Error() string {
	text := e.Err.Error()
	if e.Cause != nil && !errors.Is(e.Cause, e.Err) {
		text += ": " + e.Cause.Error()
	}
	if e.Last != nil && e.Last != e.Cause && e.Last != e.Err { //nolint:errorlint // the very same value says nothing new
		text += " (last failure: " + e.Last.Error() + ")"
	}
	return text
}

// Unwrap is the interruption, its cause and the last failure.
func (e *InterruptedError) Unwrap() []error {
	out := []error{e.Err}
	if e.Cause != nil {
		out = append(out, e.Cause)
	}
	if e.Last != nil {
		out = append(out, e.Last)
	}
	return out
}

func lastText(err error) any {
	if err == nil {
		return "no failure"
	}
	return err
}

func attempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
