package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// OverCeiling is what becomes of a server wait above Policy.Ceiling.
type OverCeiling uint8

// What can become of it.
const (
	OverDefer OverCeiling = iota // the operation is deferred
	OverCut                      // it is cut to the ceiling: the server is asked again before it wished
	OverOwn                      // it counts for nothing: the own wait
)

var overCeilingWords = []string{"defer", "cut", "own"}

// String is the word a policy writes.
func (c OverCeiling) String() string { return word(overCeilingWords, int(c)) }

// Unsent is what becomes of a request of which nothing was sent, where Policy.Methods does not list its method.
type Unsent uint8

// What can become of it.
const (
	UnsentAny    Unsent = iota // it may be sent again: nothing can have been done twice
	UnsentListed               // it may not: the list of methods holds for it too
)

var unsentWords = []string{"any", "listed"}

// String is the word a policy writes.
func (u Unsent) String() string { return word(unsentWords, int(u)) }

// Form is a form in which a server may write the wait it asks for.
type Form uint8

// The forms. Fraction, negative and zero hold for every header, the others for Retry-After.
const (
	FormSeconds  Form = iota // whole seconds: 2
	FormFraction             // a decimal: 1.5
	FormNegative             // below 0: at once
	FormZero                 // 0, or a date that has passed: at once
	FormDate                 // a date as RFC 9110 wants it: Wed, 21 Oct 2026 07:28:00 GMT
	FormOldDate              // the two older forms of a date (RFC 9110, section 5.6.7)
	numForms
)

var formWords = []string{"seconds", "fraction", "negative", "zero", "date", "old-date"}

// String is the form's word in a policy.
func (f Form) String() string { return word(formWords, int(f)) }

// Forms are all forms, in order.
func Forms() []Form {
	out := make([]Form, 0, numForms)
	for f := range numForms {
		out = append(out, f)
	}
	return out
}

// Reads is the set of forms that are read; what is written otherwise is unreadable, and the own wait holds. The zero
// Reads is seconds, zero, date and old-date: all that RFC 9110 knows. Of none at all Retry-After is not looked at.
type Reads uint8 // the bits that differ from those of RFC 9110

const rfcForms Reads = 1<<FormSeconds | 1<<FormZero | 1<<FormDate | 1<<FormOldDate

// ReadsOf is the set of these forms.
func ReadsOf(forms ...Form) Reads {
	var bits Reads
	for _, f := range forms {
		bits |= 1 << f
	}
	return bits ^ rfcForms
}

// Has tells whether a form is read.
func (r Reads) Has(f Form) bool { return (r^rfcForms)&(1<<f) != 0 }

// Header tells whether Retry-After is looked at.
func (r Reads) Header() bool { return r != ReadsOf() }

// valid tells whether all bits are forms.
func (r Reads) valid() bool { return r>>numForms == 0 }

