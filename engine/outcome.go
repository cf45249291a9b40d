package engine

import "time"

// Kind is what sort of thing an attempt came back with.
type Kind uint8

// The kinds of outcome.
const (
	KindSuccess         Kind = iota // 2xx, or a nil error
	KindStatus                      // an answer with another status
	KindTransport                   // no answer: the connection failed
	KindTimeout                     // the attempt's own time ran out
	KindInvalidResponse             // an answer that is malformed or cut short
	KindDecoding                    // an answer that came whole and could not be read
	KindCancelled                   // the attempt was cancelled
	KindUnknown                     // anything else
)

// Cause is what exactly went wrong, where a type says so.
type Cause uint8

// The causes. Those of a transport failure come first.
const (
	CauseNone         Cause = iota
	CauseDNS                // the name was not resolved
	CauseRefused            // nobody listens
	CauseTLS                // no secure connection
	CauseReset              // the peer reset the connection
	CauseClosed             // the connection was closed before an answer
	CauseUnreachable        // no route to the host or network
	CauseProxy              // the proxy refused the tunnel
	CauseHTTP2              // the stream was reset
	CauseCut                // the body ended early
	CauseMalformed          // the answer is no HTTP
	CauseRedirectLoop       // the redirects never end
	CauseRequest            // the request itself is malformed
	CauseBody               // the caller's own body could not be read
)

// HintState is what became of a Retry-After header, or of one that Policy.Hints names.
type HintState uint8

// The states of a Hint.
const (
	HintNone       HintState = iota // absent or blank
	HintWait                        // readable
	HintTooLong                     // digits beyond any duration: longer than any ceiling
	HintUnreadable                  // not what the header may hold: neither digits nor an HTTP date
)

// Hint is a server's wish to be left alone for a while.
type Hint struct {
	State HintState
	// From is the header it was read from.
	From HintHeader
	// Lines is how many lines of the header there were, where it is unreadable because they do not say the same; 0 else.
	Lines uint8
	// Wait is 0 or more; Forever where State is HintTooLong.
	Wait time.Duration
}

// asked tells whether there is a wait to honor.
func (h Hint) asked() bool { return h.State == HintWait || h.State == HintTooLong }

// Say is a caller's own word on a failure, above the policy's RetryOn.
type Say uint8

// The words.
const (
	SayNothing Say = iota // the policy decides
	SayRetry              // it may heal
	SayStop               // it is permanent
)

// Outcome is what an attempt came back with.
type Outcome struct {
	Kind  Kind
	Cause Cause
	// Say is the word of a predicate or marker.
	Say Say
	// Permanent marks a failure that does not heal unless the policy names its cause: a certificate that does not
	// verify, a host that does not exist.
	Permanent bool
	// NotSent is true where nothing of the request left: the dial failed.
	NotSent bool
	// Status is the HTTP status, 0 where there is none.
	Status int
	// Hint is the server's Retry-After, or what took its place.
	Hint Hint
}

// throttled tells whether the answer is a 429.
func (o *Outcome) throttled() bool { return o.Kind == KindStatus && o.Status == 429 }

// Failure tells whether the outcome is anything but a success.
func (o *Outcome) Failure() bool { return o.Kind != KindSuccess }

// Ambiguous tells whether the server may have done the work although no answer came: a timed-out or broken attempt,
// sent, of an operation that is not idempotent.
func (o *Outcome) Ambiguous(s Safety) bool {
	if s.Idempotent() || o.NotSent {
		return false
	}
	switch o.Kind {
	case KindTimeout, KindTransport, KindCancelled:
		return o.Cause != CauseRequest && o.Cause != CauseBody
	case KindSuccess, KindStatus, KindInvalidResponse, KindDecoding, KindUnknown:
		return false
	default:
		return false
	}
}
