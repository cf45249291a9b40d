package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// knob is one row of the policy pane.
type knob uint8

// The knobs: those of the policy in the order one asks for them, for a small screen shows eight, then the request's.
const (
	knobAttempts knob = iota
	knobBase
	knobCap
	knobJitter
	knobRetryAfter
	knobTimeout
	knobAttemptTimeout
	knobRetryOn
	knobFactor
	knobCurve
	knobMethods
	knobBudget
	knobCeiling
	knobSpread
	knobHints
	knobCapStage
	knobLeast
	knobShift
	knobFirst
	knobThrottleBase
	knobRetryAfterOn
	knobRequiredOn
	knobReads
	knobOverCeiling
	knobUnsent
	knobThrottleCost
	knobTimeoutCost
	knobMethod
	knobURL
	knobKey
	knobBody
	numKnobs
)

// ofPolicy tells a knob of the policy from a line of the request.
func (k knob) ofPolicy() bool { return k < knobMethod }

// knobSpec is how a knob of the policy is called and turned. Its text and what it may be are the engine's.
type knobSpec struct {
	field, label string
	// A duration moves in a reach; a word moves through words; a count or a factor has its own step.
	duration func(*engine.Policy) *time.Duration
	reach    reach
	words    []string
	hint     string // what one may type
}

var (
	reachBase    = reach{zero: true, top: time.Hour}
	reachCap     = reach{top: time.Hour, endless: engine.NoCap, hasEnd: true}
	reachCeiling = reach{zero: true, top: time.Hour, endless: engine.NoCeiling, hasEnd: true}
	reachTimeout = reach{top: 10 * time.Minute, endless: 0, hasEnd: true}
)

// spec is the row of a knob; the knobs of the request have only a label.
func (k knob) spec() knobSpec {
	if k < numKnobs {
		return knobSpecs[k]
	}
	return knobSpec{}
}

