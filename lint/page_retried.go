package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retryscope/retryscope/engine"
)

func (d *page) retried() {
	p := d.v.p
	d.head("What is retried")
	d.table("", "retried", "not retried")
	var in, out []string
	for _, k := range engine.RetryKinds() {
		if p.RetryOn.HasKind(k) {
			in = append(in, k.String())
		} else {
			out = append(out, k.String())
		}
	}
	for _, c := range engine.Causes() {
		if p.RetryOn.HasCause(c) {
			in = append(in, c.String())
		}
		if p.RetryOn.LacksCause(c) {
			out = append(out, c.String())
		}
	}
	d.row("failures", orNone(in), orNone(out))
	d.row("statuses", orNone(statuses(&p.RetryOn)), orNone(refused(p)))
	safe, unsafe := methods(p)
	d.row("methods", orNone(safe), orNone(unsafe))
	if cannot := unhealing(&p.RetryOn); len(cannot) > 0 {
		fmt.Fprintf(&d.b, "\nNot retried, whatever its kind, is what cannot heal: %s.\n", list(cannot))
	}
	d.b.WriteString("\nAn operation that carries an idempotency key is safe to repeat under every method")
	if p.Unsent == engine.UnsentAny && p.Methods != engine.MethodsAny {
		d.b.WriteString(", and so is a request of which nothing was sent")
	}
	d.b.WriteString(".\n")
	fmt.Fprintf(&d.b, "\nRetry-After: %s\n", serverWaits(p))
	if p.Budget.Kind != engine.BudgetNone {
		fmt.Fprintf(&d.b, "\nBudget: %s.\n", p.Budget)
	}
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// statuses are the retried ones, by class where most of one are.
func statuses(r *engine.RetryOn) []string {
	only := engine.RetryOn{Statuses: r.Statuses}
	if nothing(&only) {
		return nil
	}
	var out, but []string
	flush := func() {
		if len(but) > 0 {
			out[len(out)-1] += " (not " + strings.Join(but, ", ") + ")"
			but = nil
		}
	}
	for w := range strings.SplitSeq(only.String(), ",") {
		if s, ok := strings.CutPrefix(w, "-"); ok {
			but = append(but, s)
			continue
		}
		flush()
		out = append(out, w)
	}
	flush()
	return out
}

// refused are the statuses somebody will ask about and that are not retried.
func refused(p *engine.Policy) []string {
	asked := []int{400, 401, 403, 404, 408, 409, 425, 429, 500, 501, 502, 503, 504, 505}
	out := numbers(slices.DeleteFunc(asked, func(s int) bool { return p.RetryOn.Statuses.Has(s) }))
	for s := 100; s <= 599; s++ {
		if s/100 != 2 && !p.RetryOn.Statuses.Has(s) {
			return append(out, "every other")
		}
	}
	return out
}

// unhealing are failures that fail the same way each time, and that are retried only where a policy names their cause, of
// the kinds that this one retries.
func unhealing(r *engine.RetryOn) []string {
	var out []string
	for _, one := range []struct {
		kind  engine.Kind
		cause engine.Cause
		words string
	}{
		{engine.KindTransport, engine.CauseDNS, "a host that does not exist"},
		{engine.KindTransport, engine.CauseTLS, "a certificate that does not verify"},
		{engine.KindTransport, engine.CauseProxy, "a proxy that refuses"},
		{engine.KindTransport, engine.CauseRequest, "a malformed request"},
		{engine.KindTransport, engine.CauseBody, "a body that cannot be read"},
		{engine.KindInvalidResponse, engine.CauseRedirectLoop, "redirects in a ring"},
	} {
		if r.HasKind(one.kind) && !r.HasCause(one.cause) && !r.LacksCause(one.cause) {
			out = append(out, one.words)
		}
	}
	return out
}

// methods are those that are repeated and those that are not, without a key.
func methods(p *engine.Policy) (safe, unsafe []string) {
	all := []string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "POST", "PATCH"}
	if p.Methods != engine.MethodsIdempotent && p.Methods != engine.MethodsAny {
		for m := range strings.SplitSeq(p.Methods, ",") {
			if !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	for _, m := range all {
		if p.Safety(m, false).Repeatable() {
			safe = append(safe, m)
		} else {
			unsafe = append(unsafe, m)
		}
	}
	if p.Methods == engine.MethodsAny {
		safe = append(safe, "every other")
	} else {
		unsafe = append(unsafe, "every other")
	}
	return safe, unsafe
}

// serverWaits is what becomes of a wait that a server asks for, in a sentence.
func serverWaits(p *engine.Policy) string {
	var out string
	switch p.RetryAfter.Mode {
	case engine.RetryAfterAtLeast:
		out = "the longer of the own wait and the server's is waited"
	case engine.RetryAfterReplace:
		out = "the server's wait takes the place of the own one"
	case engine.RetryAfterClamp:
		out = fmt.Sprintf("the own wait is brought between the server's and %s more", dur(p.RetryAfter.Range))
	case engine.RetryAfterBounded:
		out = fmt.Sprintf("the server's wait is brought between the own one and %s more", dur(p.RetryAfter.Range))
	case engine.RetryAfterRequired:
		out = "the server's wait is waited, and an answer without one is not retried"
	case engine.RetryAfterIgnore:
		return "it is not heard."
	}
	if p.Spread > 0 {
		out += fmt.Sprintf(", up to %s longer by chance", dur(p.Spread))
	}
	if on, _ := p.Get("retry-after-on"); p.RetryAfterOn != (engine.StatusSet{}) {
		out += "; it is heard on " + list(strings.Split(on, ",")) + " alone"
	}
	if on, _ := p.Get("required-on"); p.RequiredOn != (engine.StatusSet{}) {
		out += "; " + areThey(strings.Split(on, ",")) + " retried only with one"
	}
	if hints := p.Hints.String(); hints != "none" {
		out += "; " + areThey(strings.Split(hints, ",")) + " read before it"
	}
	if p.Reads != engine.Default().Reads {
		out += "; of its forms " + areThey(strings.Split(p.Reads.String(), ",")) + " read"
	}
	if p.Ceiling == engine.NoCeiling {
		return out + "; it may be of any length."
	}
	out += "; one above " + dur(p.Ceiling)
	switch p.OverCeiling {
	case engine.OverDefer:
		out += " ends the operation as deferred."
	case engine.OverCut:
		out += " is cut to that."
	case engine.OverOwn:
		out += " counts for nothing."
	}
	return out
}
