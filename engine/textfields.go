package engine

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

func durationOf(at func(*Policy) *time.Duration) func(*Policy) string {
	return func(p *Policy) string { return FormatDuration(*at(p)) }
}

// setDuration reads a duration; endless is the word for one without end, "" where there is none.
func setDuration(at func(*Policy) *time.Duration, endless string) func(*Policy, string) error {
	return func(p *Policy, s string) error {
		if endless != "" && s == endless {
			*at(p) = Forever
			return nil
		}
		d, err := parseDuration(s)
		if err != nil && endless != "" {
			return errors.New(err.Error() + ", or " + endless)
		}
		if err == nil {
			*at(p) = d
		}
		return err
	}
}

func timeoutOf(at func(*Policy) *time.Duration) func(*Policy) string {
	return func(p *Policy) string {
		if *at(p) == 0 {
			return "none"
		}
		return FormatDuration(*at(p))
	}
}

// setTimeout reads a timeout: 0 and none are no timeout.
func setTimeout(at func(*Policy) *time.Duration) func(*Policy, string) error {
	return func(p *Policy, s string) error {
		if s == "none" {
			*at(p) = 0
			return nil
		}
		d, err := parseDuration(s)
		if err != nil {
			return errors.New(err.Error() + ", or none")
		}
		*at(p) = d
		return nil
	}
}

func printAttempts(p *Policy) string {
	if p.Attempts == Unlimited {
		return "unlimited"
	}
	return strconv.Itoa(p.Attempts)
}

func parseAttempts(p *Policy, s string) error {
	if s == "unlimited" {
		p.Attempts = Unlimited
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxAttempts || s[0] == '+' {
		return errors.New(allowedAttempts)
	}
	p.Attempts = n
	return nil
}

// maxAttempts keeps a count apart from Unlimited.
const maxAttempts = 1_000_000_000

func parseCap(p *Policy, s string) error {
	if s == "none" {
		p.Cap = NoCap
		return nil
	}
	d, err := parseDuration(s)
	if err != nil || d == 0 {
		return errors.New("above 0 with a unit (10s), or none")
	}
	p.Cap = d
	return nil
}

func parseFactor(p *Policy, s string) error {
	f, err := parseFloat(s)
	if err != nil || f < 1 {
		return errors.New(allowedFactor)
	}
	p.Factor = f
	return nil
}

// parseFloat reads a plain decimal: no hexadecimal, no infinity, no NaN.
func parseFloat(s string) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) || strings.ContainsAny(s, "xX_+") {
		return 0, strconv.ErrSyntax
	}
	return f + 0, nil // a negative zero becomes a plain one
}

// formatFloat prints a number as parseFloat reads it: short, and without the plus sign of an exponent.
func formatFloat(f float64) string {
	if f == 0 || f >= 1e-4 && f < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "e+", "e", 1)
}

func parseShift(p *Policy, s string) error {
	if s != "0" && s != "1" {
		return errors.New("0 or 1: the first exponent")
	}
	p.Shift = int(s[0] - '0')
	return nil
}

func setWord[E ~uint8](at *E, words []string, s string) error {
	i := slices.Index(words, s)
	if i < 0 || i > math.MaxUint8 {
		return errors.New(strings.Join(words, ", "))
	}
	*at = E(i)
	return nil
}

// String is the jitter as a policy writes it.
func (j Jitter) String() string {
	switch j.Kind {
	case JitterNone:
		return "none"
	case JitterFull:
		return "full"
	case JitterEqual:
		return "equal"
	case JitterScale:
		return "scale:" + formatFloat(j.Lo) + ".." + formatFloat(j.Hi)
	case JitterAdditive:
		return "additive:" + FormatDuration(j.Add)
	case JitterDecorrelated:
		return "decorrelated"
	case JitterSmooth:
		return "smooth"
	default:
		return "invalid"
	}
}

func parseJitter(p *Policy, s string) error {
	name, arg, _ := strings.Cut(s, ":")
	var j Jitter
	switch name {
	case "scale":
		lo, hi, ok := strings.Cut(arg, "..")
		l, err1 := parseFloat(lo)
		h, err2 := parseFloat(hi)
		if !ok || err1 != nil || err2 != nil || l < 0 || l > h {
			return errors.New("scale:LOW..HIGH with 0 <= LOW <= HIGH, for example scale:0.5..1.5")
		}
		j = Jitter{Kind: JitterScale, Lo: l, Hi: h}
	case "additive":
		d, err := parseDuration(arg)
		if err != nil {
			return errors.New("additive:DURATION, for example additive:100ms")
		}
		j = Jitter{Kind: JitterAdditive, Add: d}
	default:
		kinds := map[string]JitterKind{
			"none": JitterNone, "full": JitterFull, "equal": JitterEqual, "decorrelated": JitterDecorrelated, "smooth": JitterSmooth,
		}
		k, ok := kinds[s]
		if !ok {
			return errors.New(allowedJitter)
		}
		j = Jitter{Kind: k}
	}
	p.Jitter = j
	return nil
}

// String is the rule as a policy writes it.
func (r RetryAfterRule) String() string {
	switch r.Mode {
	case RetryAfterAtLeast:
		return "at-least"
	case RetryAfterReplace:
		return "replace"
	case RetryAfterIgnore:
		return "ignore"
	case RetryAfterClamp:
		return "clamp:" + FormatDuration(r.Range)
	case RetryAfterBounded:
		return "bounded:" + FormatDuration(r.Range)
	case RetryAfterRequired:
		return "required"
	default:
		return "invalid"
	}
}