var knobSpecs = [numKnobs]knobSpec{
	knobAttempts: {field: "attempts", label: "attempts", hint: "a count, the first send included, or unlimited"},
	knobBase: {
		field: "base", label: "base", hint: "a duration: 200ms",
		duration: func(p *engine.Policy) *time.Duration { return &p.Base }, reach: reachBase,
	},
	knobCap: {
		field: "cap", label: "cap", hint: "a duration above 0, or none",
		duration: func(p *engine.Policy) *time.Duration { return &p.Cap }, reach: reachCap,
	},
	knobJitter: {
		field: "jitter", label: "jitter", hint: "none, full, equal, scale:0.5..1.5, additive:100ms, decorrelated or smooth",
		words: []string{"none", "full", "equal", "scale:0.5..1.5", "additive:100ms", "decorrelated", "smooth"},
	},
	knobFactor: {field: "factor", label: "factor", hint: "1 or more"},
	knobCurve: {
		field: "curve", label: "curve", hint: "none, constant, linear, quadratic, exponential or fibonacci",
		words: []string{"none", "constant", "linear", "quadratic", "exponential", "fibonacci"},
	},
	knobRetryAfter: {
		field: "retry-after", label: "Retry-After", hint: "at-least, replace, ignore, clamp:5s, bounded:5s or required",
		words: []string{"at-least", "replace", "ignore", "clamp:5s", "bounded:5s", "required"},
	},
	knobCeiling: {
		field: "ceiling", label: "ceiling", hint: "the longest server wait taken, or none",
		duration: func(p *engine.Policy) *time.Duration { return &p.Ceiling }, reach: reachCeiling,
	},
	knobTimeout: {
		field: "timeout", label: "timeout", hint: "a duration for the whole call, or none",
		duration: func(p *engine.Policy) *time.Duration { return &p.Timeout }, reach: reachTimeout,
	},
	knobAttemptTimeout: {
		field: "attempt-timeout", label: "attempt timeout", hint: "a duration for one attempt, or none",
		duration: func(p *engine.Policy) *time.Duration { return &p.AttemptTimeout }, reach: reachTimeout,
	},
	knobRetryOn: {field: "retry-on", label: "retry on", hint: "kinds, causes and statuses: transport,timeout,429,5xx,-501"},
	knobMethods: {
		field: "methods", label: "methods", hint: "idempotent, any, or a list: GET,HEAD,POST",
		words: []string{engine.MethodsIdempotent, engine.MethodsAny},
	},
	knobBudget: {
		field: "budget", label: "budget", hint: "none, tokens:500/14/1 or ratio:20%/10",
		words: []string{"none", "tokens:500/14/1", "ratio:20%/10"},
	},
	knobSpread: {
		field: "spread", label: "spread", hint: "a duration: lengthens a server wait by chance",
		duration: func(p *engine.Policy) *time.Duration { return &p.Spread }, reach: reachBase,
	},
	knobCapStage: {
		field: "cap-stage", label: "cap stage", hint: "before, after or both: where the cap cuts",
		words: []string{"before", "after", "both"},
	},
	knobLeast: {
		field: "least", label: "least", hint: "a duration: the shortest wait after jitter",
		duration: func(p *engine.Policy) *time.Duration { return &p.Least }, reach: reachBase,
	},
	knobShift: {field: "shift", label: "shift", hint: "0 or 1: the first exponent", words: []string{"0", "1"}},
	knobFirst: {
		field: "first", label: "first", hint: "plain, immediate or unjittered",
		words: []string{"plain", "immediate", "unjittered"},
	},
	knobThrottleBase: {
		field: "throttle-base", label: "throttle base", hint: "a duration: the base after a 429; 0s for the base",
		duration: func(p *engine.Policy) *time.Duration { return &p.ThrottleBase }, reach: reachBase,
	},
	knobHints: {
		field: "hints", label: "hints", hint: "headers read before Retry-After: retry-after-ms,x-ratelimit-reset",
		words: []string{"none", "retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after", "ratelimit-reset", "x-ratelimit-reset"},
	},
	knobRetryAfterOn: {
		field: "retry-after-on", label: "Retry-After on", hint: "any, or the statuses it is heard on: 429,503",
		words: []string{"any", "429,503", "413,429,503"},
	},
	knobRequiredOn: {
		field: "required-on", label: "required on", hint: "none, or statuses retried only with a Retry-After: 413",
		words: []string{"none", "413", "429,503"},
	},
	knobReads: {
		field: "reads", label: "reads", hint: "none, or seconds,fraction,negative,zero,date,old-date",
		words: []string{"seconds,zero,date,old-date", "seconds,fraction,zero,date,old-date", "seconds,zero,date", "seconds,zero", "none"},
	},
	knobOverCeiling: {
		field: "over-ceiling", label: "over ceiling", hint: "defer, cut or own: a longer server wait",
		words: []string{"defer", "cut", "own"},
	},
	knobUnsent: {
		field: "unsent", label: "unsent", hint: "any or listed: methods of what never left",
		words: []string{"any", "listed"},
	},
	knobThrottleCost: {
		field: "throttle-cost", label: "throttle cost", hint: "tokens for a retry after a 429; 0 for the budget's cost",
		words: []string{"0", "1", "5", "10", "14"},
	},
	knobTimeoutCost: {
		field: "timeout-cost", label: "timeout cost", hint: "tokens for a retry after a timeout; 0 for the budget's cost",
		words: []string{"0", "1", "5", "10", "14"},
	},
	knobMethod: {label: "method", hint: "GET, POST, …"},
	knobURL:    {label: "URL", hint: "http or https"},
	knobKey:    {label: "idempotency key", hint: "any text; empty for none"},
	knobBody:   {label: "body", hint: "any text; empty for none"},
}

// turned is the policy with a knob moved; where the step would make a policy that cannot be, it is the same and the
// error says why.
func turned(p engine.Policy, k knob, by int, coarse bool) (engine.Policy, error) {
	q := p
	s := k.spec()
	switch {
	case k == knobAttempts:
		q.Attempts = stepAttempts(p.Attempts, by, coarse)
	case k == knobFactor:
		q.Factor = stepFactor(p.Factor, by, coarse)
	case s.duration != nil:
		rungs := by
		if coarse {
			rungs *= coarseRungs
		}
		at := s.duration(&q)
		*at = s.reach.step(*at, rungs)
	case len(s.words) > 0:
		now, _ := p.Get(s.field)
		if err := q.Set(s.field, cycle(s.wordsFor(now), now, by)); err != nil {
			return p, err
		}
	}
	if err := q.Validate(); err != nil {
		return p, err
	}
	return q, nil
}

