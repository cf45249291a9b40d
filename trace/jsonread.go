package trace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// ErrRecord is what every error of Read matches.
var ErrRecord = errors.New("trace: not a record of events")

// ReadError says where a record cannot be read, and why.
type ReadError struct {
	// Line is counted from 1.
	Line int
	// What is wrong with it, in words.
	What string
	Err  error
}

func (e *ReadError) Error() string {
	text := fmt.Sprintf("line %d: %s", e.Line, e.What)
	if e.Err != nil {
		text += ": " + Clean(e.Err.Error())
	}
	return text
}

// Is matches ErrRecord.
func (e *ReadError) Is(target error) bool { return target == ErrRecord }

// Unwrap is the cause, where there is one.
func (e *ReadError) Unwrap() error { return e.Err }

// maxLine bounds a line of a record, in bytes.
const maxLine = 1 << 20

// Read reads a record as WriteJSON writes it; written again it makes the same bytes. The checks are made anew from the
// events: a check holds only where both the record and its events say so. What a record does not hold (texts of errors,
// headers, the draws' facts) is not there again. Unknown fields are passed over, unknown events are errors.
//
// Errors: *ReadError, which matches ErrRecord, or that of the reader.
func Read(r io.Reader) (*Trace, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4096), maxLine)
	rd := reader{rec: NewRecorder(Head{}, nil, nil)}
	for in.Scan() {
		rd.line++
		if strings.TrimSpace(in.Text()) == "" {
			continue
		}
		if err := rd.read(in.Bytes()); err != nil {
			return nil, err
		}
	}
	if err := in.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, &ReadError{Line: rd.line + 1, What: "the line is too long", Err: err}
		}
		return nil, err
	}
	if !rd.begun {
		return nil, &ReadError{Line: max(rd.line, 1), What: "there is no start event"}
	}
	return rd.rec.Trace(), nil
}

// line is one event as it is written.
type line struct {
	Event    string      `json:"event"`
	T        millis      `json:"t_ms"`
	Attempt  int         `json:"attempt"`
	ID       string      `json:"id"`
	Method   string      `json:"method"`
	URL      string      `json:"url"`
	Policy   string      `json:"policy"`
	Seed     uint64      `json:"seed"`
	Script   string      `json:"script"`
	Keyed    bool        `json:"keyed"`
	Body     string      `json:"body"`
	Kind     string      `json:"kind"`
	Cause    string      `json:"cause"`
	Status   int         `json:"status"`
	After    *string     `json:"retry_after"`
	Hint     *lineHint   `json:"hint"`
	Unread   bool        `json:"retry_after_unreadable"`
	Lines    uint8       `json:"retry_after_lines"`
	Ambig    bool        `json:"ambiguous"`
	Phases   *lineMillis `json:"phases_ms"`
	Redirs   int         `json:"redirects"`
	Partly   bool        `json:"body_partly_read"`
	Resent   int         `json:"resent"`
	Verdict  string      `json:"verdict"`
	Reason   string      `json:"reason"`
	Wait     millis      `json:"wait_ms"`
	Own      millis      `json:"own_ms"`
	Server   *millis     `json:"server_ms"`
	Window   []millis    `json:"window_ms"`
	Gates    []lineGate  `json:"gates"`
	Source   string      `json:"source"`
	Cut      bool        `json:"cut"`
	Result   string      `json:"result"`
	Attempts int         `json:"attempts"`
	Error    string      `json:"error"`
	Waited   millis      `json:"waited_ms"`
	Checks   Checks      `json:"checks"`
	Text     string      `json:"text"`
}

type lineHint struct {
	Header string `json:"header"`
	Value  string `json:"value"`
}

type lineMillis struct {
	DNS     millis `json:"dns"`
	Connect millis `json:"connect"`
	TLS     millis `json:"tls"`
	Wait    millis `json:"wait"`
	Body    millis `json:"body"`
}

type lineGate struct {
	Gate string `json:"gate"`
	OK   *bool  `json:"ok"`
	Why  string `json:"why"`
}

