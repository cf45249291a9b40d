package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// formula is how a window comes about: full, 200ms·2².
func formula(b *engine.Backoff, retry int, prev time.Duration, gl *Glyphs) string {
	base := engine.FormatDuration(b.Base)
	times := gl.Times
	if !gl.ASCII {
		times = "·"
	}
	jitter := b.Jitter.String() + ", "
	if b.Jitter.Kind == engine.JitterNone {
		jitter = ""
	}
	n := retry + b.Shift
	switch {
	case retry == 1 && b.First == engine.FirstImmediate:
		return "the first at once"
	case b.Jitter.Kind == engine.JitterDecorrelated && prev > b.Base:
		return jitter + FormatTime(prev) + times + "3"
	case b.Jitter.Kind == engine.JitterDecorrelated:
		return jitter + base + times + "3"
	case b.Jitter.Kind == engine.JitterSmooth:
		return jitter + base + times + "curve(" + strconv.Itoa(retry) + ")"
	case b.Curve == engine.CurveNone:
		return "no own wait"
	case capped(b, retry):
		return jitter + "cap " + engine.FormatDuration(b.Cap)
	case b.Curve == engine.CurveConstant:
		return jitter + base
	case b.Curve == engine.CurveLinear:
		return jitter + base + times + strconv.Itoa(n)
	case b.Curve == engine.CurveQuadratic:
		return jitter + base + times + strconv.Itoa(n) + power(2, gl)
	case b.Curve == engine.CurveFibonacci:
		return jitter + base + times + "F(" + strconv.Itoa(n) + ")"
	default:
		return jitter + base + times + strconv.FormatFloat(b.Factor, 'g', -1, 64) + power(n-1, gl)
	}
}

// capped tells whether the curve has grown to the cap before jitter, or beyond it.
func capped(b *engine.Backoff, retry int) bool {
	if b.Cap == engine.NoCap {
		return false
	}
	open := *b
	open.Cap, open.Least, open.Jitter, open.First = engine.NoCap, 0, engine.Jitter{}, engine.FirstPlain
	return open.Delay(retry, 0, 0) > b.Cap
}

var superscripts = [...]string{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"}

func power(n int, gl *Glyphs) string {
	text := strconv.Itoa(n)
	if gl.ASCII {
		return "^" + text
	}
	var b strings.Builder
	for _, r := range text {
		b.WriteString(superscripts[r-'0'])
	}
	return b.String()
}