// wordsFor are the words a knob steps through: one with figures of its own takes the place of the one without, so that
// a step away from it and back does not lose it at once.
func (s *knobSpec) wordsFor(now string) []string {
	kind, _, figures := strings.Cut(now, ":")
	if !figures {
		return s.words
	}
	out := make([]string, len(s.words))
	for i, w := range s.words {
		out[i] = w
		if k, _, _ := strings.Cut(w, ":"); k == kind {
			out[i] = now
		}
	}
	return out
}

// knobText is what a policy knob shows: its text in the policy, made readable.
func knobText(p *engine.Policy, k knob) string {
	text, _ := p.Get(k.spec().field)
	switch k {
	case knobRetryAfter:
		if p.RetryAfter.Mode == engine.RetryAfterAtLeast {
			text = "at least"
		}
		if p.RetryAfter.Mode != engine.RetryAfterIgnore && p.Listens() {
			if p.Ceiling == engine.NoCeiling {
				return text + ", no ceiling"
			}
			return text + ", up to " + engine.FormatDuration(p.Ceiling)
		}
	case knobRetryOn:
		return strings.ReplaceAll(text, ",", " ")
	case knobAttempts, knobBase, knobCap, knobJitter, knobFactor, knobCurve, knobCeiling, knobTimeout, knobAttemptTimeout,
		knobMethods, knobBudget, knobSpread, knobHints, knobCapStage, knobLeast, knobShift, knobFirst, knobThrottleBase,
		knobRetryAfterOn, knobRequiredOn, knobReads, knobOverCeiling, knobUnsent, knobThrottleCost, knobTimeoutCost,
		knobMethod, knobURL, knobKey, knobBody, numKnobs:
	}
	return text
}

// knobNote is what is said beside a knob: what its figure comes to, or why it does not count. off tells that it does not.
func knobNote(p *engine.Policy, k knob) (note string, off bool) {
	if why := knobOff(p, k); why != "" {
		return why, true
	}
	switch k {
	case knobAttempts:
		switch p.Attempts {
		case 1:
			return "(no retry)", false
		case 2:
			return "(1 retry)", false
		case engine.Unlimited:
			return "(no end)", false
		}
		return "(" + strconv.Itoa(p.Attempts-1) + " retries)", false
	case knobCap:
		if p.Cap < p.Base {
			return "below base", false
		}
		if p.Cap != engine.NoCap && !capBinds(p) {
			return "never reached", false
		}
	case knobLeast:
		if !leastBinds(p) {
			return "never reached", false
		}
	case knobTimeout:
		if p.Timeout > 0 {
			return "whole call", false
		}
	case knobThrottleBase:
		if p.ThrottleBase == 0 {
			return "the base", false
		}
		return "after a 429", false
	case knobThrottleCost, knobTimeoutCost:
		return costNote(p, k), false
	case knobRetryAfterOn, knobRequiredOn, knobReads, knobOverCeiling, knobUnsent,
		knobRetryOn, knobRetryAfter, knobBase, knobJitter, knobFactor, knobCurve, knobCeiling, knobAttemptTimeout,
		knobMethods, knobBudget, knobSpread, knobHints, knobCapStage, knobShift, knobFirst, knobMethod, knobURL, knobKey,
		knobBody, numKnobs:
	}
	return "", false
}

// farRetry is the last retry there can be, or one so far on that every curve has met its cap.
func farRetry(p *engine.Policy) int { return max(min(p.Attempts-1, 200), 1) }

// capBinds tells whether the cap changes the range of any own wait.
func capBinds(p *engine.Policy) bool {
	p = inWaits(p)
	open := p.Backoff
	open.Cap = engine.NoCap
	return p.Cap != engine.NoCap && changes(&p.Backoff, &open, farRetry(p))
}

// leastBinds tells whether the shortest wait changes the range of any own wait.
func leastBinds(p *engine.Policy) bool {
	p = inWaits(p)
	open := p.Backoff
	open.Least = 0
	return p.Least == 0 || changes(&p.Backoff, &open, farRetry(p))
}

// changes looks at the ends alone: ranges only grow from retry to retry, but for the first.
func changes(a, b *engine.Backoff, last int) bool {
	for _, retry := range []int{1, 2, last} {
		if retry > last {
			continue
		}
		alo, ahi := a.Bounds(retry)
		blo, bhi := b.Bounds(retry)
		if alo != blo || ahi != bhi {
			return true
		}
	}
	return false
}
