package trace

import (
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/retryscope/retryscope/engine"
)

// WriteJSON writes the record, one event an object, one object a line. The same trace makes the same bytes.
func (t *Trace) WriteJSON(w io.Writer) error {
	var line []byte
	for e := range t.Events() {
		line = t.AppendJSON(line[:0], e)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// AppendJSON appends the line of one event, with its new line. Times are in milliseconds since the start, floored to
// the microsecond: so a wait added to its start never shows later than what follows it. Texts are escaped and kept.
func (t *Trace) AppendJSON(dst []byte, e Event) []byte {
	j := object{dst: append(dst, '{')}
	a := t.Attempt(e.Attempt)
	if a == nil {
		a = &Attempt{N: e.Attempt}
	}
	switch e.Kind {
	case KindStart:
		j.text("event", "start")
		j.head(&t.Head)
	case KindAttempt:
		j.event("attempt", e.At, e.Attempt)
	case KindOutcome:
		j.event("outcome", e.At, e.Attempt)
		j.outcome(a)
	case KindDecision:
		j.event("decision", e.At, e.Attempt)
		j.decision(a, &t.Head)
	case KindWait:
		j.event("wait", e.At, e.Attempt)
		j.ms("wait_ms", a.Wait.For)
		j.text("source", a.Wait.Source.String())
	case KindWaitEnd:
		j.event("wait-end", e.At, e.Attempt)
		j.boolean("cut", a.Wait.Cut)
	case KindDone:
		j.done(t, e.At)
	case KindNote:
		j.event("note", e.At, e.Attempt)
		if e.Note >= 0 && e.Note < len(t.Notes) {
			j.text("text", t.Notes[e.Note].Text)
		}
	case KindDropped:
		j.text("event", "dropped")
		j.integer("attempts", t.Dropped)
	}
	return append(j.dst, '}', '\n')
}

// object is a JSON object being written.
type object struct{ dst []byte }

func (j *object) key(name string) {
	if j.dst[len(j.dst)-1] != '{' {
		j.dst = append(j.dst, ',')
	}
	j.dst = append(j.dst, '"')
	j.dst = append(j.dst, name...)
	j.dst = append(j.dst, '"', ':')
}

func (j *object) text(name, value string) {
	j.key(name)
	j.dst = appendString(j.dst, value)
}

func (j *object) ms(name string, d time.Duration) {
	j.key(name)
	j.dst = appendMS(j.dst, d)
}

func (j *object) integer(name string, n int) {
	j.key(name)
	j.dst = strconv.AppendInt(j.dst, int64(n), 10)
}

func (j *object) boolean(name string, b bool) {
	j.key(name)
	j.dst = strconv.AppendBool(j.dst, b)
}

// where writes a flag only where it is set.
func (j *object) where(name string, b bool) {
	if b {
		j.boolean(name, true)
	}
}

func (j *object) event(name string, at time.Duration, attempt int) {
	j.text("event", name)
	j.ms("t_ms", at)
	j.integer("attempt", attempt)
}

func (j *object) head(h *Head) {
	j.text("id", h.ID)
	j.text("method", h.Method)
	j.text("url", h.URL)
	j.text("policy", h.Policy.String())
	j.key("seed")
	j.dst = strconv.AppendUint(j.dst, h.Seed, 10)
	if !h.Live && h.Source != "" {
		j.text("script", h.Source)
	}
	j.where("keyed", h.Keyed)
	if h.Body != engine.BodyNone {
		j.text("body", bodyWord(h.Body))
	}
}

func bodyWord(b engine.Body) string {
	switch b {
	case engine.BodyReplayable:
		return "replayable"
	case engine.BodyOnce:
		return "once"
	case engine.BodyNone, engine.BodyLost: // a body is lost at a decision, and not from the start
	}
	return "none"
}

func (j *object) outcome(a *Attempt) {
	o, d := &a.Outcome, &a.Detail
	j.text("kind", o.Kind.String())
	if o.Cause != engine.CauseNone {
		j.text("cause", o.Cause.String())
	}
	if o.Status != 0 {
		j.integer("status", o.Status)
	}
	if d.HasRetryAfter {
		j.text("retry_after", d.RetryAfter)
	}
	if o.Hint.From != engine.HeaderRetryAfter {
		j.key("hint")
		h := object{dst: append(j.dst, '{')}
		h.text("header", o.Hint.From.String())
		h.text("value", a.Hint())
		j.dst = append(h.dst, '}')
	}
	j.where("retry_after_unreadable", o.Hint.State == engine.HintUnreadable)
	if o.Hint.Lines > 1 {
		j.integer("retry_after_lines", int(o.Hint.Lines))
	}
	j.where("ambiguous", a.Ambiguous)
	if d.HasPhases {
		j.key("phases_ms")
		p := object{dst: append(j.dst, '{')}
		p.ms("dns", d.Phases.DNS)
		p.ms("connect", d.Phases.Connect)
		p.ms("tls", d.Phases.TLS)
		p.ms("wait", d.Phases.Wait)
		p.ms("body", d.Phases.Body)
		j.dst = append(p.dst, '}')
	}
	if d.Redirects > 0 {
		j.integer("redirects", d.Redirects)
	}
	if d.Resent > 0 {
		j.integer("resent", d.Resent)
	}
	j.where("body_partly_read", d.BodyCut)
}

func (j *object) decision(a *Attempt, h *Head) {
	d := &a.Decision
	j.text("verdict", d.Verdict.String())
	j.text("reason", d.Reason.String())
	if d.Verdict == engine.Retry {
		j.ms("wait_ms", d.Wait)
	}
	if d.Drawn {
		j.ms("own_ms", d.Own)
	}
	if d.Asked {
		j.ms("server_ms", d.Server)
	}
	if d.Drawn {
		j.key("window_ms")
		j.dst = appendMS(append(j.dst, '['), d.Lo)
		j.dst = append(appendMS(append(j.dst, ','), d.Hi), ']')
	}
	j.key("gates")
	j.dst = append(j.dst, '[')
	for g := range engine.Gate(engine.NumGates) {
		if g > 0 {
			j.dst = append(j.dst, ',')
		}
		j.gate(a, g)
	}
	j.dst = append(j.dst, ']')
	if a.Policy != h.Policy {
		j.text("policy", a.Policy.String())
	}
}

func (j *object) gate(a *Attempt, g engine.Gate) {
	o := object{dst: append(j.dst, '{')}
	o.text("gate", g.String())
	switch a.Decision.Gates.At(g) {
	case engine.Open:
		o.boolean("ok", true)
	case engine.Shut:
		o.boolean("ok", false)
	case engine.NotAsked:
		o.key("ok")
		o.dst = append(o.dst, "null"...)
	}
	o.text("why", a.Why(g))
	j.dst = append(o.dst, '}')
}

func (j *object) done(t *Trace, at time.Duration) {
	d := t.Done
	if d == nil {
		d = &Done{}
	}
	j.text("event", "done")
	j.ms("t_ms", at)
	j.text("result", d.Result.String())
	j.text("reason", d.Reason.String())
	j.integer("attempts", d.Attempts)
	j.integer("status", d.Status)
	j.text("error", d.Err)
	j.ms("waited_ms", d.Waited)
	j.key("checks")
	c := object{dst: append(j.dst, '{')}
	c.boolean("no_early_retry", t.Checks.NoEarlyRetry)
	c.boolean("within_limits", t.Checks.WithinLimits)
	c.boolean("cancel_is_not_failure", t.Checks.CancelIsNotFailure)
	c.boolean("nothing_unreplayable", t.Checks.NothingUnreplayed)
	j.dst = append(c.dst, '}')
}

// appendMS writes milliseconds, floored to the microsecond and exact; nothing here is ever below 0.
func appendMS(dst []byte, d time.Duration) []byte {
	us := int64(max(d, 0) / time.Microsecond)
	dst = strconv.AppendInt(dst, us/1000, 10)
	frac := us % 1000
	if frac == 0 {
		return dst
	}
	digits := [4]byte{'.', byte('0' + frac/100), byte('0' + frac/10%10), byte('0' + frac%10)}
	n := len(digits)
	for digits[n-1] == '0' {
		n--
	}
	return append(dst, digits[:n]...)
}

const hexDigits = "0123456789abcdef"

// appendString writes a JSON string. All that a terminal could act on, or that would not be seen, becomes an escape.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r == utf8.RuneError: // a broken byte has no other form in JSON
			dst = appendEscape(dst, utf8.RuneError)
		case shown(r):
			dst = append(dst, s[i:i+size]...)
		default:
			dst = appendEscape(dst, r)
		}
		i += size
	}
	return append(dst, '"')
}

func appendEscape(dst []byte, r rune) []byte {
	const surrogates, high, low = 0x10000, 0xd800, 0xdc00
	if r >= surrogates {
		r -= surrogates
		return appendEscape(appendEscape(dst, high+r>>10), low+r&0x3ff)
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
