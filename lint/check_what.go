package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// methodQuery is safe to repeat by its definition, body and all (RFC 10008, section 2).
const methodQuery = "QUERY"

func nonIdempotent(v *view) (says string, changes []string) {
	if v.ctx.Keyed || v.p.Methods == engine.MethodsIdempotent {
		return "", nil
	}
	if v.p.Methods == engine.MethodsAny {
		return "Every method is sent again, POST and PATCH too, without a key: a first send that was done but not answered is done twice.",
			[]string{"methods=idempotent"}
	}
	var safe, unsafe []string
	for m := range strings.SplitSeq(v.p.Methods, ",") {
		if v.p.Safety(m, false) == engine.SafeListed && m != methodQuery {
			unsafe = append(unsafe, m)
		} else {
			safe = append(safe, m)
		}
	}
	if len(unsafe) == 0 {
		return "", nil
	}
	change := "methods=idempotent"
	if len(safe) > 0 {
		change = "methods=" + strings.Join(safe, ",")
	}
	return fmt.Sprintf("%s sent again without a key: a first send that was done but not answered is done twice.", areThey(unsafe)), []string{change}
}

func retriesDecoding(v *view) (says string, changes []string) {
	if !v.p.RetryOn.HasKind(engine.KindDecoding) {
		return "", nil
	}
	r := v.p.RetryOn
	r.SetKind(engine.KindDecoding, false)
	return fmt.Sprintf("An answer that came whole and could not be read is asked for again, %s: it will read the same.", v.again()), []string{"retry-on=" + r.String()}
}

// again is how often, in words.
func (v *view) again() string {
	if v.retries == engine.Unlimited {
		return "without end"
	}
	return "up to " + many(v.retries, "time")
}

// mayHeal are the statuses from 400 to 499 that another try may mend: too slow, in conflict, the wrong connection,
// locked, too early, too many. A 413 with a Retry-After is one too (RFC 9110, section 15.5.14), and so whatever is retried
// only where the answer asks for a wait: the server itself says that it may come back.
var mayHeal = []int{408, 409, 421, 423, 425, 429}

