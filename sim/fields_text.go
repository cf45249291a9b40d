package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// numberText is a number in full, without an exponent where it is of a usual size.
func numberText(x float64) string {
	if x >= 1e-6 && x < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// percentText is a share as ParseShare reads it: in percent where that gives the same share.
func percentText(x float64) string {
	text := strconv.FormatFloat(x*100, 'g', 12, 64) + "%"
	if back, err := ParseShare(text); err != nil || back != x {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return text
}

// ParseShare reads a share from 0 to 1: 50% or 0.5.
func ParseShare(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	x, err := parseNumber(number)
	if percent {
		x /= 100
	}
	if err != nil || x > 1 {
		return 0, errForm
	}
	return x, nil
}

func rateText(points []RatePoint) string {
	if len(points) == 1 && points[0].At == 0 {
		return numberText(points[0].Rate)
	}
	var parts []string
	for _, p := range points {
		parts = append(parts, engine.FormatDuration(p.At)+":"+numberText(p.Rate))
	}
	return strings.Join(parts, " ")
}

// split cuts a list at spaces and commas.
func split(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
}

func parseRate(s string) ([]RatePoint, error) {
	if s == "" {
		return nil, nil
	}
	if x, err := parseNumber(s); err == nil {
		return []RatePoint{{Rate: x}}, nil
	}
	var points []RatePoint
	for _, part := range split(s) {
		at, rate, ok := strings.Cut(part, ":")
		d, err := parseSpan(at)
		x, err2 := parseNumber(rate)
		if !ok || err != nil || err2 != nil {
			return nil, errForm
		}
		points = append(points, RatePoint{d, x})
	}
	return points, nil
}

func faultsText(faults []Fault) string {
	var parts []string
	for _, f := range faults {
		s := fmt.Sprintf("%s %s-%s", faultWords[f.Kind], engine.FormatDuration(f.From), engine.FormatDuration(f.To))
		switch f.Kind {
		case Brownout:
			s += " " + percentText(f.Amount)
		case SlowDown:
			s += " x" + numberText(f.Amount)
		case Down, BlackHole:
		}
		parts = append(parts, s)
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, "; ")
}

func parseFaults(s string) ([]Fault, error) {
	if s == "none" || s == "" {
		return nil, nil
	}
	var faults []Fault
	for part := range strings.SplitSeq(s, ";") {
		f, err := parseFault(strings.Fields(part))
		if err != nil {
			return nil, err
		}
		faults = append(faults, f)
	}
	return faults, nil
}

func parseFault(words []string) (Fault, error) {
	if len(words) < 2 {
		return Fault{}, errForm
	}
	k := slices.Index(faultWords[:], words[0])
	from, to, ok := strings.Cut(words[1], "-")
	a, err := parseSpan(from)
	b, err2 := parseSpan(to)
	if k < 0 || !ok || err != nil || err2 != nil {
		return Fault{}, errForm
	}
	f := Fault{Kind: FaultKind(k), From: a, To: b}
	want := 2
	switch f.Kind {
	case Brownout, SlowDown:
		want = 3
	case Down, BlackHole:
	}
	if len(words) != want {
		return Fault{}, errForm
	}
	switch f.Kind {
	case Brownout:
		f.Amount, err = ParseShare(words[2])
	case SlowDown:
		factor, is := strings.CutPrefix(words[2], "x")
		if f.Amount, err = parseNumber(factor); !is {
			err = errForm
		}
	case Down, BlackHole:
	}
	return f, err
}

// maxPause is how long a breaker may stay open.
const maxPause = 24 * time.Hour

func parseGuard(s string, g *Guard) error {
	word, figures, has := strings.Cut(s, ":")
	k := slices.Index(guardWords[:], word)
	if k < 0 {
		return errForm
	}
	n := Guard{Kind: GuardKind(k), Shared: g.Shared}
	first, last, two := strings.Cut(figures, "/")
	var err error
	switch n.Kind {
	case NoGuard, PolicyBudget:
		if has {
			return errForm
		}
	case Adaptive:
		if n.A, err = parseNumber(first); err != nil || two {
			return errForm
		}
	case Breaker:
		d, err2 := parseSpan(last)
		if n.B, err = parseNumber(first); err != nil || err2 != nil || d <= 0 || d > maxPause {
			return errForm
		}
		n.A = d.Seconds()
	case TokenBudget, GRPCThrottle, FinagleBudget, EnvoyBudget:
		var err2 error
		n.A, err = parseNumber(first)
		n.B, err2 = parseNumber(last)
		if err != nil || err2 != nil {
			return errForm
		}
	}
	*g = n
	return nil
}
