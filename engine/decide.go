package engine

import "time"

// Verdict is what a decision says.
type Verdict uint8

// The verdicts.
const (
	Succeed Verdict = iota // hand over the result
	Stop                   // try no more
	Defer                  // try no more now: the server asked for a longer wait than this operation takes
	Retry                  // wait, then send again
)

// Gate is one question on the way to a retry, in the order they are asked.
type Gate uint8

// The gates.
const (
	GateCancelled  Gate = iota // has the caller gone?
	GateGeneration             // is it still the same session?
	GateOutcome                // is there a failure at all?
	GateIdempotent             // is a second send safe?
	GateReplayable             // can the body be sent again?
	GateRetryable              // may it heal?
	GateAttempts               // are there attempts left?
	GateBudget                 // does the budget allow it?
	GateCeiling                // is the server's wait short enough?
	GateDeadline               // is there time left?
	NumGates       = 10
)

// Reason is why there is no retry: the first gate that failed, or what ended the operation from outside the gates.
type Reason uint8

// The reasons.
const (
	ReasonNone Reason = iota
	ReasonCancelled
	ReasonStaleGeneration
	ReasonNotIdempotent
	ReasonNotReplayable
	ReasonNotRetryable
	ReasonAttempts
	ReasonBudget
	ReasonCeiling
	ReasonDeadline
	ReasonMaxSends     // the hard stop on sends
	ReasonNeverAnswers // an attempt of a scripted run that nothing can end
	ReasonNoLimit      // a scripted run given up on, or a wait in one that ends beyond every duration
)

// Passed is what became of a gate.
type Passed uint8

// The three answers of a gate.
const (
	NotAsked Passed = iota
	Open
	Shut
)

// Gates holds the answer of each gate, two bits a gate.
type Gates uint32

// At is the answer of one gate.
func (g Gates) At(gate Gate) Passed { return Passed(g>>(2*gate)) & 3 }

func (g *Gates) set(gate Gate, p Passed) { *g |= Gates(p) << (2 * gate) }

// Source is where a wait comes from.
type Source uint8

// The sources of a wait.
const (
	SourceOwn    Source = iota // the backoff
	SourceServer               // Retry-After
)

// Body is what can be done with the request's body.
type Body uint8

// The bodies.
const (
	BodyNone       Body = iota // there is none
	BodyReplayable             // it can be made again
	BodyOnce                   // it can be read once only
	BodyLost                   // it could be made again, and could not be when it was asked for
)

// NoLimit is an allowance, a count of sends or of tokens that nothing limits.
const NoLimit = -1

// Facts are what Next has to know of the world at the moment of an outcome. Values, all of them: Next asks no clock.
type Facts struct {
	// Elapsed is the time since the operation began.
	Elapsed time.Duration
	// Deadline is the caller's own, since the operation began; 0 for none.
	Deadline time.Duration
	// Allowance is how many sends are left to all layers of the operation; Sends how many to the session; NoLimit for no limit.
	Allowance, Sends int
	// Tokens is what is left in the budget, in tokens; looked at only where the policy has one.
	Tokens int
	// Cancelled says that the caller's context was cancelled; Expired that its deadline, or the operation's own timeout,
	// has passed; Stale that the session's generation moved on.
	Cancelled, Expired, Stale bool
	Safety                    Safety
	Body                      Body
	// Method is the operation's, for the words of a gate only.
	Method string
}

// State is what an operation carries from one decision to the next. The zero State is that of an operation before its
// first attempt.
type State struct {
	// Sent counts the attempts decided on so far.
	Sent int
	// Prev is what the last own draw left to remember (see Backoff.Step), 0 before the first.
	Prev time.Duration
}

// Decision is what the policy says after an outcome.
type Decision struct {
	Verdict Verdict
	Reason  Reason
	Source  Source
	// Drawn says that the waits below were computed: the gates were open up to the budget.
	Drawn bool
	Gates Gates
	// Wait is the pause before the next attempt: what a retry will wait, or what a deadline forbade.
	Wait time.Duration
	// Own is the own draw, Lo and Hi the window it came from.
	Own, Lo, Hi time.Duration
	// Memory is what the draw leaves to remember: State.Prev after a retry.
	Memory time.Duration
	// Server is the wait the server asked for, where Asked.
	Server time.Duration
	Asked  bool
	// Attempt is the number of the attempt this decision follows.
	Attempt int
}

// Next is the one pure step: from the state of an operation, the outcome of its latest attempt, the facts and a draw
// in [0, 1] (used only where the policy has jitter or spread), the next state and the decision. It asks no clock,
// sleeps not, allocates nothing, and is the only place where it is decided whether to try again and when. Gates are
// asked in order; the first that fails gives the reason.
func (p *Policy) Next(s State, o *Outcome, f *Facts, draw float64) (State, Decision) {
	var d Decision
	p.next(&s, o, f, draw, &d)
	return s, d
}

