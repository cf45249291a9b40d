package ui

import (
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// ResultText is how a run ended, or how it stands, in words: the most important part first.
type ResultText struct {
	Glyph rune
	Style Style
	// Parts are what is said, with a dot between them. The first always stands; those at the end give way.
	Parts []string
}

// ResultLine puts a run as it stands at the cursor in words.
func ResultLine(in *TimelineInput) ResultText {
	g := in.Glyphs
	if g == nil {
		g = Unicode()
	}
	t := in.Trace
	if t == nil {
		t = &trace.Trace{}
	}
	v := viewRun(t, in, in.AtEnd)
	r := ResultText{Parts: make([]string, 0, 6)}
	switch {
	case v.done != nil:
		r.end(&v, g)
	case v.kept == 0:
		r.Glyph, r.Style = g.Due, Neutral
		allowed := attemptsAllowed(in.Policy.Attempts)
		if why := sentOnce(&in.Policy, &t.Head); why != "" && in.Policy.Attempts > 1 {
			allowed = "1 attempt: " + why
		}
		r.Parts = append(r.Parts, "not sent yet", allowed, requestWords(&t.Head))
		return r
	default:
		r.stand(&v, in, g)
	}
	for i := range v.kept {
		if a := &t.Attempts[i]; a.Ambiguous && v.ended(a) {
			r.Parts = append(r.Parts, "attempt "+strconv.Itoa(a.N)+" may have done the work")
			break
		}
	}
	r.Parts = append(r.Parts, requestWords(&t.Head))
	return r
}

// end says how it ended.
func (r *ResultText) end(v *runView, g *Glyphs) {
	d := v.done
	at := clockText(d.At)
	r.Glyph, r.Style = g.Final, FinalBold
	what := "failed after " + at + ": " + reasonWords(d.Reason)
	switch d.Result {
	case engine.ResultSucceeded:
		r.Glyph, r.Style = g.OK, OKBold
		what = "succeeded in " + at
	case engine.ResultFailed:
		switch {
		case d.Reason == engine.ReasonStaleGeneration:
			r.Glyph = g.Cancelled
		case d.Reason == engine.ReasonNone && d.Attempts == 0:
			what = "not sent: the request cannot be sent as it is"
		}
	case engine.ResultDeferred:
		what = "deferred after " + at
		if a := v.last(); a != nil && a.Decided {
			what += ": server " + deferredWords(a)
		}
	case engine.ResultTimedOut:
		what = timedOutWords(v, at)
	case engine.ResultCancelled:
		r.Glyph = g.Cancelled
		what = "cancelled by the caller at " + at
	case engine.ResultEndless:
		what = endlessWords(v)
	}
	r.Parts = append(r.Parts, what)
	if d.Result != engine.ResultSucceeded {
		if last := v.lastFailure(); last != nil {
			r.Parts = append(r.Parts, lastWords(last))
		}
	}
	r.Parts = append(r.Parts, attemptsOf(d.Attempts, v.policy().Attempts), "waited "+clockText(d.Waited))
}

// endlessWords says what keeps a run from ending.
func endlessWords(v *runView) string {
	n := strconv.Itoa(v.done.Attempts)
	switch a := v.endlessWait(); {
	case a != nil:
		return "never ends: the wait after attempt " + strconv.Itoa(a.N) + " does not end"
	case v.done.Reason == engine.ReasonNeverAnswers:
		return "never ends: attempt " + n + " never answers and nothing stops it"
	default:
		return "given up after " + grouped(v.done.Attempts) + " sends: no limit of the policy's ends it"
	}
}

// grouped is a count with its thousands apart.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// lastFailure is the outcome that the run failed with, nil for none: the latest that is no cancel, and no attempt that was
// cut by the timeout of the whole.
func (v *runView) lastFailure() *engine.Outcome {
	for i := v.kept - 1; i >= 0; i-- {
		a := &v.t.Attempts[i]
		if v.ended(a) && a.Outcome.Failure() && a.Outcome.Kind != engine.KindCancelled && !a.Facts.Expired {
			return &a.Outcome
		}
	}
	return nil
}

// lastWords names a failure; only what has a status is an answer.
func lastWords(o *engine.Outcome) string {
	if o.Status != 0 {
		return "last answer " + o.Words()
	}
	return "last failure " + o.Words()
}

func timedOutWords(v *runView, at string) string {
	a := v.last()
	what := "timed out after " + at
	switch {
	case a == nil || !a.Decided || a.Decision.Reason != engine.ReasonDeadline:
		return what
	case a.Facts.Expired:
		return what + ", during attempt " + strconv.Itoa(a.N)
	default:
		return what + ": a wait of " + FormatTime(a.Decision.Wait) + " would end too late"
	}
}

// stand says what a run that has not ended is doing.
func (r *ResultText) stand(v *runView, in *TimelineInput, g *Glyphs) {
	a := v.last()
	r.Glyph, r.Style = g.Mark, Bold
	n := strconv.Itoa(a.N)
	why := ""
	if v.decided(a) && a.Wait.Begun {
		left := later(a.Wait.Start, a.Wait.For) - v.now
		r.Style = Retried
		r.Parts = append(r.Parts, "waiting "+clockText(max(left, 0))+" for attempt "+strconv.Itoa(a.N+1))
		why = "own wait"
		if a.Wait.Source == engine.SourceServer {
			r.Style, why = Server, "the server asked for it"
		}
	} else {
		r.Parts = append(r.Parts, "attempt "+n+" is under way, "+clockText(max(v.now-a.Start, 0)))
	}
	r.Parts = append(r.Parts, attemptsOf(v.sent, in.Policy.Attempts), clockText(v.now)+" so far")
	if why != "" {
		r.Parts = append(r.Parts, why)
	}
}

// policy is the one that decided last, or the one it began with.
func (v *runView) policy() *engine.Policy {
	for i := v.kept - 1; i >= 0; i-- {
		if a := &v.t.Attempts[i]; a.Decided {
			return &a.Policy
		}
	}
	return &v.t.Head.Policy
}

// Draw writes the line from (x, y) in at most w cells: parts that find no room are left out, the first is cut.
func (r *ResultText) Draw(grid *Grid, x, y, w int, g *Glyphs) {
	grid = grid.Sub(x, y, w, 1)
	grid.Set(0, 0, r.Glyph, r.Style)
	at := 2
	for i, part := range r.Parts {
		if i == 0 {
			at = grid.TextCut(at, 0, grid.W-at, r.Style, part, g.Ellipsis)
			continue
		}
		if at+5+TextWidth(part) > grid.W {
			continue
		}
		grid.Text(at+2, 0, Dim, g.Dot)
		at = grid.Text(at+5, 0, Plain, part)
	}
}

// String is the whole line as text.
func (r *ResultText) String(g *Glyphs) string {
	s := string(r.Glyph) + " "
	for i, part := range r.Parts {
		if i > 0 {
			s += "  " + g.Dot + "  "
		}
		s += part
	}
	return s
}

func attemptsOf(n, of int) string {
	s := strconv.Itoa(n) + " attempts"
	if n == 1 {
		s = "1 attempt"
	}
	if of == engine.Unlimited {
		return s + ", unlimited"
	}
	return s + " of " + strconv.Itoa(of)
}

// onceOnly tells whether an operation is not sent again once any of it was sent.
func onceOnly(p *engine.Policy, h *trace.Head) bool {
	return !p.Safety(h.Method, h.Keyed).Repeatable() || h.Body == engine.BodyOnce
}

func attemptsAllowed(of int) string {
	switch of {
	case engine.Unlimited:
		return "attempts unlimited"
	case 1:
		return "1 attempt"
	default:
		return "up to " + strconv.Itoa(of) + " attempts"
	}
}

// requestWords says what is sent, as far as it matters for retrying.
func requestWords(h *trace.Head) string {
	m := h.Method
	if m == "" {
		m = "GET"
	}
	if h.Keyed {
		m += " + idem. key"
	}
	if h.Body == engine.BodyOnce {
		m += ", body only once"
	}
	return m
}

func askedText(a *trace.Attempt) string {
	if a.Outcome.Hint.State == engine.HintTooLong {
		return "longer than any duration"
	}
	return FormatTime(a.Decision.Server)
}

// deferredWords is what was asked for, and why that was not waited.
func deferredWords(a *trace.Attempt) string {
	if a.Policy.Ceiling == engine.NoCeiling { // there is one wait that none takes
		return "asked " + askedText(a) + ": nobody can wait that long"
	}
	return "asked " + askedText(a) + ", ceiling " + FormatTime(a.Policy.Ceiling)
}

func clockText(d time.Duration) string { return string(appendClock(nil, d)) }