// millis is a time in milliseconds, read exactly: a float has not the digits for the longest waits.
type millis time.Duration

var errMillis = errors.New("milliseconds of 0 or more, with at most three decimals")

// UnmarshalJSON reads digits, and up to three decimals.
func (m *millis) UnmarshalJSON(b []byte) error {
	whole, frac, dot := strings.Cut(string(b), ".")
	frac += "000"[:max(3-len(frac), 0)]
	ms, err1 := strconv.ParseUint(whole, 10, 63)
	us, err2 := strconv.ParseUint(frac, 10, 63)
	if err1 != nil || err2 != nil || len(frac) != 3 || dot && strings.HasSuffix(string(b), ".") {
		return errMillis
	}
	const longest = uint64(engine.Forever / time.Microsecond)
	if ms > longest/1000 || ms*1000+us > longest {
		return errMillis
	}
	*m = millis(time.Duration(ms*1000+us) * time.Microsecond)
	if ms*1000+us == longest {
		*m = millis(engine.Forever)
	}
	return nil
}

// reader folds lines into a recorder.
type reader struct {
	rec   *Recorder
	line  int
	begun bool
	// gap says that attempts are missing before the next one.
	gap bool
}

func (r *reader) wrong(err error, format string, args ...any) error {
	return &ReadError{Line: r.line, What: fmt.Sprintf(format, args...), Err: err}
}

func (r *reader) read(raw []byte) error {
	var l line
	if err := json.Unmarshal(raw, &l); err != nil {
		return r.wrong(err, "no event")
	}
	t := r.rec.Trace()
	switch {
	case l.Event == "start" && r.begun:
		return r.wrong(nil, "a second start")
	case l.Event != "start" && !r.begun:
		return r.wrong(nil, "the first event is %q, not start", l.Event)
	case t.Done != nil && l.Event != "note":
		return r.wrong(nil, "an event after the end")
	}
	switch l.Event {
	case "start":
		return r.start(&l)
	case "attempt":
		return r.attempt(&l)
	case "outcome", "decision", "wait", "wait-end":
		return r.inAttempt(&l)
	case "done":
		return r.done(&l)
	case "note":
		t.Notes = append(t.Notes, Note{At: time.Duration(l.T), Text: l.Text, After: l.Attempt})
		return nil
	case "dropped":
		return r.dropped(&l)
	default:
		return r.wrong(nil, "no such event: %q", l.Event)
	}
}

func (r *reader) start(l *line) error {
	p, err := engine.ParsePolicy(l.Policy, engine.Default())
	if err != nil {
		return r.wrong(err, "policy")
	}
	h := &r.rec.Trace().Head
	*h = Head{ID: l.ID, Method: l.Method, URL: l.URL, Source: l.Script, Policy: p, Seed: l.Seed, Keyed: l.Keyed, Live: l.Script == ""}
	switch l.Body {
	case "", "none":
	case "replayable":
		h.Body = engine.BodyReplayable
	case "once":
		h.Body = engine.BodyOnce
	default:
		return r.wrong(nil, "no such body: %q", l.Body)
	}
	if h.Live {
		h.Source = h.URL
	}
	r.begun = true
	r.rec.Observe(&engine.Event{Kind: engine.EventStart, Policy: &h.Policy})
	return nil
}

// policy is the one in force: that of the latest decision.
func (r *reader) policy() *engine.Policy {
	t := r.rec.Trace()
	if a := t.Last(); a != nil && a.Decided {
		return &a.Policy
	}
	return &t.Head.Policy
}

func (r *reader) attempt(l *line) error {
	t := r.rec.Trace()
	n := 0
	if a := t.Last(); a != nil {
		n = a.N
	}
	if l.Attempt != n+1 && (!r.gap || l.Attempt <= n) {
		return r.wrong(nil, "attempt %d after attempt %d", l.Attempt, n)
	}
	e := &engine.Event{Kind: engine.EventAttempt, At: time.Duration(l.T), Attempt: l.Attempt, Policy: r.policy()}
	if r.gap { // what came before it is not known
		t.Attempts = append(t.Attempts, Attempt{N: l.Attempt, Start: e.At})
	} else {
		r.rec.Observe(e)
	}
	r.gap = false
	return nil
}

