package ui

import (
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// costPart is a piece of what is said of a cost; figures are strong.
type costPart struct {
	text   string
	strong bool
}

type costParts []costPart

func (p costParts) String() string {
	var b strings.Builder
	for i := range p {
		b.WriteString(p[i].text)
	}
	return b.String()
}

func (p costParts) width() int {
	w := 0
	for i := range p {
		w += TextWidth(p[i].text)
	}
	return w
}

// draw writes the parts in at most w cells and returns the x after them.
func (p costParts) draw(g *Grid, x, y, w int, gl *Glyphs) int {
	end := x + w
	for i := range p {
		style := Dim
		if p[i].strong {
			style = Bold
		}
		x = g.TextCut(x, y, max(end-x, 0), style, p[i].text, gl.Ellipsis)
	}
	return x
}

func figure(d time.Duration) costPart { return costPart{FormatTime(d), true} }

func words(s string) costPart { return costPart{s, false} }

// Sums is the mean and the most of all own waits together: "mean 3.1s, max 6.2s".
func (c *Cost) Sums() string { return c.sums().String() }

func (c *Cost) sums() costParts {
	switch {
	case c.Retries == 0:
		return nil // there is nothing to sum up
	case c.Once:
		return costParts{words("only while unsent")}
	case c.Max == NoBound:
		return costParts{{"no bound", true}}
	case c.Max == c.Mean:
		return costParts{words("always "), figure(c.Max)}
	}
	return costParts{words("mean "), figure(c.Mean), words(", max "), figure(c.Max)}
}

// worstForm is one wording of the worst case, from the longest to the shortest.
type worstForm struct {
	// without leads to the time without the timeout, server to that with a Retry-After, and says follows it; "" leaves the
	// thing out. Where ceiling is set, what the server asks for follows too.
	without, server, says string
	ceiling               bool
	// why tells what makes the time endless, through when the longer of two counts.
	why     bool
	through string
	// note tells what made the first figure, as the timeout.
	note bool
}

var worstForms = [...]worstForm{
	{"   without it ", ", or ", " if Retry-After says ", true, true, " if nothing gets through", true},
	{"   without it ", ", ", " at Retry-After ", true, true, " if nothing gets through", true},
	{", else ", ", with Retry-After ", "", false, true, " while unsent", true},
	{", else ", ", with Retry-After ", "", false, false, " while unsent", true},
	{", else ", "", "", false, false, "", true},
	{"", "", "", false, false, "", true},
	{},
}

// WorstCase puts the longest time in words: "6s (timeout)   without it 12.2s, or 2m 36s if Retry-After says 30s".
func (c *Cost) WorstCase() string { return c.worst(&worstForms[0]).String() }

// WorstCaseIn is WorstCase in the longest wording that fits into w cells, the figure alone at the least.
func (c *Cost) WorstCaseIn(w int) string { return c.worstIn(w).String() }

func (c *Cost) worstIn(w int) costParts {
	for i := range worstForms[:len(worstForms)-1] {
		if p := c.worst(&worstForms[i]); p.width() <= w {
			return p
		}
	}
	return c.worst(&worstForms[len(worstForms)-1])
}

// worst joins the longest times: under the timeout, without it, and with a server that asks for the ceiling.
func (c *Cost) worst(f *worstForm) costParts {
	if c.Once {
		return c.worstOnce(f)
	}
	p := c.policy
	var out costParts
	if p.Timeout > 0 && c.Worst == p.Timeout {
		out = append(out, figure(p.Timeout))
		if f.note {
			out = append(out, words(" (timeout)"))
		}
		if f.without == "" {
			return out
		}
		out = c.bound(append(out, words(f.without)), c.Free, f)
	} else {
		out = c.bound(out, c.Free, f)
	}
	switch {
	case c.Server == c.Free || f.server == "":
	case p.Ceiling == engine.NoCeiling && f.why:
		out = append(out, words(", no bound with Retry-After, which has no ceiling"))
	case c.Server == NoBound:
		out = append(out, words(", no bound with Retry-After"))
	default:
		out = append(out, words(f.server), figure(c.Server))
		if f.says != "" {
			out = append(out, words(f.says))
		}
		if f.ceiling {
			out = append(out, figure(p.Ceiling))
		}
	}
	return out
}

// worstOnce speaks of a request that is not sent again: the time of one attempt, and that of all of them where none of
// them got through.
func (c *Cost) worstOnce(f *worstForm) costParts {
	p := c.policy
	var out costParts
	if p.Timeout > 0 && c.Single == p.Timeout {
		out = append(out, figure(p.Timeout))
		if f.note {
			out = append(out, words(" (timeout), sent once"))
		}
		return out
	}
	if c.Single == NoBound {
		out = c.bound(out, NoBound, f)
	} else {
		out = append(out, figure(c.Single))
	}
	if f.note {
		out = append(out, words(" (sent once)"))
	}
	if c.Worst == c.Single || f.through == "" {
		return out
	}
	out = append(out, words(", "))
	if c.Worst == NoBound {
		return append(out, costPart{"no bound", true}, words(f.through))
	}
	return append(out, figure(c.Worst), words(f.through))
}

// bound adds a time, and where it has no bound why.
func (c *Cost) bound(out costParts, d time.Duration, f *worstForm) costParts {
	if d != NoBound {
		out = append(out, figure(d))
		if f.note && c.Paid == c.Retries && c.Paid < c.policy.Attempts-1 {
			out = append(out, words(" (budget)"))
		}
		return out
	}
	out = append(out, costPart{"no bound", true})
	switch {
	case !f.why:
	case c.Retries == engine.Unlimited && !c.Once:
		out = append(out, words(": attempts are unlimited"))
	case c.policy.AttemptTimeout <= 0:
		out = append(out, words(": an attempt may hang for ever"))
	}
	return out
}

// costLines are the lines about the cost: the own waits, their sums, and the worst case.
type costLines struct {
	waits       string
	sums, worst costParts
}

const (
	costLabelW = 13 // the column after a label
	worstLabel = "worst case  "
)

// lines words the cost for a width: on two lines, or on one where there is room for it.
func (c *Cost) lines(w int, one bool, g *Glyphs) costLines {
	room := w - costLabelW - 1
	l := costLines{sums: c.sums()}
	if !one {
		l.worst = c.worstIn(room)
		l.waits = c.OwnWaits(room-l.sums.width()-3, g)
		return l
	}
	room -= len(", ") + l.sums.width() + 3 + len(worstLabel)
	least := min(TextWidth(c.OwnWaits(room, g)), w/4)
	l.worst = c.worstIn(room - least)
	l.waits = c.OwnWaits(room-l.worst.width(), g)
	return l
}

// draw writes the lines from y on.
func (l *costLines) draw(g *Grid, y int, one bool, gl *Glyphs) {
	g.Text(1, y, Dim, "own waits")
	x := g.Text(costLabelW, y, Retried, l.waits)
	end := g.W - 1
	if !one {
		l.sums.draw(g, max(end-l.sums.width(), x+2), y, end, gl)
		g.Text(1, y+1, Dim, worstLabel)
		l.worst.draw(g, costLabelW, y+1, end-costLabelW, gl)
		return
	}
	if len(l.sums) > 0 {
		x = g.Text(x, y, Dim, ", ")
	}
	x = l.sums.draw(g, x, y, end-x, gl)
	x = g.Text(max(x+3, min(g.W/2, end-len(worstLabel)-l.worst.width())), y, Dim, worstLabel)
	l.worst.draw(g, x, y, end-x, gl)
}