// next is Next in place.
func (p *Policy) next(s *State, o *Outcome, f *Facts, draw float64, d *Decision) {
	s.Sent++
	*d = Decision{Verdict: Stop, Attempt: s.Sent}
	if d.interrupted(o, f) || d.finished(o) || p.unsafe(d, o, f) || !p.allows(s, o, f, d) {
		return
	}
	p.plan(d, s.Prev, o, draw)
	if d.Asked && !d.pass(GateCeiling, p.takes(o.Hint), ReasonCeiling) {
		d.Verdict = Defer
		return
	}
	if p.Timeout > 0 || f.Deadline > 0 {
		at := addTime(f.Elapsed, d.Wait)
		late := p.Timeout > 0 && at >= p.Timeout || f.Deadline > 0 && at >= f.Deadline
		if !d.pass(GateDeadline, !late, ReasonDeadline) {
			return
		}
	}
	d.Verdict = Retry
	s.Prev = d.Memory
}

// allows asks the gates between the question of safety and that of time.
func (p *Policy) allows(s *State, o *Outcome, f *Facts, d *Decision) bool {
	if !d.pass(GateRetryable, p.retryable(o) && !p.unasked(o), ReasonNotRetryable) {
		return false
	}
	left := s.Sent < p.Attempts && f.Allowance != 0
	if left && f.Sends == 0 {
		return d.pass(GateAttempts, false, ReasonMaxSends)
	}
	if !d.pass(GateAttempts, left, ReasonAttempts) {
		return false
	}
	return p.Budget.Kind == BudgetNone || d.pass(GateBudget, f.Tokens >= p.Budget.cost(o), ReasonBudget)
}

// drawn tells whether chance has a part in the policy's waits.
func (p *Policy) drawn() bool { return p.Jitter.Kind != JitterNone || p.Spread > 0 }

// pass notes the answer of a gate and, where it is the first to fail, the reason.
func (d *Decision) pass(g Gate, ok bool, r Reason) bool {
	if ok {
		d.Gates.set(g, Open)
		return true
	}
	d.Gates.set(g, Shut)
	d.Reason = r
	return false
}

// interrupted asks the gates that look at the caller: a cancel comes first, whatever the error says; a success already
// in hand stands, but not in another session.
func (d *Decision) interrupted(o *Outcome, f *Facts) bool {
	if !d.pass(GateCancelled, !f.Cancelled || !o.Failure(), ReasonCancelled) {
		return true
	}
	return !d.pass(GateGeneration, !f.Stale, ReasonStaleGeneration)
}

// finished ends the operation with a success.
func (d *Decision) finished(o *Outcome) bool {
	d.Gates.set(GateOutcome, Open)
	if !o.Failure() {
		d.Verdict = Succeed
		return true
	}
	return false
}

// unsafe asks whether a second send is safe. It matters more than any status, and where nothing was sent it is, unless
// the policy goes by its list of methods even then. Where
// the time ran out during the attempt, the deadline has the word before every question about another one.
func (p *Policy) unsafe(d *Decision, o *Outcome, f *Facts) bool {
	if f.Expired {
		d.pass(GateDeadline, false, ReasonDeadline)
		return true
	}
	if !d.pass(GateIdempotent, f.Safety.Repeatable() || o.NotSent && p.Unsent == UnsentAny, ReasonNotIdempotent) {
		return true
	}
	if o.NotSent && f.Body != BodyLost {
		return false
	}
	return !d.pass(GateReplayable, f.Body != BodyOnce && f.Body != BodyLost, ReasonNotReplayable)
}

// retryable judges a failure by a predicate's word, then by status, cause and kind: the conservative answer last.
func (p *Policy) retryable(o *Outcome) bool {
	if o.Kind == KindCancelled || o.Kind == KindSuccess {
		return false // a cancel is never retried, whatever a predicate says
	}
	switch o.Say {
	case SayRetry:
		return true
	case SayStop:
		return false
	case SayNothing:
	}
	r := &p.RetryOn
	if o.Kind == KindStatus {
		return r.Statuses.Has(o.Status)
	}
	if o.Cause != CauseNone {
		if r.LacksCause(o.Cause) {
			return false
		}
		if r.HasCause(o.Cause) {
			return true
		}
	}
	return r.HasKind(o.Kind) && !o.Permanent
}

// unasked tells whether the policy goes by the server's word alone and an answer gives none. A failure without an answer
// could not give one, and a caller's own word stands above the policy's.
func (p *Policy) unasked(o *Outcome) bool {
	return (p.RetryAfter.Mode == RetryAfterRequired || p.RequiredOn.Has(o.Status)) && o.Kind == KindStatus && o.Say != SayRetry && !o.Hint.asked()
}

// plan draws the own wait and lets it meet the server's.
func (p *Policy) plan(d *Decision, prev time.Duration, o *Outcome, u float64) {
	d.Drawn = true
	b := &p.Backoff
	if b.ThrottleBase > 0 {
		after := b.After(o)
		b = &after
	}
	d.Own, d.Lo, d.Hi, d.Memory = b.draw(d.Attempt, prev, u)
	p.meet(d, o, u)
}
