package export

import (
	"fmt"
	"go/format"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// goPackages are what generated code may import: by the name it is used under, in the order of the imports.
var goPackages = []struct{ name, path string }{
	{"context", "context"},
	{"tls", "crypto/tls"},
	{"errors", "errors"},
	{"io", "io"},
	{"math", "math"},
	{"rand", "math/rand/v2"},
	{"net", "net"},
	{"http", "net/http"},
	{"slices", "slices"},
	{"strconv", "strconv"},
	{"sync", "sync"},
	{"time", "time"},
}

// goFile is a Go file around code: the imports are what the code uses, and then those of the library. The code is data
// of ours, so it always parses; a test says so for every format.
func goFile(code string, libraries ...string) string {
	var b strings.Builder
	b.WriteString("package retry\n\nimport (\n")
	for _, p := range goPackages {
		if usesPackage(code, p.name) {
			fmt.Fprintf(&b, "%q\n", p.path)
		}
	}
	for i, l := range libraries {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n", l)
	}
	b.WriteString(")\n\n" + strings.TrimSpace(code) + "\n")
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		return b.String()
	}
	return string(text)
}

// usesPackage tells whether code names something of a package.
func usesPackage(code, name string) bool {
	for at := 0; ; {
		i := strings.Index(code[at:], name+".")
		if i < 0 {
			return false
		}
		at += i
		if at == 0 || !isWordByte(code[at-1]) {
			return true
		}
		at += len(name)
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// filled is a template with the draft in it. The templates are constants; one that fails is found by every test.
func filled(text string, d *draft) string {
	var b strings.Builder
	t, err := template.New("").Funcs(templateWords).Parse(text)
	if err == nil {
		err = t.Execute(&b, d)
	}
	if err != nil {
		return "export: " + err.Error()
	}
	return b.String()
}

var templateWords = template.FuncMap{
	"go": goDuration, "float": plainFloat, "ms": milliseconds, "sec": seconds, "none": func(d time.Duration) bool { return d == engine.Forever },
	"add": func(a, b int) int { return a + b },
}

// goDuration is a duration as Go writes it.
func goDuration(d time.Duration) string {
	if d == engine.Forever {
		return "math.MaxInt64"
	}
	if d == 0 {
		return "0"
	}
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d%u.unit == 0 {
			if d == u.unit {
				return "time." + u.name
			}
			return strconv.FormatInt(int64(d/u.unit), 10) + "*time." + u.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + "*time.Nanosecond"
}

// plainFloat is a number without an exponent.
func plainFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// milliseconds and seconds are durations in the unit most languages count in; "Infinity" for one without end.
func milliseconds(d time.Duration) string { return inUnit(d, time.Millisecond) }
func seconds(d time.Duration) string      { return inUnit(d, time.Second) }

func inUnit(d, unit time.Duration) string {
	if d == engine.Forever {
		return "Infinity"
	}
	return plainFloat(float64(d) / float64(unit))
}

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

// Asks tells whether a server's wait has a say.
func (d *draft) Asks() bool { return d.RetryAfter.Mode != engine.RetryAfterIgnore }

// Ceilinged tells whether there is a longest server wait.
func (d *draft) Ceilinged() bool { return d.Asks() && d.Ceiling != engine.NoCeiling }

// Mode is the rule for server waits as a word.
func (d *draft) Mode() string { s, _, _ := strings.Cut(d.RetryAfter.String(), ":"); return s }

// Growth is the factor of the curve.
func (d *draft) Growth() float64 { return d.growth() }

// Retries is the number of sends after the first.
func (d *draft) Retries() int { return d.retries(math.MaxInt32) }

// GoOwn computes wait, the own wait, from retry and prev.
func (d *draft) GoOwn() string {
	lines := goTongue().statements(&d.Backoff)
	last := lines[len(lines)-1]
	x, ok := strings.CutPrefix(last, "x = ")
	if ok && d.Cap != engine.NoCap && (d.CapStage != engine.CapBefore || d.Jitter.Kind != engine.JitterScale && d.Jitter.Kind != engine.JitterAdditive) {
		lines = append(lines[:len(lines)-1], "wait := time.Duration("+x+")")
	} else {
		lines = append(lines, "wait := time.Duration(min(x, 9e18))")
	}
	if d.Remembers() {
		lines = append(lines, "prev = float64(wait)")
	}
	return strings.Join(lines, "\n")
}

// Remembers tells whether a draw depends on the one before.
func (d *draft) Remembers() bool { return d.Jitter.Kind == engine.JitterDecorrelated }

// Requires tells whether an answer that asks for no wait is final.
func (d *draft) Requires() bool { return d.RetryAfter.Mode == engine.RetryAfterRequired }

// GoMeet is how the server's wait and the own one meet, in Go: server is 0 where none was asked for.
func (d *draft) GoMeet() string {
	there, set := "server", ""
	if d.Spread > 0 {
		there, set = "there", "there := server + time.Duration(rand.Float64()*float64("+goDuration(d.Spread)+"))\n"
	}
	switch d.RetryAfter.Mode {
	case engine.RetryAfterAtLeast:
		if set == "" {
			return "wait = max(wait, server)"
		}
		return "if asked && server > wait {\n" + strings.Replace(set, "there :=", "wait =", 1) + "}"
	case engine.RetryAfterReplace, engine.RetryAfterRequired:
		if set == "" {
			set = "wait = server\n"
		}
		return "if asked {\n" + strings.Replace(set, "there :=", "wait =", 1) + "}"
	case engine.RetryAfterClamp:
		return "if asked {\n" + set + "wait = min(max(wait, " + there + "), " + there + "+" + goDuration(d.RetryAfter.Range) + ")\n}"
	case engine.RetryAfterBounded:
		return "if asked {\n" + set + "wait = min(max(wait, " + there + "), wait+" + goDuration(d.RetryAfter.Range) + ")\n}"
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

// GoRead reads the answer's status, and what it asks for.
func (d *draft) GoRead() string {
	if d.Asks() {
		return "status, server, asked := read(resp)"
	}
	return "status := 0\nif err == nil {\nstatus = resp.StatusCode\n}"
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
func (d *draft) GoErrorVars() string {
	var names, types []string
	add := func(is bool, name, typ string) {
		if is {
			names, types = append(names, name), append(types, "new("+typ+")")
		}
	}
	add(d.GoMethods() != "", "dial", "*net.OpError")
	add(d.Timeouts() != d.Errors(), "late", "net.Error")
	add(d.Errors() && !d.DNS(), "host", "*net.DNSError")
	add(d.Errors() && !d.TLS(), "cert", "*tls.CertificateVerificationError")
	return declared(names, types)
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
	return declared(names, values)
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
