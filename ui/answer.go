package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// answerLines are what is known of the answer to one attempt, each text from the server cleaned.
func answerLines(t *trace.Trace, n int, now time.Duration, atEnd bool) []string {
	a := t.Attempt(n)
	switch {
	case a == nil || !atEnd && a.Start > now:
		return []string{"not sent"}
	case !a.Ended || !atEnd && a.End > now:
		return []string{"no answer yet"}
	}
	d := &a.Detail
	var out []string
	switch {
	case a.Outcome.Status != 0:
		out = append(out, strings.TrimSpace(trace.Clean(d.Proto)+" "+strconv.Itoa(a.Outcome.Status)+" "+trace.Clean(d.Reason)))
	default:
		out = append(out, "no answer: "+a.Outcome.Words())
	}
	if a.Err != "" {
		out = append(out, trace.Clean(a.Err))
	}
	out = append(out, hintLine(a)...)
	for _, h := range d.Headers {
		if !strings.EqualFold(h.Name, a.Outcome.Hint.From.Name()) && (!d.HasRetryAfter || !strings.EqualFold(h.Name, "Retry-After")) {
			out = append(out, strings.ToLower(trace.Clean(h.Name))+": "+trace.Clean(h.Value))
		}
	}
	if a.Outcome.Status != 0 {
		out = append(out, bodyLine(d))
	}
	if d.Redirects > 0 {
		out = append(out, "redirects followed: "+strconv.Itoa(d.Redirects))
	}
	if d.Resent > 0 {
		out = append(out, "sent again below us: "+strconv.Itoa(d.Resent))
	}
	return append(out, phaseLines(a)...)
}

// bodyLine is the length of a body: nothing of it is kept to be shown.
func bodyLine(d *trace.Detail) string {
	n := strconv.FormatInt(d.BodyBytes, 10) + " bytes"
	switch {
	case d.BodyBytes < 0:
		return "body of unknown length, not kept"
	case d.BodyBytes == 0:
		return "no body"
	case d.BodyCut:
		return "body over " + n + ", the rest not read"
	default:
		return "body " + n + ", not kept"
	}
}

// hintLine is the raw Retry-After, or the header that took its place, and what was made of it.
func hintLine(a *trace.Attempt) []string {
	d, from := &a.Detail, a.Outcome.Hint.From
	var out []string
	if d.HasRetryAfter {
		out = append(out, "retry-after: "+trace.Clean(d.RetryAfter))
	}
	raw := a.Hint()
	switch {
	case from != engine.HeaderRetryAfter:
		out = append(out, from.String()+": "+trace.Clean(raw))
	case !d.HasRetryAfter:
		return nil
	}
	switch a.Outcome.Hint.State {
	case engine.HintNone:
	case engine.HintUnreadable:
		switch {
		case a.Outcome.Hint.Lines > 1:
			out = append(out, "  unreadable, "+strconv.Itoa(int(a.Outcome.Hint.Lines))+" lines that differ: the own wait")
		case strings.TrimSpace(raw) == "":
			out = append(out, "  unreadable, it is blank: the own wait")
		case a.Policy.Reads != 0:
			out = append(out, "  not in a form that is read: the own wait")
		case from != engine.HeaderRetryAfter:
			out = append(out, "  unreadable, no whole number: the own wait")
		default:
			out = append(out, "  unreadable, neither seconds nor a date: the own wait")
		}
	case engine.HintTooLong:
		out = append(out, "  longer than any duration")
	case engine.HintWait:
		if from != engine.HeaderRetryAfter || strings.TrimSpace(raw) != strconv.Itoa(int(a.Outcome.Hint.Wait/time.Second)) {
			out = append(out, "  that is "+FormatTime(a.Outcome.Hint.Wait))
		}
	}
	return out
}

func phaseLines(a *trace.Attempt) []string {
	d := &a.Detail
	if !d.HasPhases {
		return nil
	}
	out := []string{""}
	if d.Reused {
		out = append(out, "connection reused")
	}
	for _, p := range []struct {
		name string
		d    time.Duration
	}{{"dns", d.Phases.DNS}, {"connect", d.Phases.Connect}, {"tls", d.Phases.TLS}, {"wait", d.Phases.Wait}, {"body", d.Phases.Body}} {
		if p.d > 0 {
			out = append(out, p.name+strings.Repeat(" ", 8-len(p.name))+FormatTime(p.d))
		}
	}
	return out
}

// wrapAll breaks lines at the edge; what goes on is set in.
func wrapAll(lines []string, width int) []string {
	var out []string
	for _, line := range lines {
		if TextWidth(line) <= width {
			out = append(out, line)
			continue
		}
		for i, part := range wrap(line, width-2) {
			if i > 0 {
				part = "  " + part
			}
			out = append(out, part)
		}
	}
	return out
}
