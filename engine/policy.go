package engine

import (
	"math"
	"time"
)

// Unlimited is the number of attempts of a policy that never stops by itself.
const Unlimited = math.MaxInt

// NoCap is the cap of a backoff that has none; NoCeiling the ceiling of a policy that takes any server wait.
const (
	NoCap     = Forever
	NoCeiling = Forever
)

// Policy says whether to try again and when. It is a plain value: it holds no function and no pointer, it can be
// compared with ==, and changing a copy never changes the original. The zero Policy is not valid; start from Default
// or from ParsePolicy.
type Policy struct {
	// Attempts counts all sends, the first included: 1 or more, or Unlimited.
	Attempts int
	// Backoff draws the own wait before each retry.
	Backoff
	// RetryAfter says what a server's Retry-After does to the own wait.
	RetryAfter RetryAfterRule
	// RetryAfterOn names the statuses of the answers in which a server wait is looked for; empty for all.
	RetryAfterOn StatusSet
	// RequiredOn names the statuses that are retried only where the answer asks for a wait, whatever the mode.
	RequiredOn StatusSet
	// Reads are the forms in which a server wait is read.
	Reads Reads
	// Hints are the headers that may ask for a wait as well, read before Retry-After.
	Hints Hints
	// Spread lengthens a server wait by U[0, Spread], with the draw of the own wait; 0 for none.
	Spread time.Duration
	// Ceiling is the longest server wait taken, NoCeiling for none; OverCeiling says what becomes of a longer one.
	Ceiling     time.Duration
	OverCeiling OverCeiling
	// Timeout bounds the whole operation, every attempt and wait; 0 for none.
	Timeout time.Duration
	// AttemptTimeout bounds one attempt; 0 for none.
	AttemptTimeout time.Duration
	// RetryOn names the outcomes that may heal.
	RetryOn RetryOn
	// Methods names what is safe to repeat: MethodsIdempotent, MethodsAny, or a sorted list as "GET,HEAD". An operation
	// that carries an idempotency key is safe under each of them.
	Methods string
	// Unsent says whether Methods holds even where nothing of the request was sent.
	Unsent Unsent
	// Budget keeps many operations together from storming.
	Budget BudgetRule
}

// The two words of Policy.Methods; anything else is a list.
const (
	MethodsIdempotent = "idempotent"
	MethodsAny        = "any"
)

// RetryAfterMode is how a server's wait and the own one meet.
type RetryAfterMode uint8

// The modes of a RetryAfterRule.
const (
	RetryAfterAtLeast  RetryAfterMode = iota // max(own, server)
	RetryAfterReplace                        // server
	RetryAfterIgnore                         // own
	RetryAfterClamp                          // own, brought into [server, server+Range]
	RetryAfterRequired                       // server; an answer that asks for no wait is not retried
	RetryAfterBounded                        // server, brought into [own, own+Range] (AWS SDKs of 2026)
)

// RetryAfterRule is a mode and, for RetryAfterClamp and RetryAfterBounded, its range.
type RetryAfterRule struct {
	Mode  RetryAfterMode
	Range time.Duration
}

// BudgetKind is how a budget counts.
type BudgetKind uint8

// The kinds of a BudgetRule.
const (
	BudgetNone   BudgetKind = iota // no budget
	BudgetTokens                   // a bucket of tokens: a retry costs, a success credits (AWS SDK, gRPC A6)
	BudgetRatio                    // retries as a share of requests, with a minimum a second (Finagle, Envoy)
)

// BudgetRule is the data of a budget; NewBudget makes the thing that counts.
type BudgetRule struct {
	Kind BudgetKind
	// Capacity, Cost and Credit are tokens: what the bucket holds, what a retry takes, what a success gives back.
	Capacity, Cost, Credit int
	// ThrottleCost takes the place of Cost after a 429, TimeoutCost after a timeout; 0 for none of its own.
	ThrottleCost, TimeoutCost int
	// Percent is the share of requests that may be retries, above 0 to 1000; PerSecond the retries a second that are
	// always free.
	Percent   float64
	PerSecond int
}

// Default is the policy of a newcomer: four attempts, full jitter on 200ms doubled up to 10s, a server's Retry-After
// as a lower bound up to 30s, ten seconds for an attempt, and only what is safe to repeat and may heal.
func Default() Policy {
	p := Policy{
		Attempts: 4,
		Backoff: Backoff{
			Base: 200 * time.Millisecond, Cap: 10 * time.Second,
			Curve: CurveExponential, Factor: 2, Jitter: Jitter{Kind: JitterFull},
		},
		RetryAfter:     RetryAfterRule{Mode: RetryAfterAtLeast},
		Ceiling:        30 * time.Second,
		AttemptTimeout: 10 * time.Second,
		Methods:        MethodsIdempotent,
	}
	p.RetryOn = RetryOn{Kinds: kindBit(KindTransport) | kindBit(KindTimeout) | kindBit(KindInvalidResponse)}
	p.RetryOn.Statuses.AddRange(500, 599)
	for _, s := range []int{501, 505, 511} {
		p.RetryOn.Statuses.Remove(s)
	}
	p.RetryOn.Statuses.Add(429)
	return p
}

