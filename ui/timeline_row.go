package ui

import (
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// columns are where the parts of a row begin: number, word, outcome sign, plot.
type columns struct {
	num, numW   int
	word, wordW int
	sign, plot  int
}

// shortWord is the length of a word that fits into every column, mostWord that of one that fits into the widest.
const shortWord, mostWord = 7, 13

// longestWord is the length of the longest name of an outcome in a run.
func longestWord(t *trace.Trace) int {
	n := 0
	for i := range t.Attempts {
		if a := &t.Attempts[i]; a.Ended {
			n = max(n, len(wholeWord(&a.Outcome)))
		}
	}
	return n
}

// newColumns makes the columns for a width and the longest name of an outcome; they do not depend on what is scrolled
// into sight.
func newColumns(w, last, word int) columns {
	c := columns{num: 1, numW: len(strconv.Itoa(last)), wordW: 8}
	gap, after := 2, 1
	switch {
	case w >= 80:
		if w >= 100 {
			after = 2
		}
		c.wordW = 1 + max(shortWord, min(word, mostWord))
	case w >= 60:
	case w >= 40:
		gap, c.wordW = 1, 7
	case w >= 14+c.numW:
		c.num, gap, c.wordW = 0, 1, 3
		if w >= 24 {
			c.wordW = 4
		}
	default:
		c.num, gap, c.wordW, after = 0, 0, 0, 0
	}
	c.word = c.num + c.numW + gap
	c.sign = c.word + c.wordW
	c.plot = min(c.sign+1+after, max(w-1, 0))
	return c
}

// drawRow draws one row of the plot.
func (d *timeline) drawRow(row int, at *TimelineRow) {
	y := at.Y
	if at.Attempt == 0 {
		d.buf = append(strconv.AppendInt(d.buf[:0], int64(d.t.Dropped), 10), " attempts left out"...)
		d.g.Set(d.cols.num+d.cols.numW-1, y, d.glyph.Skip, Dim)
		d.g.TextCut(d.cols.word, y, d.g.W-d.cols.word, Dim, string(d.buf), d.glyph.Ellipsis)
		return
	}
	style := Plain
	if !at.Made {
		style = Neutral
	}
	if at.Attempt == d.in.Selected {
		style = Bold
		if d.in.Focused {
			style = Focus
		}
		if d.cols.num > 0 {
			d.g.Set(0, y, d.glyph.Pointer, style)
		}
	}
	d.buf = strconv.AppendInt(d.buf[:0], int64(at.Attempt), 10)
	d.g.TextRight(d.cols.num+d.cols.numW, y, style, string(d.buf))
	if a := d.run.attempt(row); a != nil {
		d.drawAttempt(a, y)
		return
	}
	if i := at.Attempt - d.run.sent - 1; i >= 0 && i < len(d.ahead) {
		d.drawAhead(&d.ahead[i], y)
	}
}

// sign is the outcome of an attempt as it stands at the cursor.
func (d *timeline) sign(a *trace.Attempt) (rune, Style) {
	switch {
	case !d.run.ended(a):
		if d.run.done != nil && d.run.done.Result != engine.ResultSucceeded {
			return d.glyph.Final, Final // it never came back
		}
		return ' ', Plain
	case a.Outcome.Kind == engine.KindCancelled:
		return d.glyph.Cancelled, Final
	case !a.Outcome.Failure() && (!a.Decided || a.Decision.Verdict == engine.Succeed):
		return d.glyph.OK, OK
	case !a.Decided || a.Decision.Verdict == engine.Retry:
		return d.glyph.Retried, Retried
	case a.Decision.Reason == engine.ReasonCancelled:
		return d.glyph.Cancelled, Final
	default:
		return d.glyph.Final, Final
	}
}

func (d *timeline) drawAttempt(a *trace.Attempt, y int) {
	sign, style := d.sign(a)
	word := d.glyph.Ellipsis
	if d.run.ended(a) {
		if word = wholeWord(&a.Outcome); len(word) >= d.cols.wordW {
			word = outcomeWord(&a.Outcome)
		}
	} else if d.run.endless() && d.run.endlessWait() == nil {
		word = "hang"
	}
	if word == d.glyph.Ellipsis {
		d.g.TextCut(d.cols.word, y, d.cols.wordW, Dim, word, "")
	} else {
		d.g.TextCut(d.cols.word, y, d.cols.wordW, style, word, "")
	}
	if sign != ' ' {
		d.g.Set(d.cols.sign, y, sign, style)
	}
	p := d.plotRow(y)
	bar := d.drawBar(&p, a, style)
	switch {
	case !d.run.ended(a) && d.run.done != nil && d.run.done.Result != engine.ResultSucceeded:
		if d.run.endlessWait() == nil {
			p.label(Final, "never answers", "never")
		}
	case !d.run.ended(a):
		if d.in.Live && d.run.now > a.Start {
			d.buf = appendClock(d.buf[:0], d.run.now-a.Start)
			p.label(Dim, string(d.buf))
		}
	case d.run.decided(a):
		d.drawDecision(&p, a, bar)
	case d.run.done != nil:
		d.labelEnd(&p, a)
	}
}

// plot is the part of a row that is drawn to scale, and what of it is taken.
type plotRow struct {
	g          *Grid
	y, x, w    int
	from, to   int // the columns drawn so far, from included, to not
	late       int // the column of the timeout, -1 for none
	least      int // the first column that a label may take
	moreSymbol rune
}

func (d *timeline) plotRow(y int) plotRow {
	late := d.late.X - d.cols.plot
	if d.late.W == 0 {
		late = -1
	}
	return plotRow{g: d.g, y: y, x: d.cols.plot, w: d.axis.W, from: d.axis.W, to: 0, late: late, moreSymbol: d.glyph.MoreRight}
}

// set draws into a column of the plot; what is outside of it is left out.
func (p *plotRow) set(col int, r rune, s Style) {
	if col < 0 || col >= p.w {
		return
	}
	p.g.Set(p.x+col, p.y, r, s)
	p.from, p.to = min(p.from, col), max(p.to, col+1)
}

// fill draws into the columns from a to b, b not included.
func (p *plotRow) fill(a, b int, r rune, s Style) {
	a, b = max(a, 0), min(b, p.w)
	if a >= b {
		return
	}
	p.g.Fill(p.x+a, p.y, b-a, r, s)
	p.from, p.to = min(p.from, a), max(p.to, b)
}

// label writes the first of some texts that finds room, and returns which: to the right of what is drawn, to the right of
// the timeout, or to the left of what is drawn. A label never covers a mark, and where there is no room there is none:
// then it returns how many there are.
func (p *plotRow) label(s Style, texts ...string) int {
	for i, text := range texts {
		w := TextWidth(text)
		right := p.to + 1
		if p.to == 0 && p.from >= p.w {
			right = 0
		}
		switch {
		case w == 0:
			return i
		case p.late >= right-1 && right+w > p.late:
			if after := max(p.late+2, right); after+w <= p.w && p.late >= p.to {
				p.write(after, s, text)
				return i
			}
		case right+w <= p.w:
			p.write(right, s, text)
			return i
		}
		if left := p.from - 1 - w; left >= p.least && p.to > 0 {
			p.write(left, s, text)
			return i
		}
	}
	return p.squeeze(s, texts)
}

// also writes one more text after the label, where there is room.
func (p *plotRow) also(s Style, text string) {
	at, end := p.to+2, p.w
	if p.late >= p.to {
		end = p.late
	}
	if text != "" && p.to > 0 && at+TextWidth(text) <= end {
		p.write(at, s, text)
	}
}

// squeeze is the last try: over the timeout's line.
func (p *plotRow) squeeze(s Style, texts []string) int {
	for i, text := range texts {
		if right := p.to + 1; right+TextWidth(text) <= p.w {
			p.write(right, s, text)
			return i
		}
	}
	return len(texts)
}

func (p *plotRow) write(col int, s Style, text string) {
	p.g.Text(p.x+col, p.y, wordStyle(s), text)
	p.from, p.to = min(p.from, col), max(p.to, col+TextWidth(text))
}

// drawBar draws the attempt itself and returns its last column.
func (d *timeline) drawBar(p *plotRow, a *trace.Attempt, s Style) int {
	end, open := a.End, false
	if !d.run.ended(a) {
		end, open = max(d.run.now, a.Start), true
		if s == Plain {
			s = Now
		}
	}
	x0, x1 := d.axis.X(a.Start), d.axis.X(end)
	if open && d.run.now == engine.Forever {
		x1 = float64(p.w)
	}
	c0 := d.axis.clamp(x0)
	if x1 < 0 {
		p.set(0, d.glyph.MoreLeft, s)
	} else if c0 >= p.w {
		p.set(p.w-1, p.moreSymbol, s)
	}
	if x1-x0 < 1 {
		p.set(c0, d.eighth(x1-x0), s)
		return c0
	}
	c1 := d.axis.clamp(x1)
	p.fill(c0, c1, d.glyph.Bar, s)
	if rest := x1 - float64(c1); c1 < p.w && rest >= 0.125 {
		p.set(c1, d.eighth(rest), s)
		c1++
	}
	if open && c1 >= p.w {
		p.set(p.w-1, p.moreSymbol, s)
	}
	if !open && a.Detail.HasPhases && c1-c0 > 8 {
		d.drawPhases(p, a, c0, c1, s)
	}
	return c1 - 1
}

func (d *timeline) eighth(x float64) rune {
	return d.glyph.Eighths[min(max(int(x*8+0.5), 1), 8)-1]
}

// drawPhases draws a wide attempt as the heights of its phases: each that took place has a column at least.
func (d *timeline) drawPhases(p *plotRow, a *trace.Attempt, c0, c1 int, s Style) {
	ph := &a.Detail.Phases
	parts := [...]struct {
		d time.Duration
		r rune
	}{
		{ph.DNS, d.glyph.DNS},
		{ph.Connect, d.glyph.Connect},
		{ph.TLS, d.glyph.TLS},
		{ph.Wait, d.glyph.Answer},
		{ph.Body, d.glyph.Body},
	}
	at, col := a.Start, c0
	for i, part := range parts {
		if part.d <= 0 {
			continue
		}
		at = later(at, part.d)
		rest := 0
		for _, q := range parts[i+1:] {
			if q.d > 0 {
				rest++
			}
		}
		next := min(max(d.axis.Col(at), col+1), c1-rest)
		if rest == 0 {
			next = c1
		}
		p.fill(col, next, part.r, s)
		col = max(next, col)
	}
}

// wordStyle is the style of words in the color of a mark: a line through the row goes over marks of waits, never over
// words.
func wordStyle(s Style) Style { return related(&wordsOf, s) }

var wordsOf = [numStyles]Style{OK: OKText, Retried: RetriedText, Final: FinalText, Server: ServerText}
