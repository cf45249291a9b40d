package lint

import (
	"fmt"
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// reach is the first attempt that begins at or after the timeout, where each wait and each attempt take so long; 0 where
// there is none among the first ones.
func (v *view) reach(attempt time.Duration, wait func(retry int) time.Duration) (n int, at time.Duration) {
	at = attempt
	for k := 1; k <= min(v.cost.Retries, exactSteps); k++ {
		if at = later(at, wait(k)); at >= v.p.Timeout {
			return k + 1, at
		}
		at = later(at, attempt)
	}
	return 0, at
}

func (v *view) shortestWait(k int) time.Duration {
	lo, _ := v.p.Bounds(k)
	return lo
}

func (v *view) longestWait(k int) time.Duration {
	_, hi := v.p.Bounds(k)
	return hi
}

func neverMade(v *view) (says string, changes []string) {
	mode := v.p.RetryAfter.Mode
	if v.p.Timeout <= 0 || v.p.Attempts == engine.Unlimited || mode != engine.RetryAfterIgnore && mode != engine.RetryAfterAtLeast && mode != engine.RetryAfterBounded {
		return "", nil
	}
	n, at := v.reach(0, v.shortestWait)
	if n == 0 {
		return "", nil
	}
	return fmt.Sprintf("Attempt %d is never made: with the shortest waits, and answers that take no time, it would begin %s on, and timeout is %s.", n, dur(at), dur(v.p.Timeout)),
		[]string{"attempts=" + strconv.Itoa(n-1)}
}

func longerThanTimeout(v *view) (says string, changes []string) {
	p := v.p
	if p.Timeout <= 0 || v.cost.Retries == engine.Unlimited {
		return "", nil
	}
	n, at := v.reach(p.AttemptTimeout, v.longestWait)
	if n == 0 && (p.AttemptTimeout <= 0 || v.cost.Free <= p.Timeout) {
		return "", nil
	}
	if p.AttemptTimeout > 0 {
		says = fmt.Sprintf("%s of up to %s with their longest waits take %s, and timeout is %s: ",
			many(v.cost.Sends(), "attempt"), dur(p.AttemptTimeout), dur(v.cost.Free), dur(p.Timeout))
	} else {
		says = fmt.Sprintf("The longest waits take %s, and timeout is %s: ", dur(v.cost.Max), dur(p.Timeout))
	}
	if n == 0 {
		says += "the last attempt is cut off then."
		return says, []string{"timeout=" + engine.FormatDuration(above(v.cost.Free)), "attempts=1"}
	}
	says += fmt.Sprintf("attempt %d is not made then, it would begin %s on.", n, dur(at))
	long := above(v.cost.Max)
	if p.AttemptTimeout > 0 {
		long = above(v.cost.Free)
	}
	return says, []string{"timeout=" + engine.FormatDuration(long), "attempts=" + strconv.Itoa(n-1), "attempts=1"}
}

func attemptsLonger(v *view) (says string, changes []string) {
	p := v.p
	if p.Timeout <= 0 || p.AttemptTimeout <= 0 {
		return "", nil
	}
	n := v.cost.Sends()
	if n == engine.Unlimited || v.retries == 0 {
		n = 1
	}
	all := times(p.AttemptTimeout, n)
	if all <= p.Timeout {
		return "", nil
	}
	shorter := []string{"attempt-timeout=" + engine.FormatDuration(nice(p.Timeout/time.Duration(n))), "timeout=" + engine.FormatDuration(above(all)), "attempts=1 attempt-timeout=" + engine.FormatDuration(p.Timeout)}
	if p.AttemptTimeout > p.Timeout {
		return fmt.Sprintf("One attempt may take %s, and the whole operation %s: the attempt's own limit is never reached.", dur(p.AttemptTimeout), dur(p.Timeout)), shorter
	}
	return fmt.Sprintf("%s of %s take %s without any wait, and timeout is %s: where each runs into its limit there is room for %d.",
		many(n, "attempt"), dur(p.AttemptTimeout), dur(all), dur(p.Timeout), p.Timeout/p.AttemptTimeout), shorter
}

func unlimited(v *view) (says string, changes []string) {
	p, sends := v.p, v.cost.Sends()
	if v.retries != engine.Unlimited || p.Timeout <= 0 && sends == engine.Unlimited {
		return "", nil
	}
	changes = []string{"attempts=10"}
	if p.Timeout <= 0 {
		return fmt.Sprintf("Attempts end by the budget alone: after %s of one operation that has it for itself. Each success of another puts that off.", many(sends, "send")), changes
	}
	n, _ := v.reach(0, v.longestWait)
	switch {
	case n > 0:
		says = fmt.Sprintf("is sent to at least %s in that time", many(n-1, "time"))
	case sends <= exactSteps:
		says = fmt.Sprintf("is sent to %s, and then the budget ends it", many(sends, "time"))
	default:
		says = fmt.Sprintf("is sent to more than %d times in that time", exactSteps)
	}
	return fmt.Sprintf("Attempts end by the clock alone, after %s: a server that fails at once %s.", dur(p.Timeout), says), changes
}

func noDeadline(v *view) (says string, changes []string) {
	if v.retries != engine.Unlimited || v.p.Timeout > 0 || v.cost.Retries != engine.Unlimited {
		return "", nil
	}
	return "Attempts are unlimited and there is no timeout: while the server fails, the operation never ends.", []string{"attempts=10"}
}

func noTimeLimit(v *view) (says string, changes []string) {
	if v.p.Timeout > 0 || v.p.AttemptTimeout > 0 {
		return "", nil
	}
	return "Neither an attempt nor the operation has a time limit: a server that takes the request and never answers holds it for ever, at attempt 1.",
		[]string{"attempt-timeout=10s"}
}

func noAttemptTimeout(v *view) (says string, changes []string) {
	if v.p.Timeout <= 0 || v.p.AttemptTimeout > 0 {
		return "", nil
	}
	n := v.retries
	if n == engine.Unlimited {
		n = 9
	}
	share := max(nice(v.p.Timeout/time.Duration(n+1)), 1)
	return fmt.Sprintf("An attempt has no time limit of its own: one that hangs uses up all %s of the timeout, and no retry comes.", dur(v.p.Timeout)),
		[]string{"attempt-timeout=" + engine.FormatDuration(share)}
}

// manyAttempts is from where on an outage is multiplied badly.
const manyAttempts = 6

func noBudget(v *view) (says string, changes []string) {
	if v.p.Budget.Kind != engine.BudgetNone || v.p.Attempts < manyAttempts {
		return "", nil
	}
	says = fmt.Sprintf("While the server is down every caller sends %d times what it sends else, and no budget keeps them together.", v.p.Attempts)
	if v.p.Attempts == engine.Unlimited {
		says = "While the server is down every caller sends without end, and no budget keeps them together."
	}
	return says, []string{"budget=ratio:20%/10"}
}

func budgetNeverPays(v *view) (says string, changes []string) {
	b := &v.p.Budget
	if paidFor(b) > 0 || v.p.Attempts < 2 || nothing(&v.p.RetryOn) {
		return "", nil
	}
	if b.Kind == engine.BudgetTokens {
		return fmt.Sprintf("A full bucket of %s does not pay for one retry, which costs %d: nothing is ever sent again.", many(b.Capacity, "token"), b.Least()),
			[]string{fmt.Sprintf("budget=tokens:%d/%d/%d", 10*b.Cost, b.Cost, b.Credit), "budget=none"}
	}
	free := *b
	free.PerSecond = 10
	return fmt.Sprintf("%s pays for no retry of an operation that is alone: none is free.", b), []string{"budget=" + free.String(), "budget=none"}
}

func nested(v *view) (says string, changes []string) {
	outer, words := 1, ""
	for i := range v.ctx.Under {
		l := &v.ctx.Under[i]
		if l.Policy.Attempts < 2 || nothing(&l.Policy.RetryOn) || paidFor(&l.Policy.Budget) == 0 {
			continue
		}
		if words != "" {
			words += " times "
		}
		words += fmt.Sprintf("%s of %s", many(l.Policy.Attempts, "attempt"), l.Name)
		outer = product(outer, l.Policy.Attempts)
	}
	if outer == 1 {
		return "", nil
	}
	all := product(outer, v.p.Attempts)
	if all == engine.Unlimited {
		return fmt.Sprintf("Layers multiply: %s around %s make sends without end.", words, many(v.p.Attempts, "attempt")), []string{"attempts=1"}
	}
	return fmt.Sprintf("Layers multiply: %s around %s make up to %s of one operation.", words, many(v.p.Attempts, "attempt"), many(all, "send")),
		[]string{"attempts=1"}
}

// product saturates: engine.Unlimited is what has no end.
func product(a, b int) int {
	if a == engine.Unlimited || b == engine.Unlimited || a > engine.Unlimited/b {
		return engine.Unlimited
	}
	return a * b
}

func nothingRetried(v *view) (says string, changes []string) {
	if v.p.Attempts < 2 || !nothing(&v.p.RetryOn) {
		return "", nil
	}
	return fmt.Sprintf("There are %s, and no outcome is retried: there is only ever one.", many(v.p.Attempts, "attempt")), []string{"attempts=1"}
}
