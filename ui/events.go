package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// eventPane is the list of events. It follows the latest before the cursor until somebody scrolls back; the end key, or
// scrolling down to it, lets it follow again.
type eventPane struct {
	scroll
	free bool
}

func (e *eventPane) move(m motion, n, rows int) intent {
	if by, _ := m.sideways(); by != 0 {
		return pickNext{by}
	}
	e.scroll.move(m, n, max(rows, 1))
	e.free = m != moveLast && e.top < n-rows
	return nil
}

// eventRow is one line of the events pane.
type eventRow struct {
	at      time.Duration
	attempt int
	kind    string
	text    string
	style   Style
}

// eventRows are all events of a run in words.
func eventRows(t *trace.Trace) []eventRow {
	var out []eventRow
	for e := range t.Events() {
		r := eventRow{at: e.At, attempt: e.Attempt}
		a := t.Attempt(e.Attempt)
		if a == nil {
			a = &trace.Attempt{}
		}
		switch e.Kind {
		case trace.KindStart:
			r.kind, r.text = "start", strings.TrimSpace(t.Head.Method+" "+t.Head.URL)
		case trace.KindAttempt:
			r.kind, r.text = "attempt "+strconv.Itoa(e.Attempt), "sent"
		case trace.KindOutcome:
			r.kind, r.text = "outcome", outcomeEvent(a)
		case trace.KindDecision:
			r.kind, r.text = "decision", decisionEvent(a)
		case trace.KindWait:
			r.kind, r.text = "wait", FormatTime(a.Wait.For)+", "+a.Wait.Source.String()
		case trace.KindWaitEnd:
			r.kind = "wait over"
			if a.Wait.Cut {
				r.kind, r.text, r.style = "wait cut", "after "+FormatTime(a.Wait.End-a.Wait.Start)+" of "+FormatTime(a.Wait.For), Final
			}
		case trace.KindDone:
			r.kind, r.text, r.style = "done", doneEvent(t.Done), Bold
		case trace.KindNote:
			r.kind, r.text, r.style = "changed", t.Notes[e.Note].Text, Changed
		case trace.KindDropped:
			r.kind, r.text = "", strconv.Itoa(t.Dropped)+" attempts are not kept"
		}
		out = append(out, r)
	}
	return out
}

func outcomeEvent(a *trace.Attempt) string {
	out := a.Outcome.Words() + " after " + FormatTime(a.End-a.Start)
	if a.Detail.HasRetryAfter {
		out += ", Retry-After"
		if raw := trace.Clean(a.Detail.RetryAfter); raw != "" {
			out += " " + raw
		}
		if a.Outcome.Hint.State == engine.HintUnreadable {
			out += " (unreadable)"
		}
	}
	if a.Ambiguous {
		out += ", the server may have done the work"
	}
	return out
}

func decisionEvent(a *trace.Attempt) string {
	d := &a.Decision
	switch d.Verdict {
	case engine.Succeed:
		return "succeed"
	case engine.Retry:
		return "retry, waits " + FormatTime(d.Wait) + ", source " + d.Source.String()
	case engine.Defer:
		return "defer: the server " + deferredWords(a)
	case engine.Stop:
	}
	return "stop: " + d.Reason.String()
}

func doneEvent(d *trace.Done) string {
	out := d.Result.String()
	if d.Reason != engine.ReasonNone && d.Reason.String() != out {
		out += ": " + d.Reason.String()
	}
	if d.Err != "" {
		out += ", " + trace.Clean(d.Err)
	}
	return out
}

// drawEvents draws the rows from the place of the scroll; those that lie after the cursor are dim. Times are of the wall
// clock where the run has one of its own.
func drawEvents(g *Grid, rows []eventRow, top int, now time.Duration, atEnd bool, wall time.Time, live bool, gl *Glyphs) {
	for y := 0; y < g.H && top+y < len(rows); y++ {
		r := &rows[top+y]
		style := r.style
		if !atEnd && r.at > now {
			style = Neutral
		}
		at := FormatTime(r.at)
		if live && !wall.IsZero() {
			at = wall.Add(r.at).Format("15:04:05.00")
		}
		g.TextRight(13, y, Dim, at)
		g.TextCut(15, y, 12, style, r.kind, gl.Ellipsis)
		g.TextCut(28, y, g.W-28, style, r.text, gl.Ellipsis)
	}
}