// String is the list as a policy writes it.
func (r Reads) String() string {
	var out []string
	for _, f := range Forms() {
		if r.Has(f) {
			out = append(out, f.String())
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ",")
}

func allowedReads() string { return "none, or a list of " + strings.Join(formWords, ", ") }

func parseReads(p *Policy, s string) error {
	if s == "none" {
		p.Reads = ReadsOf()
		return nil
	}
	var forms []Form
	for _, w := range strings.Split(s, ",") {
		i := slices.Index(formWords, w)
		if i < 0 {
			return errors.New(allowedReads())
		}
		forms = append(forms, Form(i)) //nolint:gosec // an index of six
	}
	p.Reads = ReadsOf(forms...)
	return nil
}

// none is the set without a status.
func (s *StatusSet) none() bool { return *s == StatusSet{} }

// statusList writes a set of statuses as retry-on does; empty is the word for none.
func statusList(s *StatusSet, empty string) string {
	if s.none() {
		return empty
	}
	return RetryOn{Statuses: *s}.String()
}

// setStatuses reads a set of statuses as retry-on does; empty is the word for none.
func setStatuses(at func(*Policy) *StatusSet, empty string) func(*Policy, string) error {
	return func(p *Policy, s string) error {
		if s == empty {
			*at(p) = StatusSet{}
			return nil
		}
		terms := make([]term, 0, 4)
		for _, w := range strings.Split(s, ",") {
			t, err := parseTerm(w)
			if err != nil || t.kind != KindStatus || t.cause != CauseNone {
				return errors.New(allowedStatuses(empty))
			}
			terms = append(terms, t)
		}
		r, err := collect(terms)
		if err == nil && r.Statuses.none() {
			err = errors.New(allowedStatuses(empty))
		}
		if err == nil {
			*at(p) = r.Statuses
		}
		return err
	}
}

func allowedStatuses(empty string) string {
	return empty + ", or statuses other than 2xx, as retry-on lists them: 429,503"
}

// Hears tells whether the policy goes by the wait that an answer asks for: it is not to be ignored, and not on an answer
// of a status that RetryAfterOn leaves out.
func (p *Policy) Hears(o *Outcome) bool {
	return p.RetryAfter.Mode != RetryAfterIgnore && o.Hint.asked() && p.looks(o)
}

// looks tells whether the policy looks for a wait in what came back.
func (p *Policy) looks(o *Outcome) bool {
	return o.Kind != KindStatus || p.RetryAfterOn.none() || p.RetryAfterOn.Has(o.Status)
}

// Listens tells whether there is an answer at all by whose Retry-After, or a header in its place, the policy may go.
func (p *Policy) Listens() bool {
	if p.RetryAfter.Mode == RetryAfterIgnore || !p.Reads.Header() && p.Hints == (Hints{}) {
		return false
	}
	if p.RetryAfterOn.none() {
		return !p.RetryOn.Statuses.none()
	}
	for i, bits := range p.RetryAfterOn {
		if bits&p.RetryOn.Statuses[i] != 0 {
			return true
		}
	}
	return false
}

// LongestWait is the longest pause before this retry: of its own, or where the server asks for as much as is taken.
func (p *Policy) LongestWait(retry int) time.Duration {
	_, own := p.Bounds(retry)
	if !p.Listens() {
		return own
	}
	asked := max(own, addTime(p.Ceiling, p.Spread))
	if p.RetryAfter.Mode == RetryAfterBounded {
		asked = min(asked, addTime(own, p.RetryAfter.Range))
	}
	return asked
}

// over tells whether a wait asked for is above the ceiling.
func (p *Policy) over(h Hint) bool { return h.Wait > p.Ceiling || h.State == HintTooLong }

// takes tells whether the operation goes on with a wait asked for, as it is or changed. A wait beyond every duration can
// be cut only where there is something to cut it to.
func (p *Policy) takes(h Hint) bool {
	switch {
	case !p.over(h):
		return true
	case p.Ceiling == NoCeiling && p.RetryAfter.Mode == RetryAfterBounded:
		return true
	}
	switch p.OverCeiling {
	case OverCut:
		return p.Ceiling != NoCeiling
	case OverOwn:
		return true
	case OverDefer:
		return false
	default:
		return false
	}
}

// meet lets the own wait meet the server's.
func (p *Policy) meet(d *Decision, o *Outcome, u float64) {
	d.Wait = d.Own
	if !p.Hears(o) {
		return
	}
	d.Asked, d.Server = true, max(o.Hint.Wait, 0)
	server := d.Server
	if p.OverCeiling != OverDefer && p.over(o.Hint) {
		if p.OverCeiling == OverOwn {
			return
		}
		server = min(server, p.Ceiling)
	}
	server = addTime(server, scale(p.Spread, clampUnit(u)))
	switch p.RetryAfter.Mode {
	case RetryAfterAtLeast:
		d.Wait = max(d.Own, server)
	case RetryAfterReplace, RetryAfterRequired:
		d.Wait, d.Source = server, SourceServer
	case RetryAfterClamp:
		d.Wait = min(max(d.Own, server), addTime(server, p.RetryAfter.Range))
	case RetryAfterBounded:
		d.Wait = min(max(d.Own, server), addTime(d.Own, p.RetryAfter.Range))
	case RetryAfterIgnore:
	}
	if d.Wait != d.Own {
		d.Source = SourceServer
	}
}

// whyUnheard is why a wait that was asked for does not count; "" where it does.
func (p *Policy) whyUnheard(o *Outcome) string {
	switch {
	case !o.Hint.asked():
		return ""
	case p.RetryAfter.Mode == RetryAfterIgnore:
		return "Retry-After is ignored"
	case !p.looks(o):
		return fmt.Sprintf("Retry-After is not heard on %d", o.Status)
	default:
		return ""
	}
}

// whyOver is how a wait above the ceiling is taken all the same.
func (p *Policy) whyOver(asks string) string {
	switch {
	case p.OverCeiling == OverOwn:
		return asks + ", over the ceiling of " + FormatDuration(p.Ceiling) + ": the own wait"
	case p.Ceiling == NoCeiling:
		return asks + ": at most " + FormatDuration(p.RetryAfter.Range) + " above the own wait"
	default:
		return asks + ", cut to the ceiling of " + FormatDuration(p.Ceiling)
	}
}
