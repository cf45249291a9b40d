package engine

var kindWords = [...]string{"success", "status", "transport", "timeout", "invalid-response", "decoding", "cancelled", "unknown"}

// String is the kind's word in events, flags and files.
func (k Kind) String() string { return word(kindWords[:], int(k)) }

var causeWords = [...]string{
	"", "dns", "refused", "tls", "reset", "closed", "unreachable", "proxy", "http2", "cut", "malformed", "redirect-loop", "bad-request", "body",
}

// String is the cause's word in events, flags and files.
func (c Cause) String() string { return word(causeWords[:], int(c)) }

// Causes are all causes a policy can name, in order.
func Causes() []Cause {
	out := make([]Cause, 0, len(causeWords)-1)
	for c := CauseDNS; int(c) < len(causeWords); c++ {
		out = append(out, c)
	}
	return out
}

// RetryKinds are the kinds of failure a policy can name, in order; statuses are named one by one.
func RetryKinds() []Kind {
	return []Kind{KindTransport, KindTimeout, KindInvalidResponse, KindDecoding, KindUnknown}
}

var verdictWords = [...]string{"succeed", "stop", "defer", "retry"}

// String is the verdict's word.
func (v Verdict) String() string { return word(verdictWords[:], int(v)) }

var gateWords = [...]string{
	"cancelled", "generation", "outcome", "idempotent", "replayable", "retryable", "attempts", "budget", "ceiling", "deadline",
}

// String is the gate's word.
func (g Gate) String() string { return word(gateWords[:], int(g)) }

var reasonWords = [...]string{
	"", "cancelled", "stale-generation", "not-idempotent", "not-replayable", "not-retryable", "attempts-exhausted",
	"budget-exhausted", "over-ceiling", "deadline", "max-sends", "never-answers", "no-limit",
}

// String is the reason's word.
func (r Reason) String() string { return word(reasonWords[:], int(r)) }

var resultWords = [...]string{"succeeded", "failed", "deferred", "timed-out", "cancelled", "endless"}

// String is the result's word.
func (r Result) String() string { return word(resultWords[:], int(r)) }

var sourceWords = [...]string{"own", "server"}

// String is the source's word.
func (s Source) String() string { return word(sourceWords[:], int(s)) }

func word(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return "invalid"
	}
	return words[i]
}
