package export

import (
	"fmt"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// tongue is how a language writes the arithmetic of a wait. The wait is x, the retry retry, the draw before prev.
type tongue struct {
	declare, end          string // before the first x =, and after each statement
	pow, random, min, max string // functions, and a draw
	round                 string // a function to the nearest integer
	number                func(time.Duration) string
	retry                 string // the number of the retry as a number
}

func goTongue() *tongue {
	return &tongue{
		declare: "x :=", pow: "math.Pow", random: "rand.Float64()", min: "min", max: "max", round: "math.Round", retry: "float64(retry)",
		number: func(d time.Duration) string { return "float64(" + goDuration(d) + ")" },
	}
}

// statements compute x, the own wait.
func (t *tongue) statements(b *engine.Backoff) []string {
	set := func(format string, args ...any) string { return "x = " + fmt.Sprintf(format, args...) + t.end }
	base := t.number(min(b.Base, b.Cap))
	var out []string
	if b.Jitter.Kind == engine.JitterDecorrelated {
		draw := t.random
		if b.First == engine.FirstUnjittered { // no draw in the first
			draw += fmt.Sprintf(" * %s(1, %s - 1)", t.min, t.retry)
		}
		out = append(out, t.begin(fmt.Sprintf("%s + %s * (3 * %s(%s, prev) - %s)", base, draw, t.max, base, base)))
		return t.bounded(b, out, true)
	}
	n := t.retry
	if b.Shift == 1 {
		n = "(" + t.retry + " + 1)"
	}
	curve := base
	switch b.Curve {
	case engine.CurveNone:
		curve = t.number(0)
	case engine.CurveConstant:
	case engine.CurveLinear:
		curve = base + " * " + n
	case engine.CurveQuadratic:
		curve = base + " * " + n + " * " + n
	case engine.CurveExponential:
		e := t.retry + " - 1"
		if b.Shift == 1 {
			e = t.retry
		}
		curve = fmt.Sprintf("%s * %s(%s, %s)", base, t.pow, plainFloat(b.Factor), e)
	case engine.CurveFibonacci: // the nearest integer to φⁿ/√5
		curve = fmt.Sprintf("%s * %s(%s(1.618033988749895, %s) / 2.23606797749979)", base, t.round, t.pow, n)
	}
	if b.Cap != engine.NoCap && b.CapStage != engine.CapAfter && b.Jitter.Kind != engine.JitterNone {
		curve = fmt.Sprintf("%s(%s, %s)", t.min, curve, t.number(b.Cap))
	}
	out = append(out, t.begin(curve))
	if j := t.jitter(b); j != "" {
		out = append(out, set("%s", j))
	}
	return t.bounded(b, out, b.CapStage != engine.CapBefore || b.Jitter.Kind == engine.JitterNone)
}

// begin gives x its first value.
func (t *tongue) begin(value string) string { return t.declare + " " + value + t.end }

// jitter is the curve x with a draw. Where the first retry does without, a factor is taken to the power of 0 in it and of
// 1 in all others, and an addend is multiplied with that.
func (t *tongue) jitter(b *engine.Backoff) string {
	j := &b.Jitter
	later := fmt.Sprintf("%s(1, %s - 1)", t.min, t.retry)
	factor := ""
	switch j.Kind {
	case engine.JitterFull:
		factor = t.random
	case engine.JitterEqual:
		factor = "(0.5 + " + t.random + " / 2)"
	case engine.JitterScale:
		factor = fmt.Sprintf("(%s + %s * %s)", plainFloat(j.Lo), t.random, plainFloat(j.Hi-j.Lo))
	case engine.JitterAdditive:
		if b.First == engine.FirstUnjittered {
			return "x + " + t.random + " * " + t.number(j.Add) + " * " + later
		}
		return "x + " + t.random + " * " + t.number(j.Add)
	case engine.JitterNone, engine.JitterDecorrelated, engine.JitterSmooth:
		return ""
	}
	if b.First == engine.FirstUnjittered {
		return fmt.Sprintf("x * %s(%s, %s)", t.pow, factor, later)
	}
	return "x * " + factor
}

func (t *tongue) bounded(b *engine.Backoff, out []string, capped bool) []string {
	set := func(format string, args ...any) string { return "x = " + fmt.Sprintf(format, args...) + t.end }
	x := "x"
	if capped && b.Cap != engine.NoCap {
		x = fmt.Sprintf("%s(x, %s)", t.min, t.number(b.Cap))
	}
	if b.Least > 0 {
		x = fmt.Sprintf("%s(%s, %s)", t.max, x, t.number(b.Least))
	}
	if b.First == engine.FirstImmediate {
		x += fmt.Sprintf(" * %s(1, %s - 1)", t.min, t.retry)
	}
	if x != "x" {
		out = append(out, set("%s", x))
	}
	return out
}