// WithRetries sets Attempts to n sends after the first; a negative n is none.
func (p Policy) WithRetries(n int) Policy {
	n = max(n, 0)
	if n == Unlimited {
		p.Attempts = Unlimited
	} else {
		p.Attempts = n + 1
	}
	return p
}

// RetryOn is the set of outcomes that may heal: kinds, causes named on their own, statuses.
type RetryOn struct {
	// Kinds has a bit for each Kind of failure.
	Kinds uint16
	// Causes and NotCauses have a bit for each Cause named in or out; a named one overrides its kind.
	Causes, NotCauses uint32
	// Statuses holds the statuses to retry.
	Statuses StatusSet
}

// HasKind tells whether every failure of kind k is retried, but for causes named out.
func (r *RetryOn) HasKind(k Kind) bool { return r.Kinds&kindBit(k) != 0 }

// HasCause tells whether the cause was named in.
func (r *RetryOn) HasCause(c Cause) bool { return r.Causes&causeBit(c) != 0 }

// LacksCause tells whether the cause was named out.
func (r *RetryOn) LacksCause(c Cause) bool { return r.NotCauses&causeBit(c) != 0 }

// SetKind names a kind of failure in or out.
func (r *RetryOn) SetKind(k Kind, on bool) {
	if on {
		r.Kinds |= kindBit(k)
	} else {
		r.Kinds &^= kindBit(k)
	}
}

// SetCause names a cause in (1), out (-1), or leaves it to its kind (0).
func (r *RetryOn) SetCause(c Cause, say int) {
	r.Causes &^= causeBit(c)
	r.NotCauses &^= causeBit(c)
	switch {
	case say > 0:
		r.Causes |= causeBit(c)
	case say < 0:
		r.NotCauses |= causeBit(c)
	}
}

func kindBit(k Kind) uint16   { return 1 << k }
func causeBit(c Cause) uint32 { return 1 << c }

// StatusSet is a set of HTTP statuses from 100 to 599, as bits.
type StatusSet [8]uint64

const firstStatus, lastStatus = 100, 599

// Has tells whether status s is in the set.
func (s *StatusSet) Has(status int) bool {
	if status < firstStatus || status > lastStatus {
		return false
	}
	i := status - firstStatus
	return s[i/64]&(1<<(i%64)) != 0
}

// Add puts a status in; one outside 100 to 599 is left out.
func (s *StatusSet) Add(status int) {
	if status >= firstStatus && status <= lastStatus {
		i := status - firstStatus
		s[i/64] |= 1 << (i % 64)
	}
}

// Remove takes a status out.
func (s *StatusSet) Remove(status int) {
	if status >= firstStatus && status <= lastStatus {
		i := status - firstStatus
		s[i/64] &^= 1 << (i % 64)
	}
}

// AddRange puts in every status from lo to hi.
func (s *StatusSet) AddRange(lo, hi int) {
	for i := lo; i <= hi; i++ {
		s.Add(i)
	}
}

// RemoveRange takes out every status from lo to hi.
func (s *StatusSet) RemoveRange(lo, hi int) {
	for i := lo; i <= hi; i++ {
		s.Remove(i)
	}
}

// idempotentMethods are those of RFC 9110, section 9.2.2; an empty method is GET.
func idempotentMethod(method string) bool {
	switch method {
	case "", "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE":
		return true
	default:
		return false
	}
}

// Safety is why an operation may be repeated, or why not.
type Safety uint8

// The safeties. Those below Unsafe let an operation be retried.
const (
	SafeMethod Safety = iota // the method is idempotent (RFC 9110, section 9.2.2)
	SafeKey                  // the request carries an idempotency key
	SafeListed               // the method is not idempotent, but the policy lists it
	SafeAny                  // the method is not idempotent, but the policy takes any
	Unsafe                   // the method is not idempotent
	Unlisted                 // the method is idempotent, but not in the policy's list
)

// Safety judges a method under this policy; keyed says whether the request carries an idempotency key. A method is
// compared as it is written: HTTP methods are case-sensitive (RFC 9110, section 9.1).
func (p *Policy) Safety(method string, keyed bool) Safety {
	idempotent := idempotentMethod(method)
	switch {
	case keyed && !idempotent:
		return SafeKey
	case p.Methods == MethodsIdempotent && idempotent, p.Methods == MethodsAny && idempotent:
		return SafeMethod
	case p.Methods == MethodsAny:
		return SafeAny
	case p.Methods == MethodsIdempotent:
		return Unsafe
	case listed(p.Methods, method):
		if idempotent {
			return SafeMethod
		}
		return SafeListed
	case keyed:
		return SafeKey
	case idempotent:
		return Unlisted
	default:
		return Unsafe
	}
}

// Repeatable tells whether the operation may be sent again.
func (s Safety) Repeatable() bool { return s < Unsafe }

// Idempotent tells whether a second send does no more than the first.
func (s Safety) Idempotent() bool { return s == SafeMethod || s == SafeKey || s == Unlisted }

func listed(list, method string) bool {
	if method == "" {
		method = "GET"
	}
	for list != "" {
		var one string
		one, list = cutComma(list)
		if one == method {
			return true
		}
	}
	return false
}

func cutComma(s string) (first, rest string) {
	for i := range len(s) {
		if s[i] == ',' {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