func parseRetryAfterRule(p *Policy, s string) error {
	switch s {
	case "at-least":
		p.RetryAfter = RetryAfterRule{Mode: RetryAfterAtLeast}
	case "replace":
		p.RetryAfter = RetryAfterRule{Mode: RetryAfterReplace}
	case "ignore":
		p.RetryAfter = RetryAfterRule{Mode: RetryAfterIgnore}
	case "required":
		p.RetryAfter = RetryAfterRule{Mode: RetryAfterRequired}
	default:
		name, arg, _ := strings.Cut(s, ":")
		mode, ok := map[string]RetryAfterMode{"clamp": RetryAfterClamp, "bounded": RetryAfterBounded}[name]
		d, err := parseDuration(arg)
		if !ok || err != nil {
			return errors.New(allowedRetryAfter)
		}
		p.RetryAfter = RetryAfterRule{Mode: mode, Range: d}
	}
	return nil
}

// parseMethods takes lower case for upper case: no method that a server knows is written otherwise.
func parseMethods(p *Policy, s string) error {
	if s == MethodsIdempotent || s == MethodsAny {
		p.Methods = s
		return nil
	}
	list := strings.Split(s, ",")
	for i, m := range list {
		if list[i] = strings.ToUpper(m); len(list[i]) != len(m) || strings.Trim(m, letters) != "" {
			return errors.New(allowedMethods)
		}
	}
	slices.Sort(list)
	joined := strings.Join(slices.Compact(list), ",")
	if !validMethods(joined) {
		return errors.New(allowedMethods)
	}
	p.Methods = joined
	return nil
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-"

// validMethods tells whether s is one of the two words or a sorted list of methods without repeats. The two words are no
// methods, so that one in capitals, or in a list, is not taken for a method that nobody has; nor is "none", for attempts=1
// says that nothing is retried.
func validMethods(s string) bool {
	if s == MethodsIdempotent || s == MethodsAny {
		return true
	}
	list := strings.Split(s, ",")
	for i, m := range list {
		word := strings.EqualFold(m, MethodsIdempotent) || strings.EqualFold(m, MethodsAny) || m == "NONE"
		if word || strings.Trim(m, "-") == "" || strings.Trim(m, letters[:26]+"-") != "" || i > 0 && m <= list[i-1] {
			return false
		}
	}
	return true
}

// String is the budget as a policy writes it.
func (b BudgetRule) String() string {
	switch b.Kind {
	case BudgetNone:
		return "none"
	case BudgetTokens:
		return "tokens:" + strconv.Itoa(b.Capacity) + "/" + strconv.Itoa(b.Cost) + "/" + strconv.Itoa(b.Credit)
	case BudgetRatio:
		return "ratio:" + formatFloat(b.Percent) + "%/" + strconv.Itoa(b.PerSecond)
	default:
		return "invalid"
	}
}

const maxTokens = 1_000_000_000

func inTokens(ns ...int) bool {
	return !slices.ContainsFunc(ns, func(n int) bool { return n < 0 || n > maxTokens })
}

// valid judges all but the costs of their own, which lie idle under a rule without tokens: a knob turned away from it and
// back does not lose them.
func (b *BudgetRule) valid() bool {
	switch b.Kind {
	case BudgetNone:
		return b.Capacity == 0 && b.Cost == 0 && b.Credit == 0 && b.Percent == 0 && b.PerSecond == 0
	case BudgetTokens:
		return inTokens(b.Capacity, b.Cost, b.Credit) && b.Cost > 0 && b.Percent == 0 && b.PerSecond == 0
	case BudgetRatio:
		return inTokens(b.PerSecond) && b.Percent >= 0 && b.Percent <= 1000 && b.Capacity == 0 && b.Cost == 0 && b.Credit == 0
	default:
		return false
	}
}

func parseBudget(p *Policy, s string) error {
	var b BudgetRule
	kind, arg, _ := strings.Cut(s, ":")
	parts := strings.Split(arg, "/")
	ok := false
	switch {
	case s == "none":
		ok = true
	case kind == "tokens" && len(parts) == 3:
		b = BudgetRule{Kind: BudgetTokens}
		ok = setInts(parts, &b.Capacity, &b.Cost, &b.Credit)
	case kind == "ratio" && len(parts) == 2 && strings.HasSuffix(parts[0], "%"):
		f, err := parseFloat(strings.TrimSuffix(parts[0], "%"))
		b = BudgetRule{Kind: BudgetRatio, Percent: f}
		ok = err == nil && setInts(parts[1:], &b.PerSecond)
	}
	if !ok || !b.valid() {
		return errors.New(allowedBudget)
	}
	b.ThrottleCost, b.TimeoutCost = p.Budget.ThrottleCost, p.Budget.TimeoutCost
	p.Budget = b
	return nil
}

func setCost(at func(*Policy) *int) func(*Policy, string) error {
	return func(p *Policy, s string) error {
		var n int
		if !setInts([]string{s}, &n) || !inTokens(n) {
			return errors.New(allowedCost)
		}
		*at(p) = n
		return nil
	}
}

func setInts(parts []string, at ...*int) bool {
	for i, s := range parts {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil {
			return false
		}
		*at[i] = int(n)
	}
	return true
}
