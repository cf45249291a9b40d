package engine

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// FieldError is one field of a policy that cannot be as it is.
type FieldError struct {
	// Field is the knob's name, Value what was given, Allowed what may stand there.
	Field, Value, Allowed string
	// Line is the line in a file, 0 where there is none.
	Line int
}

func (e *FieldError) Error() string {
	where := ""
	if e.Line > 0 {
		where = fmt.Sprintf("line %d: ", e.Line)
	}
	if e.Value == "" {
		return fmt.Sprintf("%s%s: %s", where, shown(e.Field), e.Allowed)
	}
	return fmt.Sprintf("%s%s=%s: %s", where, shown(e.Field), shown(e.Value), e.Allowed)
}

// shown is what was given, quoted where it holds something that does not print: it may come from a file.
func shown(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// field is one knob in the text form.
type field struct {
	name string
	// always is true for the knobs a full line names even at their defaults.
	always bool
	print  func(*Policy) string
	parse  func(*Policy, string) error // its error is what is allowed
}

// Fields are the names of all knobs in the order of the text form.
func Fields() []string {
	out := make([]string, 0, len(fields))
	for i := range fields {
		out = append(out, fields[i].name)
	}
	return out
}

// Get is the text of one knob; ok is false for a name that is none.
func (p *Policy) Get(name string) (value string, ok bool) {
	f := lookup(name)
	if f == nil {
		return "", false
	}
	return f.print(p), true
}

// Set changes one knob by its text: one of Fields, or "retries", which is attempts less one. It returns a *FieldError
// and changes nothing where the name or the value is wrong. It does not judge knobs against each other: Validate does.
func (p *Policy) Set(name, value string) error {
	q := *p
	if name == "retries" {
		n, ok := parseRetries(value)
		if !ok {
			return &FieldError{Field: name, Value: value, Allowed: allowedRetries}
		}
		*p = q.WithRetries(n)
		return nil
	}
	f := lookup(name)
	if f == nil {
		return &FieldError{Field: name, Allowed: unknownField(name)}
	}
	if err := f.parse(&q, value); err != nil {
		return &FieldError{Field: name, Value: value, Allowed: err.Error()}
	}
	*p = q
	return nil
}

// parseRetries reads sends after the first. One too many to count is refused, never taken for unlimited.
func parseRetries(s string) (int, bool) {
	if s == "unlimited" {
		return Unlimited, true
	}
	n, err := strconv.Atoi(s)
	if errors.Is(err, strconv.ErrRange) && n < 0 {
		return n, true
	}
	return n, err == nil && n < maxAttempts && s[0] != '+'
}

func lookup(name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

// String is the policy in full, on one line, safe unquoted in a shell. ParsePolicy reads it back, on top of Default, to
// the same policy: knobs that are seldom touched are left out where they are as in Default.
func (p Policy) String() string {
	d := Default()
	var b strings.Builder
	for i := range fields {
		f := &fields[i]
		v := f.print(&p)
		if !f.always && v == f.print(&d) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(f.name + "=" + v)
	}
	return b.String()
}

// Short is the policy as a preset's name and what differs from the preset: "carom attempts=6".
func (p Policy) Short(name string, preset Policy) string {
	out := name
	for i := range fields {
		f := &fields[i]
		if v := f.print(&p); v != f.print(&preset) {
			out += " " + f.name + "=" + v
		}
	}
	return out
}

// MarshalText makes the text form the policy's form in JSON, TOML and every other encoding that asks for text.
func (p Policy) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the text form, on top of Default.
func (p *Policy) UnmarshalText(text []byte) error {
	q, err := ParsePolicy(string(text), Default())
	if err == nil {
		*p = q
	}
	return err
}

// ParsePolicy reads name=value words, separated by white space, on top of a policy. All that is wrong is named at once,
// as *FieldError joined, and then base comes back as it was.
func ParsePolicy(text string, base Policy) (Policy, error) {
	p := base
	var errs []error
	seen := map[string]string{}
	wrong := map[string]bool{}
	for _, w := range strings.Fields(text) {
		name, value, ok := strings.Cut(w, "=")
		ok = ok && name != ""
		if !ok || name == "" {
			errs = append(errs, &FieldError{Field: w, Allowed: "write name=value, for example attempts=4"})
			continue
		}
		key := name
		if key == "retries" {
			key = "attempts"
		}
		if was, twice := seen[key]; twice {
			errs = append(errs, &FieldError{Field: name, Value: value, Allowed: "given twice, first as " + shown(was)})
			continue
		}
		seen[key] = w
		if err := p.Set(name, value); err != nil {
			errs = append(errs, err)
			wrong[key] = true
		}
	}
	// What was read is judged as well, but for fields that were not read: they still are as in base.
	p.validate(func(e *FieldError) {
		if !wrong[e.Field] && (e.Field != "least" || !wrong["cap"]) {
			errs = append(errs, e)
		}
	})
	if err := errors.Join(errs...); err != nil {
		return base, err
	}
	return p, nil
}

// Validate names every field that cannot be as it is, as *FieldError joined; nil where all is well. A policy that is
// valid has a text form that reads back to the same policy.
func (p *Policy) Validate() error {
	var errs []error
	p.validate(func(e *FieldError) { errs = append(errs, e) })
	return errors.Join(errs...)
}

func (p *Policy) validate(tell func(*FieldError)) {
	bad := func(ok bool, name, allowed string) {
		if !ok {
			v, _ := p.Get(name)
			tell(&FieldError{Field: name, Value: v, Allowed: allowed})
		}
	}
	bad(p.Attempts >= 1 && p.Attempts <= maxAttempts || p.Attempts == Unlimited, "attempts", allowedAttempts)
	p.validateBackoff(bad)
	bad(p.RetryAfter.valid(), "retry-after", allowedRetryAfter)
	bad(statusesValid(&p.RetryAfterOn), "retry-after-on", allowedStatuses("any"))
	bad(statusesValid(&p.RequiredOn), "required-on", allowedStatuses("none"))
	bad(p.Reads.valid(), "reads", allowedReads())
	bad(p.OverCeiling <= OverOwn, "over-ceiling", strings.Join(overCeilingWords, ", "))
	bad(p.Unsent <= UnsentListed, "unsent", strings.Join(unsentWords, ", "))
	bad(p.Hints.valid(), "hints", allowedHints())
	bad(finite(p.Spread), "spread", allowedDuration)
	bad(p.Ceiling >= 0, "ceiling", allowedDuration+", or none")
	bad(finite(p.Timeout), "timeout", allowedTimeout)
	bad(finite(p.AttemptTimeout), "attempt-timeout", allowedTimeout)
	bad(p.RetryOn.valid(), "retry-on", allowedRetryOn())
	bad(validMethods(p.Methods), "methods", allowedMethods)
	bad(p.Budget.valid(), "budget", allowedBudget)
	bad(inTokens(p.Budget.ThrottleCost), "throttle-cost", allowedCost)
	bad(inTokens(p.Budget.TimeoutCost), "timeout-cost", allowedCost)
}

func (p *Policy) validateBackoff(bad func(bool, string, string)) {
	bad(finite(p.Base), "base", allowedDuration+"; 0 means no wait")
	bad(finite(p.ThrottleBase), "throttle-base", allowedThrottle)
	bad(p.Cap > 0, "cap", "above 0, or none")
	bad(finite(p.Least), "least", allowedDuration)
	bad(p.Least <= p.Cap || p.Cap <= 0 || p.Least == Forever, "least", "at most the cap, "+FormatDuration(p.Cap))
	bad(p.CapStage <= CapBoth, "cap-stage", "before, after or both")
	bad(p.Curve <= CurveFibonacci, "curve", strings.Join(curveWords, ", "))
	bad(p.Factor >= 1 && !math.IsInf(p.Factor, 0), "factor", allowedFactor)
	bad(p.Shift == 0 || p.Shift == 1, "shift", "0 or 1: the first exponent")
	bad(p.First <= FirstUnjittered, "first", strings.Join(firstWords, ", "))
	bad(p.Jitter.valid(), "jitter", allowedJitter)
}

// valid tells whether the figures of the jitter are in range, and those of another kind are 0.
func (j *Jitter) valid() bool {
	switch j.Kind {
	case JitterScale:
		return j.Add == 0 && j.Lo >= 0 && j.Lo <= j.Hi && !math.IsInf(j.Hi, 0)
	case JitterAdditive:
		return finite(j.Add) && j.Lo == 0 && j.Hi == 0
	case JitterNone, JitterFull, JitterEqual, JitterDecorrelated, JitterSmooth:
		return *j == Jitter{Kind: j.Kind}
	default:
		return false
	}
}

func (r RetryAfterRule) valid() bool {
	if r.Mode == RetryAfterClamp || r.Mode == RetryAfterBounded {
		return finite(r.Range)
	}
	return r.Mode <= RetryAfterBounded && r.Range == 0
}

const (
	allowedAttempts   = "1 or more (a billion at most), counting the first send, or unlimited"
	allowedRetries    = "a whole number of sends after the first (a negative one is 0), or unlimited"
	allowedDuration   = "0 or more"
	allowedThrottle   = allowedDuration + "; 0 means the base"
	allowedTimeout    = "above 0, or none"
	allowedFactor     = "1 or more, finite"
	allowedJitter     = "none, full, equal, scale:0.5..1.5, additive:100ms, decorrelated or smooth"
	allowedRetryAfter = "at-least, replace, ignore, clamp:5s, bounded:5s or required"
	allowedMethods    = "idempotent, any, or a list like GET,HEAD,POST"
	allowedCost       = "a whole number of tokens from 0 to a billion; 0 means the cost in the budget"
	allowedBudget     = "none, tokens:CAPACITY/COST/CREDIT or ratio:PERCENT%/MINIMUM, for example tokens:500/14/1 or ratio:20%/10"
)

var (
	curveWords    = []string{"none", "constant", "linear", "quadratic", "exponential", "fibonacci"}
	firstWords    = []string{"plain", "immediate", "unjittered"}
	capStageWords = []string{"before", "after", "both"}
)

var fields = [...]field{
	{"attempts", true, printAttempts, parseAttempts},
	{"base", true, durationOf(func(p *Policy) *time.Duration { return &p.Base }), setDuration(func(p *Policy) *time.Duration { return &p.Base }, "")},
	{"throttle-base", false, durationOf(func(p *Policy) *time.Duration { return &p.ThrottleBase }), setDuration(func(p *Policy) *time.Duration { return &p.ThrottleBase }, "")},
	{"cap", true, durationOf(func(p *Policy) *time.Duration { return &p.Cap }), parseCap},
	{"cap-stage", false, func(p *Policy) string { return word(capStageWords, int(p.CapStage)) }, func(p *Policy, s string) error { return setWord(&p.CapStage, capStageWords, s) }},
	{"least", false, durationOf(func(p *Policy) *time.Duration { return &p.Least }), setDuration(func(p *Policy) *time.Duration { return &p.Least }, "")},
	{"curve", true, func(p *Policy) string { return word(curveWords, int(p.Curve)) }, func(p *Policy, s string) error { return setWord(&p.Curve, curveWords, s) }},
	{"factor", true, func(p *Policy) string { return formatFloat(p.Factor) }, parseFactor},
	{"shift", false, func(p *Policy) string { return strconv.Itoa(p.Shift) }, parseShift},
	{"first", false, func(p *Policy) string { return word(firstWords, int(p.First)) }, func(p *Policy, s string) error { return setWord(&p.First, firstWords, s) }},
	{"jitter", true, func(p *Policy) string { return p.Jitter.String() }, parseJitter},
	{"retry-after", true, func(p *Policy) string { return p.RetryAfter.String() }, parseRetryAfterRule},
	{"retry-after-on", false, func(p *Policy) string { return statusList(&p.RetryAfterOn, "any") }, setStatuses(func(p *Policy) *StatusSet { return &p.RetryAfterOn }, "any")},
	{"required-on", false, func(p *Policy) string { return statusList(&p.RequiredOn, "none") }, setStatuses(func(p *Policy) *StatusSet { return &p.RequiredOn }, "none")},
	{"reads", false, func(p *Policy) string { return p.Reads.String() }, parseReads},
	{"hints", false, func(p *Policy) string { return p.Hints.String() }, parseHints},
	{"spread", false, durationOf(func(p *Policy) *time.Duration { return &p.Spread }), setDuration(func(p *Policy) *time.Duration { return &p.Spread }, "")},
	{"ceiling", true, durationOf(func(p *Policy) *time.Duration { return &p.Ceiling }), setDuration(func(p *Policy) *time.Duration { return &p.Ceiling }, "none")},
	{"over-ceiling", false, func(p *Policy) string { return p.OverCeiling.String() }, func(p *Policy, s string) error { return setWord(&p.OverCeiling, overCeilingWords, s) }},
	{"timeout", true, timeoutOf(func(p *Policy) *time.Duration { return &p.Timeout }), setTimeout(func(p *Policy) *time.Duration { return &p.Timeout })},
	{"attempt-timeout", true, timeoutOf(func(p *Policy) *time.Duration { return &p.AttemptTimeout }), setTimeout(func(p *Policy) *time.Duration { return &p.AttemptTimeout })},
	{"retry-on", true, func(p *Policy) string { return p.RetryOn.String() }, parseRetryOn},
	{"methods", true, func(p *Policy) string { return p.Methods }, parseMethods},
	{"unsent", false, func(p *Policy) string { return p.Unsent.String() }, func(p *Policy, s string) error { return setWord(&p.Unsent, unsentWords, s) }},
	{"budget", false, func(p *Policy) string { return p.Budget.String() }, parseBudget},
	{"throttle-cost", false, func(p *Policy) string { return strconv.Itoa(p.Budget.ThrottleCost) }, setCost(func(p *Policy) *int { return &p.Budget.ThrottleCost })},
	{"timeout-cost", false, func(p *Policy) string { return strconv.Itoa(p.Budget.TimeoutCost) }, setCost(func(p *Policy) *int { return &p.Budget.TimeoutCost })},
}
