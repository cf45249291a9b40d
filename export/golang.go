package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/retryscope/retryscope/engine"
)

// The methods below are what the templates ask of a draft.

// statusTest is an expression that tells whether status is one to retry; and, or are the language's words, eq and ne its signs.
func (d *draft) statusTest(and, or, eq, ne, no string) string {
	var parts []string
	set := d.RetryOn.Statuses
	for class := 1; class <= 5; class++ {
		parts = append(parts, classTest(&set, class, and, eq, ne)...)
	}
	if len(parts) == 0 {
		return no
	}
	return strings.Join(parts, " "+or+" ")
}

func classTest(set *engine.StatusSet, class int, and, eq, ne string) []string {
	lo, hi := class*100, class*100+99
	const name = "status"
	var in, out []int
	for s := lo; s <= hi; s++ {
		if set.Has(s) {
			in = append(in, s)
		} else {
			out = append(out, s)
		}
	}
	if len(in) > 50 {
		one := fmt.Sprintf("%s >= %d %s %s <= %d", name, lo, and, name, hi)
		for _, s := range out {
			one += fmt.Sprintf(" %s %s %s %d", and, name, ne, s)
		}
		return []string{one}
	}
	var parts []string
	for i := 0; i < len(in); {
		j := i
		for j+1 < len(in) && in[j+1] == in[j]+1 {
			j++
		}
		if j-i < 2 {
			parts, i = append(parts, fmt.Sprintf("%s %s %d", name, eq, in[i])), i+1
			continue
		}
		parts = append(parts, fmt.Sprintf("%s >= %d %s %s <= %d", name, in[i], and, name, in[j]))
		i = j + 1
	}
	return parts
}

// GoStatus is the test of a status in Go.
func (d *draft) GoStatus() string { return d.statusTest("&&", "||", "==", "!=", "false") }

// GoMethods is the list of methods that may be repeated; "" where any may.
func (d *draft) GoMethods() string {
	m := d.methods()
	if m == nil {
		return ""
	}
	if slices.Contains(m, "GET") {
		m = append(m, "") // net/http takes an empty method for GET
	}
	for i := range m {
		m[i] = strconv.Quote(m[i])
	}
	return strings.Join(m, ", ")
}

// Errors tells whether failures without an answer are retried; Timeouts whether attempts that took too long are.
func (d *draft) Errors() bool   { return d.RetryOn.HasKind(engine.KindTransport) }
func (d *draft) Timeouts() bool { return d.RetryOn.HasKind(engine.KindTimeout) }

// DNS and TLS tell whether an unknown host and a wrong certificate are retried.
func (d *draft) DNS() bool { return d.RetryOn.HasCause(engine.CauseDNS) }
func (d *draft) TLS() bool { return d.RetryOn.HasCause(engine.CauseTLS) }

// Endless tells whether attempts are unlimited; Unlimited caps are Uncapped.
func (d *draft) Endless() bool { return d.Attempts == engine.Unlimited }

// Asks tells whether a server's wait has a say: it asks by an answer, which has to be one that is retried.
func (d *draft) Asks() bool {
	return d.RetryAfter.Mode != engine.RetryAfterIgnore && d.RetryOn.Statuses != engine.StatusSet{}
}

// Ceilinged tells whether there is a longest server wait.
func (d *draft) Ceilinged() bool { return d.Asks() && d.Ceiling != engine.NoCeiling }

// Mode is the rule for server waits as a word.
func (d *draft) Mode() string { s, _, _ := strings.Cut(d.RetryAfter.String(), ":"); return s }

// Growth is the factor of the curve.
func (d *draft) Growth() float64 { return d.growth() }

// Retries is the number of sends after the first.
func (d *draft) Retries() int { return d.retries(math.MaxInt32) }