func retries4xx(v *view) (says string, changes []string) {
	var bad []int
	for s := 400; s < 500; s++ {
		if v.p.RetryOn.Statuses.Has(s) && !slices.Contains(mayHeal, s) && !v.p.RequiredOn.Has(s) {
			bad = append(bad, s)
		}
	}
	if len(bad) == 0 {
		return "", nil
	}
	var known []string
	for _, s := range bad {
		if len(bad) <= 6 || slices.Contains([]int{400, 401, 403, 404, 422}, s) {
			known = append(known, fmt.Sprint(s))
		}
	}
	if more := len(bad) - len(known); more > 0 {
		known = append(known, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s: the request itself is refused, and sent again %s all the same.", list(known), v.again()), []string{v.without(bad)}
}

func retries501(v *view) (says string, changes []string) {
	bad := v.has(501, 505)
	if len(bad) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s: what the server cannot do at all it is asked again, %s.", list(numbers(bad)), v.again()), []string{v.without(bad)}
}

func retriesPermanent(v *view) (says string, changes []string) {
	r := v.p.RetryOn
	var named []string
	for _, c := range []engine.Cause{engine.CauseTLS, engine.CauseRedirectLoop, engine.CauseRequest, engine.CauseBody} {
		if r.HasCause(c) {
			named = append(named, c.String())
			r.SetCause(c, 0)
		}
	}
	if len(named) == 0 {
		return "", nil
	}
	return fmt.Sprintf("%s retried by name, %s: a certificate that does not verify, redirects in a ring or a malformed request stay as they are.",
		areThey(named), v.again()), []string{"retry-on=" + r.String()}
}

func no429(v *view) (says string, changes []string) {
	if !v.anyStatus() || v.p.RetryOn.Statuses.Has(429) {
		return "", nil
	}
	r := v.p.RetryOn
	r.Statuses.Add(429)
	return "429 is final: a server that says when to come back is taken for one that refused.", []string{"retry-on=" + r.String()}
}

func ignoresRetryAfter(v *view) (says string, changes []string) {
	deaf := v.has(429, 503)
	var mends []string
	switch {
	case v.p.RetryAfter.Mode == engine.RetryAfterIgnore:
		mends = append(mends, "retry-after=at-least")
	case v.p.Reads.Header():
		deaf = slices.DeleteFunc(deaf, func(s int) bool {
			return v.p.RetryAfterOn == engine.StatusSet{} || v.p.RetryAfterOn.Has(s)
		})
	}
	if len(deaf) == 0 {
		return "", nil
	}
	if v.p.RetryAfterOn != (engine.StatusSet{}) {
		mends = append(mends, "retry-after-on=any")
	}
	if !v.p.Reads.Header() {
		mends = append(mends, "reads="+engine.Reads(0).String())
	}
	changes = []string{strings.Join(mends, " ")}
	var waits []string
	for _, b := range v.backoffs() {
		lo, hi := b.Bounds(1)
		word := "at once"
		if hi > 0 {
			word = "after " + span(lo, hi)
		}
		waits = append(waits, word)
	}
	if len(waits) > 1 && len(deaf) == 1 { // the first is that after a 503, the last that after a 429
		waits = map[int][]string{503: waits[:1], 429: waits[1:]}[deaf[0]]
	}
	says = fmt.Sprintf("Retry-After is not heard on %s: a server that asks for a minute is asked again %s", list(numbers(deaf)), waits[len(waits)-1])
	if len(waits) > 1 && waits[0] != waits[1] {
		says += " where that was a 429, else " + waits[0]
	}
	return says + ".", changes
}

func cutsRetryAfter(v *view) (says string, changes []string) {
	if !v.asks() {
		return "", nil
	}
	if says, changes = v.cutsShort(); says != "" || v.p.Ceiling >= time.Second {
		return says, changes
	}
	return fmt.Sprintf("Retry-After counts whole seconds, and the ceiling is %s: the shortest wait it can ask for, of 1s, ends the operation as deferred.", dur(v.p.Ceiling)),
		[]string{"ceiling=30s", wholly}
}

// wholly is the change after which a server's wait is waited for, or defers the operation.
const wholly = "retry-after=at-least ceiling=30s over-ceiling=defer"

// cutsShort tells of a wait that is asked for, not waited, and the server asked again before it. One of an hour or more
// that is cut to no less is let pass.
func (v *view) cutsShort() (says string, changes []string) {
	const long = time.Hour
	_, hi := v.p.Bounds(1)
	switch {
	case v.bounded() && later(hi, v.p.RetryAfter.Range) < long && v.p.Ceiling > later(hi, v.p.RetryAfter.Range):
		return fmt.Sprintf("A server is asked again %s after its answer at the latest, whatever it asked for: retry-after=%s.", dur(later(hi, v.p.RetryAfter.Range)), v.p.RetryAfter),
			[]string{"retry-after=at-least", wholly}
	case v.p.OverCeiling == engine.OverCut && v.p.Ceiling < long:
		return fmt.Sprintf("A server that asks for more than %s is asked again after that, before it wished.", dur(v.p.Ceiling)), []string{"over-ceiling=defer", "over-ceiling=defer ceiling=30s", wholly}
	case v.p.OverCeiling == engine.OverOwn && v.p.Ceiling < long:
		return fmt.Sprintf("A server that asks for more than %s is taken for one that asked for nothing: the own wait, at first %s at the most.", dur(v.p.Ceiling), dur(hi)),
			[]string{"over-ceiling=defer", "over-ceiling=defer ceiling=30s", wholly}
	default:
		return "", nil
	}
}

func ceilingBelowCap(v *view) (says string, changes []string) {
	wait, k := v.longest()
	if !v.asks() || !v.draws() || wait == 0 || v.p.OverCeiling != engine.OverDefer {
		return "", nil
	}
	if wait > v.p.Ceiling {
		return fmt.Sprintf("Retry %d may wait %s by itself, but a server that asks for more than %s is not waited for.", k, dur(wait), dur(v.p.Ceiling)),
			[]string{"ceiling=" + engine.FormatDuration(wait), "cap=" + engine.FormatDuration(v.p.Ceiling), "cap-stage=after cap=" + engine.FormatDuration(v.p.Ceiling), "ceiling=" + engine.FormatDuration(max(v.p.Cap, wait))}
	}
	if v.p.Cap == engine.NoCap || !grows(&v.p.Backoff) || v.p.Cap <= v.p.Ceiling {
		return "", nil
	}
	return fmt.Sprintf("An own wait may grow to the cap of %s, but a server that asks for more than %s is not waited for.", dur(v.p.Cap), dur(v.p.Ceiling)),
		[]string{"ceiling=" + engine.FormatDuration(v.p.Cap)}
}

func ceilingBeyondTimeout(v *view) (says string, changes []string) {
	if !v.asks() || v.bounded() || v.p.Timeout <= 0 || v.p.Ceiling < v.p.Timeout {
		return "", nil
	}
	asked := "any length"
	if v.p.Ceiling != engine.NoCeiling {
		asked = "up to " + dur(v.p.Ceiling)
	}
	changes = []string{"ceiling=" + engine.FormatDuration(nice(v.p.Timeout/2)), "ceiling=" + engine.FormatDuration(v.p.Timeout-1)}
	if v.p.Timeout < 2*time.Second { // a ceiling below it would be one that no wait of whole seconds is under
		changes = []string{"timeout=1m", "timeout=1m ceiling=30s"}
	}
	return fmt.Sprintf("A Retry-After of %s is taken, but none of %s or more fits into the timeout: such an operation ends as timed out, and nobody learns when to come back.", asked, dur(v.p.Timeout)), changes
}

func noCeiling(v *view) (says string, changes []string) {
	if !v.asks() || v.bounded() || v.p.Ceiling != engine.NoCeiling || v.p.Timeout > 0 {
		return "", nil
	}
	return "A server's wait has no upper limit and neither has the operation: one wrong Retry-After, a year ahead, holds it for a year.", []string{"ceiling=30s"}
}

func noSpread(v *view) (says string, changes []string) {
	if !v.asks() || v.p.Spread > 0 || v.p.Ceiling == 0 {
		return "", nil
	}
	return "Clients that were told the same Retry-After come back in the same moment: the server's wait has no spread.", []string{"spread=1s"}
}
