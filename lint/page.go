package lint

import (
	"fmt"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
	"github.com/retryscope/retryscope/trace"
)

// Subject is a policy that a page is about.
type Subject struct {
	// Name is what it is called: "carom attempts=6". It may come from a file's name.
	Name   string
	Policy engine.Policy
	// Preset is the id of the preset it starts from; "" for none.
	Preset string
}

// Page is a policy explained for a review, as Markdown: what is retried, the waits, the worst case, findings, and where
// against is given what differs from it. Its figures are those of a run in which each draw is 1 and each attempt takes
// its limit.
func Page(s Subject, against *Subject, ctx Context) string {
	d := newPage(&s, &ctx)
	fmt.Fprintf(&d.b, "# Retry policy: %s\n\n    %s\n", d.name, s.Policy)
	d.source()
	if against != nil {
		d.against(against)
	}
	d.retried()
	d.waits()
	d.worst()
	d.findings()
	return d.b.String()
}

type page struct {
	b    strings.Builder
	s    *Subject
	name string
	v    *view
}

func newPage(s *Subject, ctx *Context) *page {
	return &page{s: s, name: plain(s.Name), v: newView(&s.Policy, ctx)}
}

// plain is a text that Markdown takes as it is, in a table too.
func plain(s string) string {
	return strings.NewReplacer("|", "/", "`", "'", "<", "(", ">", ")").Replace(trace.Clean(s))
}

func (d *page) head(title string) { fmt.Fprintf(&d.b, "\n## %s\n\n", title) }

// table begins a table of so many columns.
func (d *page) table(columns ...string) {
	d.row(columns...)
	d.b.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
}

func (d *page) row(cells ...string) { d.b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }

func (d *page) source() {
	p, ok := presets.Get(d.s.Preset)
	if !ok {
		return
	}
	what, notes, cannot := "It is the preset", p.Notes, "What the policy cannot say of it:"
	if p.Policy != d.s.Policy { // its notes may be no longer so
		what, notes, cannot = "It starts from the preset", "Of that, before what is changed here: "+p.Notes, "What that preset cannot say of the client:"
	}
	fmt.Fprintf(&d.b, "\n%s **%s**: %s. %s\n\nClient: %s, %s. Source (%s): %s.\n", what, p.ID, p.Name, notes, p.Library, p.Version, p.Evidence(), p.Source)
	if len(p.CannotSay) > 0 {
		d.b.WriteString("\n" + cannot + "\n\n")
		for _, say := range p.CannotSay {
			d.b.WriteString("- " + say + "\n")
		}
	}
}

// shownWaits is how many waits have a row of their own.
const shownWaits = 8

func (d *page) waits() {
	p, n := d.v.p, d.v.cost.Retries
	d.head("Waits")
	if n == 0 {
		d.b.WriteString("There is no retry.\n")
		return
	}
	all := d.v.backoffs()
	if len(all) > 1 {
		d.table("retry", "own wait", "after a 429", "all so far, at the longest")
	} else {
		d.table("retry", "own wait", "all so far, at the longest")
	}
	var sum time.Duration
	for k := 1; k <= min(n, shownWaits); k++ {
		_, hi := p.Bounds(k)
		sum = later(sum, hi)
		d.wait(all, k, sum)
	}
	switch {
	case n == engine.Unlimited:
		d.b.WriteString("\nand so on without end.\n")
	case n > shownWaits:
		d.wait(all, n, d.v.cost.Max)
	}
}

func (d *page) wait(all []engine.Backoff, k int, sum time.Duration) {
	cells := []string{fmt.Sprint(k)}
	for _, b := range all {
		lo, hi := b.Bounds(k)
		cells = append(cells, span(micro(lo), micro(hi)))
	}
	d.row(append(cells, dur(micro(sum)))...)
}

// micro cuts to whole microseconds, as a record does.
func micro(d time.Duration) time.Duration {
	if d == engine.Forever {
		return d
	}
	return d.Truncate(time.Microsecond)
}

func (d *page) worst() {
	d.head("Worst case")
	d.b.WriteString("Of one operation that may be repeated: the longest waits, and attempts that take ")
	if d.v.p.AttemptTimeout > 0 {
		fmt.Fprintf(&d.b, "all of their limit of %s.\n\n", dur(d.v.p.AttemptTimeout))
	} else {
		d.b.WriteString("no time, for they have no limit.\n\n")
	}
	d.table("figure", "value")
	for _, f := range d.v.figures() {
		d.row(f.name, f.value)
	}
	if command := d.command(); command != "" {
		fmt.Fprintf(&d.b, "\nThis runs it:\n\n    %s\n", command)
	}
}

