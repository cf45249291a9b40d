package ui

import (
	"strconv"
	"strings"

	"github.com/retryscope/retryscope/trace"
)

const (
	textAhead = 6  // rows ahead in a text
	textHead  = 40 // rows from the start of a long run
	textTail  = 20 // rows from its end
)

// TimelineText is the picture of a run as plain text for a pipe or a log, in lines of at most width cells (20 at the
// least): how it ended, then the timeline. Promises that were broken are named whatever the width. There is no escape byte and no other control byte but the line breaks.
func TimelineText(t *trace.Trace, width int, ascii bool) string {
	in := TimelineInput{Trace: t, AtEnd: true, Glyphs: Unicode(), mostAhead: textAhead}
	if ascii {
		in.Glyphs = ASCII()
	}
	if t != nil {
		v := viewRun(t, &in, true)
		in.Policy = *v.policy()
	}
	width = max(width, 20)
	var b strings.Builder
	r := ResultLine(&in)
	line := NewGrid(width, 1)
	r.Draw(line, 0, 0, width, in.Glyphs)
	b.WriteString(line.Plain() + "\n\n")
	g := NewGrid(width, 1)
	total := DrawTimeline(g, &in).Total
	if total <= textHead+textTail {
		g.Reset(width, total+1)
		DrawTimeline(g, &in)
		b.WriteString(g.Plain() + "\n")
	} else {
		writeLong(&b, g, &in, total)
	}
	if t != nil {
		writeBroken(&b, t)
	}
	return b.String()
}

// writeLong writes the head and the tail of a run of many rows.
func writeLong(b *strings.Builder, g *Grid, in *TimelineInput, total int) {
	width := g.W
	g.Reset(width, textHead+2) // the axis above, the strip below
	head := DrawTimeline(g, in)
	b.WriteString(g.Sub(0, 0, width, textHead+1).Plain() + "\n")
	line := NewGrid(width, 1)
	line.Text(1, 0, Dim, string(in.Glyphs.Skip)+" "+leftOut(in.Trace, total-textHead-textTail))
	b.WriteString(line.Plain() + "\n")
	g.Reset(width, textTail+2)
	in.Scroll = total
	from := 1
	if DrawTimeline(g, in).Axis != head.Axis {
		from = 0 // these have an axis of their own
	}
	b.WriteString(g.Sub(0, from, width, textTail+1-from).Plain() + "\n")
}

// leftOut counts the rows that are not shown, with the attempts that a row stands for in a run too long to be kept.
func leftOut(t *trace.Trace, rows int) string {
	if t.Dropped > 0 {
		rows += t.Dropped - 1
	}
	if rows == 1 {
		return "1 row left out"
	}
	return strconv.Itoa(rows) + " rows left out"
}

// writeBroken names the promises that were not kept.
func writeBroken(b *strings.Builder, t *trace.Trace) {
	for _, c := range []struct {
		kept bool
		name string
	}{
		{t.Checks.NoEarlyRetry, "no_early_retry"},
		{t.Checks.WithinLimits, "within_limits"},
		{t.Checks.CancelIsNotFailure, "cancel_is_not_failure"},
		{t.Checks.NothingUnreplayed, "nothing_unreplayable"},
	} {
		if !c.kept && t.Done != nil {
			b.WriteString("CHECK FAILED: " + c.name + "\n")
		}
	}
}
