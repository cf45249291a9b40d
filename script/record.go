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
	NotSent   bool   // nothing of the request had left
	// Early is a timeout that came before any that the policy sets.
	Early   bool
	Status  int // 0 where there was none
	Latency time.Duration
	After   Value    // the raw Retry-After
	Dated   bool     // which holds a date
	Date    Value    // the raw Date
	Hints   []Header // further headers that a wait may be read from, raw
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
		count := step.Count
		step.Count = 1
		text := step.String()
		if n := len(steps); n > 0 && text == last && steps[n-1].Count+count <= MaxCount {
			steps[n-1].Count += count
			continue
		}
		step.Count = count
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

// Inexact says, a short line an answer, what [FromAnswers] cannot give back as
// it was. Answers are numbered from 1.
func Inexact(answers []Answer) []string {
	var list []string
	for i, a := range answers {
		if step, note := fromAnswer(a); note != "" {
			list = append(list, fmt.Sprintf("answer %d as %s: %s", i+1, step.Answer(), note))
		}
	}
	return list
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
		step.Kind, note = Hang, fromTimeout(a)
	case engine.KindCancelled.String():
		step.Kind, note = Hang, "ended before its answer was known"
	case engine.KindInvalidResponse.String():
		step, note = fromInvalid(a)
	case engine.KindDecoding.String():
		step.Kind, note = BadJSON, differs(a, engine.CauseNone, false)
	default:
		// Permanent like what it stands for.
		step.Kind, note = BadJSON, "it was "+strings.TrimSpace(a.Kind+" "+a.Cause)
		if a.NotSent {
			step.Kind = TLS
		}
	}
	if step.Kind != Hang {
		each := a.Latency / time.Duration(step.Count) // of a loop, whose answers come one by one
		step.Latency = min(max(each.Round(time.Microsecond), 0), MaxDuration)
	}
	if !step.Kind.Answers() {
		return step, note
	}
	if step.Status == 0 {
		step.Status = 200
		if note == "" && a.Status != 0 && a.Status != step.Status {
			note = fmt.Sprintf("its status was %d", a.Status)
		}
	}
	if undated := carry(&step, a); undated != "" && note == "" {
		note = undated
	}
	return step, note
}

// transportSteps are the steps of failed connections, by the word of the cause,
// and what comes of them.
var transportSteps = map[string]struct {
	kind               Kind
	permanent, notSent bool
}{
	engine.CauseDNS.String():     {kind: DNS, permanent: true, notSent: true},
	engine.CauseRefused.String(): {kind: Refused, notSent: true},
	engine.CauseTLS.String():     {kind: TLS, permanent: true, notSent: true},
	engine.CauseReset.String():   {kind: Reset},
	engine.CauseClosed.String():  {kind: EOF},
}

// fromTransport has to keep whether it may heal, and whether something was
// sent: on these a policy decides. Where the step of the cause would not, it is
// one that does.
func fromTransport(a Answer) (as Kind, note string) {
	exact, known := transportSteps[a.Cause]
	switch {
	case a.Permanent && exact.permanent:
		as = exact.kind
	case a.Permanent:
		as = TLS
	case a.NotSent:
		as = Refused
	default:
		as = Reset
	}
	switch {
	case a.Cause == "":
		note = "why it failed is not known"
	case !known:
		note = "the cause was " + a.Cause
	case a.Permanent != exact.permanent:
		note = a.Cause + healing(a.Permanent)
	case a.NotSent == exact.notSent:
		return exact.kind, ""
	case a.NotSent:
		note = a.Cause + " before anything was sent"
	default:
		note = a.Cause + " after something was sent"
	}
	return as, note
}

func healing(permanent bool) string {
	if permanent {
		return " that does not heal"
	}
	return " that may heal"
}

// fromTimeout says what a hang does not give back: it ends only with a limit of
// the policy.
func fromTimeout(a Answer) string {
	switch {
	case a.Early:
		return "no limit of the policy ended it"
	case a.NotSent:
		return "it timed out before anything was sent"
	default:
		return differs(a, engine.CauseNone, false)
	}
}

// loopHops is after how many answers in one attempt a redirect is taken for a
// loop, as net/http does.
const loopHops = 10

// fromInvalid makes the step of an answer that was none. What is wrong with a
// redirect is permanent, and so it is with one that goes round or nowhere.
func fromInvalid(a Answer) (step Step, note string) {
	step.Count = 1
	loop, malformed := engine.CauseRedirectLoop, engine.CauseMalformed
	switch {
	case a.Cause == loop.String():
		step = redirect("/")
		step.Count = loopHops
		return step, differs(a, loop, true)
	case a.Cause == malformed.String() && a.Permanent:
		return redirect("about:blank"), differs(a, malformed, true)
	case a.Cause == malformed.String() || a.Status == 0:
		step.Kind, note = Garbage, differs(a, malformed, false)
		if note == "" && a.Status != 0 {
			note = fmt.Sprintf("it began with status %d", a.Status)
		}
		return step, note
	default:
		step.Kind = Cut
		return step, differs(a, engine.CauseCut, false)
	}
}

// redirect is an answer that sends its client elsewhere.
func redirect(to string) Step {
	return Step{Kind: Status, Status: 302, Count: 1, Headers: []Header{{"Location", to}}}
}

// differs says what a step that comes out with a cause does not give back.
func differs(a Answer, cause engine.Cause, permanent bool) string {
	was := cause.String()
	switch {
	case a.Cause == "" && cause != engine.CauseNone:
		return "what was wrong with it is not known"
	case a.Cause != was && a.Cause != "":
		return "the cause was " + a.Cause
	case a.Permanent != permanent:
		return "it was one" + healing(a.Permanent)
	case a.NotSent:
		return "nothing had been sent"
	}
	return ""
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
// by a date or a time; undated says of which that it did so without one.
func carry(step *Step, a Answer) (undated string) {
	step.After = headerValue(a.After)
	if a.Dated {
		undated = "Retry-After is a date without a Date"
	}
	for _, h := range a.Hints {
		value := headerValue(Value{Text: h.Value}).Text
		step.Headers = append(step.Headers, Header{h.Name, value})
		if h.Name == engine.HeaderXRateLimitReset.Name() && digits(strings.Trim(value, " \t")) {
			undated = h.Name + " is a time without a Date"
		}
	}
	if undated == "" {
		return ""
	}
	step.Date = headerValue(a.Date)
	if a.Date.Set {
		return ""
	}
	return undated
}

// headerValue makes sure of what no header from a server can hold.
func headerValue(v Value) Value {
	v.Text = strings.NewReplacer("\r", " ", "\n", " ", "\x00", " ").Replace(v.Text)
	return v
}
