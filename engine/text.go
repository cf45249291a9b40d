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
		return fmt.Sprintf("%s%s: %s", where, e.Field, e.Allowed)
	}
	return fmt.Sprintf("%s%s=%s: %s", where, e.Field, e.Value, e.Allowed)
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
		n, err := strconv.Atoi(value)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return &FieldError{Field: name, Value: value, Allowed: "a whole number; a negative one is 0 retries"}
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

func lookup(name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

// String is the policy in full, on one line, safe unquoted in a shell. ParsePolicy reads it back to the same policy.
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
	for _, w := range strings.Fields(text) {
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			errs = append(errs, &FieldError{Field: w, Allowed: "write name=value, for example attempts=4"})
			continue
		}
		key := name
		if key == "retries" {
			key = "attempts"
		}
		if was, twice := seen[key]; twice {
			errs = append(errs, &FieldError{Field: name, Value: value, Allowed: "given twice, first as " + was})
			continue
		}
		seen[key] = w
		if err := p.Set(name, value); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) == 0 {
		if err := p.Validate(); err != nil {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return base, err
	}
	return p, nil
}

// Validate names every field that cannot be as it is, as *FieldError joined; nil where all is well.
func (p *Policy) Validate() error {
	var errs []error
	bad := func(ok bool, name, allowed string) {
		if !ok {
			v, _ := p.Get(name)
			errs = append(errs, &FieldError{Field: name, Value: v, Allowed: allowed})
		}
	}
	bad(p.Attempts >= 1, "attempts", allowedAttempts)
	p.validateBackoff(bad)
	bad(p.RetryAfter.Mode <= RetryAfterClamp && p.RetryAfter.Range >= 0, "retry-after", allowedRetryAfter)
	bad(p.Spread >= 0, "spread", allowedDuration)
	bad(p.Ceiling >= 0, "ceiling", allowedDuration+", or none")
	bad(p.Timeout >= 0, "timeout", allowedTimeout)
	bad(p.AttemptTimeout >= 0, "attempt-timeout", allowedTimeout)
	bad(validMethods(p.Methods), "methods", allowedMethods)
	bad(p.Budget.valid(), "budget", allowedBudget)
	return errors.Join(errs...)
}

func (p *Policy) validateBackoff(bad func(bool, string, string)) {
	bad(p.Base >= 0, "base", allowedDuration+"; 0 means no wait")
	bad(p.Cap > 0, "cap", "above 0, or none")
	bad(p.Least >= 0, "least", allowedDuration)
	bad(p.Least <= p.Cap || p.Cap <= 0, "least", "at most the cap, "+FormatDuration(p.Cap))
	bad(p.CapStage <= CapBoth, "cap-stage", "before, after or both")
	bad(p.Curve <= CurveFibonacci, "curve", strings.Join(curveWords, ", "))
	bad(p.Factor >= 1 && !math.IsInf(p.Factor, 0), "factor", allowedFactor)
	bad(p.Shift == 0 || p.Shift == 1, "shift", "0 or 1: the first exponent")
	bad(p.First <= FirstUnjittered, "first", strings.Join(firstWords, ", "))
	bad(p.Jitter.valid(), "jitter", allowedJitter)
}

func (j *Jitter) valid() bool {
	return j.Kind <= JitterDecorrelated && j.Add >= 0 && j.Lo >= 0 && j.Lo <= j.Hi && !math.IsInf(j.Hi, 0)
}

const (
	allowedAttempts   = "1 or more, counting the first send, or unlimited"
	allowedDuration   = "0 or more"
	allowedTimeout    = "above 0, or none"
	allowedFactor     = "1 or more, finite"
	allowedJitter     = "none, full, equal, scale:0.5..1.5, additive:100ms or decorrelated"
	allowedRetryAfter = "at-least, replace, ignore or clamp:5s"
	allowedMethods    = "idempotent, any, or a list like GET,HEAD,POST"
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
	{"cap", true, durationOf(func(p *Policy) *time.Duration { return &p.Cap }), parseCap},
	{"cap-stage", false, func(p *Policy) string { return word(capStageWords, int(p.CapStage)) }, func(p *Policy, s string) error { return setWord(&p.CapStage, capStageWords, s) }},
	{"least", false, durationOf(func(p *Policy) *time.Duration { return &p.Least }), setDuration(func(p *Policy) *time.Duration { return &p.Least }, "")},
	{"curve", true, func(p *Policy) string { return word(curveWords, int(p.Curve)) }, func(p *Policy, s string) error { return setWord(&p.Curve, curveWords, s) }},
	{"factor", true, func(p *Policy) string { return formatFloat(p.Factor) }, parseFactor},
	{"shift", false, func(p *Policy) string { return strconv.Itoa(p.Shift) }, parseShift},
	{"first", false, func(p *Policy) string { return word(firstWords, int(p.First)) }, func(p *Policy, s string) error { return setWord(&p.First, firstWords, s) }},
	{"jitter", true, func(p *Policy) string { return p.Jitter.String() }, parseJitter},
	{"retry-after", true, func(p *Policy) string { return p.RetryAfter.String() }, parseRetryAfterRule},
	{"spread", false, durationOf(func(p *Policy) *time.Duration { return &p.Spread }), setDuration(func(p *Policy) *time.Duration { return &p.Spread }, "")},
	{"ceiling", true, durationOf(func(p *Policy) *time.Duration { return &p.Ceiling }), setDuration(func(p *Policy) *time.Duration { return &p.Ceiling }, "none")},
	{"timeout", true, timeoutOf(func(p *Policy) *time.Duration { return &p.Timeout }), setTimeout(func(p *Policy) *time.Duration { return &p.Timeout })},
	{"attempt-timeout", true, timeoutOf(func(p *Policy) *time.Duration { return &p.AttemptTimeout }), setTimeout(func(p *Policy) *time.Duration { return &p.AttemptTimeout })},
	{"retry-on", true, func(p *Policy) string { return p.RetryOn.String() }, parseRetryOn},
	{"methods", true, func(p *Policy) string { return p.Methods }, parseMethods},
	{"budget", false, func(p *Policy) string { return p.Budget.String() }, parseBudget},
}