// command runs the worst case, or what of it can be run: an attempt without a limit cannot hang to its end. It is "" where
// no script gives an outcome that is retried.
func (d *page) command() string {
	p := d.v.p
	answer := d.v.answer()
	if answer == "" {
		return ""
	}
	out := fmt.Sprintf("retryscope run --policy '%s' --draw 1 --script %s", d.s.Policy, answer)
	if !p.Safety("GET", false).Repeatable() {
		safe, _ := methods(p)
		out += " --method " + safe[0]
	}
	return out
}

// answer is the word of a script for an outcome that the policy retries: the one that takes an attempt's whole limit first.
func (v *view) answer() string {
	r := &v.p.RetryOn
	if r.HasKind(engine.KindTimeout) && v.p.AttemptTimeout > 0 {
		return "hang"
	}
	alone := func(status int) bool { // without asking for a wait
		return r.Statuses.Has(status) && !v.p.RequiredOn.Has(status) && v.p.RetryAfter.Mode != engine.RetryAfterRequired
	}
	if alone(503) {
		return "503"
	}
	for s := 300; s <= 599; s++ {
		if alone(s) {
			return fmt.Sprint(s)
		}
	}
	for _, one := range []struct {
		word  string
		kind  engine.Kind
		cause engine.Cause
	}{
		{"reset", engine.KindTransport, engine.CauseReset},
		{"eof", engine.KindTransport, engine.CauseClosed},
		{"refused", engine.KindTransport, engine.CauseRefused},
		{"cut", engine.KindInvalidResponse, engine.CauseCut},
		{"badjson", engine.KindDecoding, engine.CauseNone},
	} {
		if !r.LacksCause(one.cause) && (r.HasKind(one.kind) || r.HasCause(one.cause)) {
			return one.word
		}
	}
	return ""
}

// figure is one line of the worst case.
type figure struct{ name, value string }

// The names of the figures.
const (
	figureSends    = "sends, fewest to most"
	figureWaits    = "all own waits"
	figureFree     = "without the timeout"
	figureServer   = "without the timeout, every answer asking for the ceiling"
	figureWorst    = "with the timeout"
	figureSendsNow = "sends begun before the timeout"
)

func (v *view) figures() []figure {
	p, c := v.p, &v.cost
	most := fmt.Sprint(c.Sends())
	if c.Retries == engine.Unlimited {
		most = "unlimited"
	}
	sends := "1 to " + most
	if c.Retries == 0 {
		sends = "1"
	}
	out := []figure{{figureSends, sends}, {figureWaits, v.bound(c.Max)}, {figureFree, v.bound(c.Free)}}
	if p.RetryAfter.Mode != engine.RetryAfterIgnore {
		out = append(out, figure{figureServer, v.bound(c.Server)})
	}
	if p.Timeout <= 0 {
		return append(out, figure{figureWorst, "no timeout"})
	}
	out = append(out, figure{figureWorst, v.bound(c.Worst)})
	if n, _ := v.reach(p.AttemptTimeout, v.longestWait); n > 0 {
		return append(out, figure{figureSendsNow, fmt.Sprint(n - 1)})
	}
	return append(out, figure{figureSendsNow, most})
}

// bound is a figure, or why it has none.
func (v *view) bound(d time.Duration) string {
	switch {
	case d != engine.Forever:
		return dur(micro(d))
	case v.cost.Retries == engine.Unlimited:
		return "no bound (attempts are unlimited)"
	case v.p.AttemptTimeout <= 0 && v.cost.Max != engine.Forever:
		return "no bound (an attempt may hang)"
	default:
		return "no bound"
	}
}

func (d *page) findings() {
	d.head("Findings")
	all := Check(d.s.Policy, *d.v.ctx)
	if len(all) == 0 {
		d.b.WriteString("None.\n")
	}
	for _, f := range all {
		fmt.Fprintf(&d.b, "- **%s** `%s`: %s\n  Change: `%s`\n", f.Severity, f.ID, f.Says, f.Change)
	}
}
