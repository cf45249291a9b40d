package engine

import (
	"context"
	"errors"
	"math"
	"time"
)

// Forever is a wait that no timer ends: only the context does. It is also what arithmetic on durations saturates at.
const Forever = time.Duration(math.MaxInt64)

// ErrNeverEnds is what a virtual clock answers to a wait that nothing scheduled can ever end: on a real clock the caller
// would hang there for good.
var ErrNeverEnds = errors.New("nothing scheduled can end this wait")

// Clock is the seam between the loop and time: all the engine ever asks of a clock. A clock is used by one operation
// after another or by many at once if it is the real one; a virtual clock serves one goroutine.
type Clock interface {
	// Now is the monotonic time since an epoch of the clock's own. It never steps.
	Now() time.Duration
	// Wall is the wall clock. It may step; it serves to read dates, never to measure a wait.
	Wall() time.Time
	// Wait returns nil once d has passed, or the cause of ctx's end as soon as ctx ends. Where both fall on one instant,
	// the context's end comes first. Wait(ctx, Forever) waits for the context alone.
	Wait(ctx context.Context, d time.Duration) error
	// WithTimeout is context.WithTimeout in this clock's time: the context ends with context.DeadlineExceeded.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
}

// ended is why ctx ended: its cause where it names one.
func ended(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return ctx.Err()
}

// addTime adds two times, saturating at Forever; neither is negative.
func addTime(a, b time.Duration) time.Duration {
	if s := a + b; s >= a {
		return s
	}
	return Forever
}
