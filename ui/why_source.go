package ui

import (
	"strconv"

	"github.com/retryscope/retryscope/engine"
)

// sourceWords says where a wait came from.
func sourceWords(d *engine.Decision, p *engine.Policy) string {
	if !d.Asked {
		switch {
		case d.Hi > d.Lo:
			return "drawn " + strconv.FormatFloat(float64(d.Own-d.Lo)/float64(d.Hi-d.Lo), 'f', 2, 64) + " of it"
		case d.Wait == 0:
			return "none"
		default:
			return "without jitter"
		}
	}
	own, server := FormatTime(d.Own), FormatTime(d.Server)
	spread := ""
	if p.Spread > 0 {
		spread = " + spread"
	}
	if d.Server > p.Ceiling {
		switch p.OverCeiling {
		case engine.OverOwn:
			return "own, " + server + " over ceiling " + FormatTime(p.Ceiling)
		case engine.OverCut:
			server = "ceiling " + FormatTime(p.Ceiling)
			if p.RetryAfter.Mode == engine.RetryAfterAtLeast && d.Own <= p.Ceiling {
				return server + spread + ", own " + own
			}
		case engine.OverDefer:
		}
	}
	switch p.RetryAfter.Mode {
	case engine.RetryAfterAtLeast:
		if spread != "" {
			return "max(" + own + ", " + server + spread + ")"
		}
		return "max(own " + own + ", " + server + ")"
	case engine.RetryAfterReplace, engine.RetryAfterRequired:
		return "the server's" + spread + ", own " + own
	case engine.RetryAfterClamp:
		return "own " + own + " into " + server + " to " + FormatTime(later(d.Server, p.RetryAfter.Range)) + spread
	case engine.RetryAfterBounded:
		return server + spread + " into own " + own + " to " + FormatTime(later(d.Own, p.RetryAfter.Range))
	case engine.RetryAfterIgnore:
	}
	return "own"
}