// GoOwn computes wait, the own wait, from retry and prev: what is done to the curve stands in one expression.
func (d *draft) GoOwn() string {
	lines := goTongue().statements(&d.Backoff)
	wait := "x"
	for n := len(lines) - 1; n > 0; n-- {
		at, x := wordAt(wait, "x", isWordByte), strings.TrimPrefix(lines[n], "x = ")
		if strings.HasPrefix(wait[at+1:], " *") && strings.HasPrefix(x, "x +") {
			x = "(" + x + ")"
		}
		wait = wait[:at] + x + wait[at+1:]
	}
	if d.Cap == engine.NoCap || len(lines) == 1 || d.CapStage == engine.CapBefore && (d.Jitter.Kind == engine.JitterScale || d.Jitter.Kind == engine.JitterAdditive) {
		wait = "min(" + wait + ", 9e18)"
	}
	lines = []string{lines[0], "wait := time.Duration(" + wait + ")"}
	if d.Remembers() {
		lines = append(lines, "prev = float64(wait)")
	}
	return strings.Join(lines, "\n")
}

// Remembers tells whether a draw depends on the one before.
func (d *draft) Remembers() bool { return d.Jitter.Kind == engine.JitterDecorrelated }

// Requires tells whether an answer that asks for no wait is final.
func (d *draft) Requires() bool { return d.Asks() && d.RetryAfter.Mode == engine.RetryAfterRequired }

// GoMeet is how the server's wait and the own one meet, in Go: server is 0 where none was asked for.
func (d *draft) GoMeet() string {
	there, set := "server", ""
	if d.Spread > 0 {
		there, set = "there", "there := server + time.Duration(rand.Float64()*float64("+goDuration(d.Spread)+"))"
	}
	first := set
	if set != "" {
		first += "; "
	}
	switch d.RetryAfter.Mode {
	case engine.RetryAfterAtLeast:
		if set == "" {
			return "wait = max(wait, server)"
		}
		return "if asked && server > wait {\n" + strings.Replace(set, "there :=", "wait =", 1) + "\n}"
	case engine.RetryAfterReplace, engine.RetryAfterRequired:
		if set == "" {
			set = "wait = server"
		}
		return "if asked {\n" + strings.Replace(set, "there :=", "wait =", 1) + "\n}"
	case engine.RetryAfterClamp:
		return "if " + first + "asked {\nwait = min(max(wait, " + there + "), " + there + "+" + goDuration(d.RetryAfter.Range) + ")\n}"
	case engine.RetryAfterBounded:
		return "if " + first + "asked {\nwait = min(max(wait, " + there + "), wait+" + goDuration(d.RetryAfter.Range) + ")\n}"
	case engine.RetryAfterIgnore:
	}
	return ""
}

// GoLimit is the timeout of one attempt, in Go; "" for none.
func (d *draft) GoLimit() string {
	one := goDuration(d.AttemptTimeout)
	switch {
	case d.Timeout > 0 && d.AttemptTimeout > 0:
		return "max(min(" + one + ", time.Until(end)), 1)"
	case d.Timeout > 0:
		return "max(time.Until(end), 1)"
	case d.AttemptTimeout > 0:
		return one
	}
	return ""
}

// GoStops are the conditions that end it whatever came back.
func (d *draft) GoStops() string {
	out := ""
	if !d.Endless() {
		out += "retry == " + strconv.Itoa(d.Attempts) + " || "
	}
	if d.Ceilinged() {
		out += "asked && server > " + goDuration(d.Ceiling) + " || "
	}
	if d.Requires() {
		out += "err == nil && !asked || "
	}
	if d.Timeout > 0 {
		out += "time.Until(end) <= wait || "
	}
	return out
}

// GoSafe are the conditions under which a second send is safe; one that never left is.
func (d *draft) GoSafe() string {
	list := d.GoMethods()
	if list == "" {
		return ""
	}
	return `(slices.Contains([]string{` + list + `}, req.Method) || req.Header.Get("Idempotency-Key") != "" || errors.As(err, dial) && (*dial).Op == "dial") && `
}

