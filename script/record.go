package script

import (
	"fmt"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Answer is one answer of a live server, as a record has it. Kind and Cause
// are the words of the engine's kinds and causes ("transport", "reset").
type Answer struct {
	Kind      string
	Cause     string // "" where none is known
	Permanent bool   // it was taken as permanent: a host that does not exist
	Status    int    // 0 where there was none
	Latency   time.Duration
	After     Value    // the raw Retry-After
	Date      Value    // the raw Date
	Hints     []Header // further headers that a wait may be read from, raw
}

// FromAnswers makes a script, by count, that answers as a live server did:
// equal answers in a row become xN, and the last goes on for ever. Latencies
// are rounded to the microsecond. It is nil if there are no answers. What has
// no word of its own becomes the nearest there is; [Inexact] says which.
func FromAnswers(answers []Answer) *Script {
	var steps []Step
	last := ""
	for _, a := range answers {
		step, _ := fromAnswer(a)
		text := step.String()
		if n := len(steps); n > 0 && text == last && steps[n-1].Count < MaxCount {
			steps[n-1].Count++
			continue
		}
		steps, last = append(steps, step), text
	}
	// By way of the text, so that the steps have spans and what is handed out is
	// never more than a person could type.
	s, err := Parse(join(ByCount, steps))
	if err != nil {
		return nil // there were no answers
	}
	return s
}

// Inexact says, a line an answer, what [FromAnswers] cannot give back as it
// was. Answers are numbered from 1.
func Inexact(answers []Answer) []string {
	var list []string
	for i, a := range answers {
		if step, note := fromAnswer(a); note != "" {
			list = append(list, fmt.Sprintf("answer %d as %s: %s", i+1, step.Answer(), note))
		}
	}
	return list
}

// transportSteps has a step for each cause of a failed connection, by its word;
// exact is false where it is only the nearest.
var transportSteps = map[string]struct {
	kind  Kind
	exact bool
}{
	engine.CauseDNS.String():     {DNS, true},
	engine.CauseRefused.String(): {Refused, true},
	engine.CauseTLS.String():     {TLS, true},
	engine.CauseReset.String():   {Reset, true},
	engine.CauseClosed.String():  {EOF, true},
	// Nothing was sent, and it may heal.
	engine.CauseUnreachable.String(): {Refused, false},
	engine.CauseProxy.String():       {Refused, false},
	engine.CauseHTTP2.String():       {Reset, false},
}

// fromAnswer makes the step of an answer; note says what it cannot give back.
func fromAnswer(a Answer) (step Step, note string) {
	step.Count = 1
	switch a.Kind {
	case engine.KindSuccess.String(), engine.KindStatus.String():
		step.Kind = Status
		step.Status, note = nearestStatus(a)
	case engine.KindTransport.String():
		step.Kind, note = fromTransport(a)
	case engine.KindTimeout.String():
		step.Kind = Hang
	case engine.KindCancelled.String():
		step.Kind, note = Hang, "it was ended before its answer was known"
	case engine.KindInvalidResponse.String():
		step.Kind = Cut
		if a.Cause == engine.CauseMalformed.String() || a.Status == 0 {
			step.Kind = Garbage
		}
	case engine.KindDecoding.String():
		step.Kind = BadJSON
	default:
		// Permanent like what it stands for, and never sent where that was not.
		step.Kind, note = BadJSON, "no outcome stands for "+strings.TrimSpace(a.Kind+" "+a.Cause)
		if a.Cause == engine.CauseRequest.String() {
			step.Kind = TLS
		}
	}
	if step.Kind != Hang {
		step.Latency = min(max(a.Latency.Round(time.Microsecond), 0), MaxDuration)
	}
	if !step.Kind.Answers() {
		return step, note
	}
	if step.Kind != Status {
		step.Status = 200
		if note == "" && a.Status != 0 && a.Status != step.Status {
			note = fmt.Sprintf("its status was %d", a.Status)
		}
	}
	if undated := carry(&step, a); undated != "" && note == "" {
		note = "its " + undated + " and has no Date beside it, so the wait depends on the clock"
	}
	return step, note
}

func fromTransport(a Answer) (Kind, string) {
	as, known := transportSteps[a.Cause]
	switch {
	case !known && a.Cause == "":
		return Reset, "the connection failed for a reason that is not known"
	case !known:
		return Reset, "no outcome stands for " + a.Cause
	case a.Cause == engine.CauseDNS.String() && !a.Permanent:
		return Refused, "the name could not be looked up, which may heal"
	case !as.exact:
		return as.kind, "no outcome stands for " + a.Cause
	}
	return as.kind, ""
}

// nearestStatus keeps a status a script can have; others become one of the
// same use: nothing a policy retries unless told to.
func nearestStatus(a Answer) (int, string) {
	switch {
	case a.Status >= 200 && a.Status <= 599:
		return a.Status, ""
	case a.Kind == engine.KindSuccess.String():
		return 200, ""
	}
	return 400, fmt.Sprintf("a script has no status %d", a.Status)
}

// carry takes over what the answer asked for. Its Date matters only to what asks
// by a date or a time; undated is the header that did so without one.
func carry(step *Step, a Answer) (undated string) {
	dated := ""
	step.After = headerValue(a.After)
	if text := strings.Trim(a.After.Text, " \t"); text != "" && !digits(text) {
		dated = "Retry-After is no number"
	}
	for _, h := range a.Hints {
		step.Headers = append(step.Headers, Header{h.Name, headerValue(Value{Text: h.Value}).Text})
		if h.Name == engine.HeaderXRateLimitReset.Name() {
			dated = h.Name + " is a time"
		}
	}
	if dated == "" {
		return ""
	}
	step.Date = headerValue(a.Date)
	if a.Date.Set {
		return ""
	}
	return dated
}

// headerValue makes sure of what no header from a server can hold.
func headerValue(v Value) Value {
	v.Text = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ").Replace(v.Text)
	return v
}
