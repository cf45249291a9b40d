package ui

import (
	"strconv"

	"github.com/retryscope/retryscope/engine"
)

// rank orders outcomes from the best to the worst: a cell of the strip shows the worst of its slice.
type rank uint8

const (
	rankAhead rank = iota
	rankOpen
	rankOK
	rankRetried
	rankCancelled
	rankFinal
)

// drawStrip draws all rows of the run as one line: where the visible ones stand in words, then a cell a slice, the
// visible ones in bold.
func (d *timeline) drawStrip(g *Grid, l *TimelineLayout) {
	first, last := l.First+1, l.First+len(l.Rows)
	label := stripForms(l, max(d.in.Policy.Attempts, d.run.sent), d.glyph).in(d.cols.plot - 2)
	x := max(g.Text(1, 0, Dim, label)+1, d.cols.plot)
	w := g.W - x
	if w <= 0 || l.Total == 0 {
		return
	}
	cells := min(w, l.Total)
	for i := range cells {
		from, to := i*l.Total/cells, (i+1)*l.Total/cells
		worst := rankAhead
		for row := from; row < to; row++ {
			worst = max(worst, d.rank(row))
		}
		r, s := d.rankSign(worst)
		if from < last && to >= first {
			s = bolder(s)
		}
		g.Set(x+i, 0, r, s)
	}
}

// stripForms name the rows that are seen, of how many.
func stripForms(l *TimelineLayout, all int, g *Glyphs) forms {
	seen := ""
	if n := len(l.Rows); n > 0 {
		seen = strconv.Itoa(l.Rows[0].Attempt) + g.To + strconv.Itoa(l.Rows[n-1].Attempt)
	}
	if all == engine.Unlimited {
		return forms{joined(" of ", seen, "unlimited"), seen, ""}
	}
	of := strconv.Itoa(all)
	return forms{joined(" of ", seen, of), joined("/", seen, of), seen, ""}
}

func (d *timeline) rank(row int) rank {
	a := d.run.attempt(row)
	switch {
	case a == nil && row == d.run.gap:
		return rankRetried
	case a == nil:
		return rankAhead
	case !d.run.ended(a):
		return rankOpen
	case a.Outcome.Kind == engine.KindCancelled:
		return rankCancelled
	case a.Decided && a.Decision.Verdict == engine.Retry:
		return rankRetried
	case !a.Outcome.Failure():
		return rankOK
	default:
		return rankFinal
	}
}

func (d *timeline) rankSign(r rank) (rune, Style) {
	switch r {
	case rankOpen:
		return d.glyph.Bar, Neutral
	case rankOK:
		return d.glyph.OK, OK
	case rankRetried:
		return d.glyph.Retried, Retried
	case rankCancelled:
		return d.glyph.Cancelled, Final
	case rankFinal:
		return d.glyph.Final, Final
	case rankAhead:
	}
	return d.glyph.Window, Ahead
}

// bolder is a style in bold.
func bolder(s Style) Style { return related(&boldOf, s) }

var boldOf = [numStyles]Style{OK: OKBold, Retried: RetryBold, Final: FinalBold, Neutral: Bold}

// related looks a style up in a table; a style that is not there stays.
func related(table *[numStyles]Style, s Style) Style {
	if s < numStyles && table[s] != Plain {
		return table[s]
	}
	return s
}