// GoRead reads the answer's status, and what it asks for, as far as something goes by it.
func (d *draft) GoRead() string {
	if !d.Asks() {
		return "status := 0\nif err == nil {\nstatus = resp.StatusCode\n}"
	}
	asked := "_"
	if usesWord(d.GoStops()+d.GoMeet(), "asked") {
		asked = "asked"
	}
	return "status, server, " + asked + " := read(resp)"
}

// Answers tells whether some status is retried.
func (d *draft) Answers() bool { return d.RetryOn.Statuses != engine.StatusSet{} }

// Counts tells whether the code goes by the number of the retry.
func (d *draft) Counts() bool { return usesWord(d.GoStops()+d.GoOwn(), "retry") }

// resent says what net/http does by itself where the policy would not: on a connection that was used before, a request
// that may be repeated is sent once more where the server drops it before it answers.
func (d *draft) resent() {
	r := &d.want.RetryOn
	if d.Attempts == 1 || r.HasKind(engine.KindTransport) && !r.LacksCause(engine.CauseReset) && !r.LacksCause(engine.CauseClosed) || r.HasCause(engine.CauseReset) && r.HasCause(engine.CauseClosed) {
		return
	}
	d.note("retry-on: a used connection that is reset or closed before an answer: net/http itself sends a GET and its like again, at once and uncounted")
}

// fitErrors keeps of the failures without an answer what net/http has a type for: time ran out, an unknown host, a wrong
// certificate, and the rest. Nothing is decoded there, and every error is one of the transport's.
func (d *draft) fitErrors() {
	r := engine.RetryOn{Statuses: d.RetryOn.Statuses, Kinds: d.RetryOn.Kinds}
	r.SetKind(engine.KindInvalidResponse, r.HasKind(engine.KindTransport))
	for _, c := range []engine.Cause{engine.CauseDNS, engine.CauseTLS} {
		if d.RetryOn.HasCause(c) && d.Errors() {
			r.SetCause(c, 1)
		}
	}
	d.RetryOn = r
}

// GoErrorVars declares what GoErrors and GoSafe look for, in one line.
func (d *draft) GoErrorVars() string { return declared(d.errorVars()) }

func (d *draft) errorVars() (names, types []string) {
	add := func(is bool, name, typ string) {
		if is {
			names, types = append(names, name), append(types, "new("+typ+")")
		}
	}
	add(d.GoMethods() != "", "dial", "*net.OpError")
	add(d.Timeouts() != d.Errors(), "late", "net.Error")
	add(d.Errors() && !d.DNS(), "host", "*net.DNSError")
	add(d.Errors() && !d.TLS(), "cert", "*tls.CertificateVerificationError")
	return names, types
}

// GoBegin declares what the loop of the standard library begins with, in one line.
func (d *draft) GoBegin() string {
	var names, values []string
	if d.GoLimit() != "" {
		names, values = append(names, "try"), append(values, "*client")
	}
	if d.Timeout > 0 {
		names, values = append(names, "end"), append(values, "time.Now().Add("+goDuration(d.Timeout)+")")
	}
	if d.Remembers() {
		names, values = append(names, "prev"), append(values, "0.0")
	}
	errs, types := d.errorVars()
	return declared(append(names, errs...), append(values, types...))
}

func declared(names, values []string) string {
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " := " + strings.Join(values, ", ")
}

// GoErrors are the conditions under which an error is retried.
func (d *draft) GoErrors() string {
	late := "errors.As(err, late) && (*late).Timeout()"
	switch {
	case !d.Errors() && !d.Timeouts():
		return " && false"
	case !d.Errors():
		return " && " + late
	}
	out := ""
	if !d.Timeouts() {
		out += " && !(" + late + ")"
	}
	if !d.DNS() {
		out += " && !(errors.As(err, host) && (*host).IsNotFound)"
	}
	if !d.TLS() {
		out += " && !errors.As(err, cert)"
	}
	return out
}