func (r *reader) dropped(l *line) error {
	t := r.rec.Trace()
	if l.Attempts < 1 || t.Dropped > 0 || len(t.Attempts) == 0 {
		return r.wrong(nil, "dropped %d attempts", l.Attempts)
	}
	t.Dropped, r.gap = l.Attempts, true
	return nil
}

// phase is how far an attempt has come.
func (a *Attempt) phase() string {
	switch {
	case a.Wait.Ended:
		return ""
	case a.Wait.Begun:
		return "wait-end"
	case a.Decided && a.Decision.Verdict == engine.Retry:
		return "wait"
	case a.Decided:
		return ""
	case a.Ended:
		return "decision"
	default:
		return "outcome"
	}
}

func (r *reader) inAttempt(l *line) error {
	a := r.rec.Trace().Last()
	if a == nil || a.N != l.Attempt || a.phase() != l.Event {
		return r.wrong(nil, "%s of attempt %d does not belong here", l.Event, l.Attempt)
	}
	e := &engine.Event{At: time.Duration(l.T), Attempt: l.Attempt, Policy: r.policy(), Outcome: a.Outcome, Decision: a.Decision}
	var err error
	ambiguous := a.Ambiguous // the record has the word on it
	switch l.Event {
	case "outcome":
		ambiguous = l.Ambig
		e.Kind = engine.EventOutcome
		e.Outcome, err = r.outcome(l)
		a.Detail = l.detail()
	case "decision":
		e.Kind = engine.EventDecision
		err = r.decision(l, e)
	case "wait":
		e.Kind = engine.EventWait
		e.Decision.Wait = time.Duration(l.Wait)
		e.Decision.Source, err = find[engine.Source](l.Source, "source")
	default:
		e.Kind = engine.EventWaitEnd
		e.Cut = l.Cut
	}
	if err != nil {
		return r.wrong(err, "%s", l.Event)
	}
	r.rec.Observe(e)
	a.Ambiguous = ambiguous
	return nil
}

func (l *line) detail() Detail {
	d := Detail{Redirects: max(l.Redirs, 0), Resent: max(l.Resent, 0), BodyCut: l.Partly}
	if l.After != nil {
		d.RetryAfter, d.HasRetryAfter = *l.After, true
	}
	if l.Hint != nil {
		if from, err := find[engine.HintHeader](l.Hint.Header, "header"); err == nil { // else outcome says so
			d.Headers = []Header{{Name: from.Name(), Value: l.Hint.Value}}
		}
	}
	if p := l.Phases; p != nil {
		d.HasPhases = true
		d.Phases = Phases{
			DNS: time.Duration(p.DNS), Connect: time.Duration(p.Connect), TLS: time.Duration(p.TLS),
			Wait: time.Duration(p.Wait), Body: time.Duration(p.Body),
		}
	}
	return d
}

func (r *reader) outcome(l *line) (engine.Outcome, error) {
	o := engine.Outcome{Status: l.Status}
	var err1, err2 error
	o.Kind, err1 = find[engine.Kind](l.Kind, "kind")
	o.Cause, err2 = find[engine.Cause](l.Cause, "cause")
	if l.Unread {
		o.Hint.State, o.Hint.Lines = engine.HintUnreadable, l.Lines
	}
	var err3 error
	if l.Hint != nil {
		o.Hint.From, err3 = find[engine.HintHeader](l.Hint.Header, "header")
	}
	return o, errors.Join(err1, err2, err3)
}

// word is an enum that prints as the word a record has.
type word interface {
	~uint8
	String() string
}

// find is the value of a word.
func find[E word](text, what string) (E, error) {
	for v := E(0); v.String() != "invalid"; v++ {
		if v.String() == text {
			return v, nil
		}
	}
	return 0, fmt.Errorf("no such %s: %q", what, text)
}
