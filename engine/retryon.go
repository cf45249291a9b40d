package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// String is the set as a policy writes it: kinds, causes named on their own, statuses by class with what is left out.
// ParsePolicy reads it back to the same set.
func (r RetryOn) String() string {
	var out []string
	for _, k := range RetryKinds() {
		if r.HasKind(k) {
			out = append(out, k.String())
		}
	}
	for _, c := range Causes() {
		if r.HasCause(c) {
			out = append(out, c.String())
		}
		if r.LacksCause(c) {
			out = append(out, "-"+c.String())
		}
	}
	for class := 1; class <= 5; class++ {
		if class != 2 {
			out = append(out, r.Statuses.class(class)...)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ",")
}

// valid tells whether the set holds only what a policy can name: failures, and no cause both in and out.
func (r *RetryOn) valid() bool {
	var kinds uint16
	var causes uint32
	for _, k := range RetryKinds() {
		kinds |= kindBit(k)
	}
	for _, c := range Causes() {
		causes |= causeBit(c)
	}
	return statusesValid(&r.Statuses) && r.Kinds&^kinds == 0 && (r.Causes|r.NotCauses)&^causes == 0 && r.Causes&r.NotCauses == 0
}

// statusesValid tells whether a set holds only statuses of failures.
func statusesValid(s *StatusSet) bool {
	var statuses StatusSet
	statuses.AddRange(firstStatus, lastStatus)
	statuses.RemoveRange(200, 299)
	for i, bits := range s {
		if bits&^statuses[i] != 0 {
			return false
		}
	}
	return true
}

// class is how the statuses of one class are written: "5xx" less some where most are in, else runs and single ones.
func (s *StatusSet) class(class int) []string {
	lo, hi := class*100, class*100+99
	in := 0
	for i := lo; i <= hi; i++ {
		if s.Has(i) {
			in++
		}
	}
	if in > 50 {
		out := []string{strconv.Itoa(class) + "xx"}
		for i := lo; i <= hi; i++ {
			if !s.Has(i) {
				out = append(out, "-"+strconv.Itoa(i))
			}
		}
		return out
	}
	var out []string
	for i := lo; i <= hi; i++ {
		if !s.Has(i) {
			continue
		}
		end := i
		for end < hi && s.Has(end+1) {
			end++
		}
		if end-i < 2 {
			out = append(out, strconv.Itoa(i))
			continue
		}
		out = append(out, fmt.Sprintf("%d-%d", i, end))
		i = end
	}
	return out
}

// term is one word of retry-on.
type term struct {
	out   bool // named out, with a minus
	kind  Kind // KindStatus for statuses
	cause Cause
	lo    int
	hi    int
}

func (t term) group() bool {
	return t.cause == CauseNone && t.lo != t.hi || t.kind != KindStatus && t.cause == CauseNone
}

func parseRetryOn(p *Policy, s string) error {
	if s == "none" {
		p.RetryOn = RetryOn{}
		return nil
	}
	terms := make([]term, 0, 8)
	for _, w := range strings.Split(s, ",") {
		t, err := parseTerm(w)
		if err != nil {
			return err
		}
		terms = append(terms, t)
	}
	r, err := collect(terms)
	if err == nil {
		p.RetryOn = r
	}
	return err
}

// collect makes the set: groups first, what a group leaves out next, then what is named alone, so that the order of the
// words does not matter.
func collect(terms []term) (RetryOn, error) {
	for i, t := range terms {
		opposite := t
		opposite.out = !t.out
		if !t.group() && slices.Contains(terms[:i], opposite) {
			return RetryOn{}, errors.New("the same status or cause is named both in and out")
		}
	}
	var r RetryOn
	for _, pass := range []struct{ group, out bool }{{true, false}, {true, true}, {false, false}, {false, true}} {
		for _, t := range terms {
			if t.group() == pass.group && t.out == pass.out {
				r.add(t)
			}
		}
	}
	return r, nil
}

func (r *RetryOn) add(t term) {
	switch {
	case t.cause != CauseNone && t.out:
		r.SetCause(t.cause, -1)
	case t.cause != CauseNone:
		r.SetCause(t.cause, 1)
	case t.kind != KindStatus:
		r.SetKind(t.kind, !t.out)
	case t.out:
		r.Statuses.RemoveRange(t.lo, t.hi)
	default:
		r.Statuses.AddRange(t.lo, t.hi)
	}
}

func parseTerm(w string) (term, error) {
	name, out := strings.CutPrefix(w, "-")
	t := term{out: out, kind: KindStatus}
	for _, k := range RetryKinds() {
		if k.String() == name {
			t.kind = k
			return t, nil
		}
	}
	for _, c := range Causes() {
		if c.String() == name {
			t.cause = c
			return t, nil
		}
	}
	if len(name) == 3 && strings.HasSuffix(name, "xx") {
		n, err := strconv.Atoi(name[:1])
		if err == nil {
			t.lo, t.hi = n*100, n*100+99
			return t, t.check(w)
		}
	}
	lo, hi, isRange := strings.Cut(name, "-")
	if !isRange {
		hi = lo
	}
	var err1, err2 error
	t.lo, err1 = strconv.Atoi(lo)
	t.hi, err2 = strconv.Atoi(hi)
	if err1 != nil || err2 != nil || len(lo) != 3 || len(hi) != 3 {
		return t, fmt.Errorf("%q is no outcome; %s", w, allowedRetryOn())
	}
	return t, t.check(w)
}

func (t *term) check(w string) error {
	switch {
	case t.lo > t.hi || t.lo < firstStatus || t.hi > lastStatus:
		return fmt.Errorf("%q: statuses are 100 to 599, a range goes upwards", w)
	case t.lo <= 299 && t.hi >= 200:
		return fmt.Errorf("%q: a 2xx is a success and is not retried", w)
	default:
		return nil
	}
}

func allowedRetryOn() string {
	var b strings.Builder
	b.WriteString("kinds (")
	for i, k := range RetryKinds() {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(k.String())
	}
	b.WriteString("), causes (")
	for i, c := range Causes() {
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(c.String())
	}
	b.WriteString("), statuses (429, 5xx, 500-504), with - before what is left out, or none")
	return b.String()
}
