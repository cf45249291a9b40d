package cli_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// page reads a page line by line: every number on it is either shown by a run, or is a knob of the policy. What is left over
// at the end is a number that nobody can vouch for.
type page struct {
	t        *testing.T
	is       lint.Subject
	was      *lint.Subject
	text     string
	section  string
	figures  map[string]string // of the policy's own page
	oldTable map[string]string // of the other's
	shown    map[string]bool   // numbers of runs and knobs
	left     []string
}

// play runs a policy against a script, and gives up on one that has no end.
func play(t *testing.T, p engine.Policy, text, method string, draw float64) *trace.Trace {
	t.Helper()
	s, err := script.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return lab.ScriptedContext(context.Background(), lab.Config{Policy: p, Request: lab.Request{Method: method}, Script: s, Draw: draw, CancelAt: -1, SignOutAt: -1})
}

var number = regexp.MustCompile(`\d+(?:\.\d+)?(?:h|ms|us|µs|ns|m|s)(?:\d+(?:\.\d+)?(?:h|ms|us|µs|ns|m|s))*|\d+(?:\.\d+)?%?`)

// same is one form of a number: 90s is 1m30s.
func same(word string) string {
	if d, err := time.ParseDuration(word); err == nil && strings.ContainsAny(word, "hmsn") {
		return engine.FormatDuration(micros(d))
	}
	return word
}

func micros(d time.Duration) time.Duration {
	if d == engine.Forever || d < time.Millisecond {
		return d
	}
	return d.Truncate(time.Microsecond)
}

func (g *page) show(numbers ...string) {
	for _, n := range numbers {
		g.shown[same(n)] = true
	}
}

func (g *page) showTime(all ...time.Duration) {
	for _, d := range all {
		g.show(engine.FormatDuration(micros(d)))
	}
}

// beginning is how many sends of a run without end are looked at: a page shows none of the later ones.
const beginning = 20

// runs notes every number that the runs of a policy show: at the lowest and the highest draw, with answers that take no time, and
// with such as take all they may, with the timeout and without.
func (g *page) runs(p *engine.Policy) {
	command := command.FindStringSubmatch(lint.Page(lint.Subject{Policy: *p}, nil, lint.Context{}))
	if command == nil && p.RetryOn == (engine.RetryOn{}) {
		g.run(play(g.t, *p, "503", "GET", 1))
	}
	if command == nil {
		return
	}
	method := strings.TrimPrefix(command[3], " --method ")
	if p.Budget.Kind != engine.BudgetNone { // others may fill it meanwhile
		alone := *p
		alone.Budget = engine.BudgetRule{}
		g.runs(&alone)
	}
	for _, free := range []bool{false, true} {
		if free && p.Timeout == 0 {
			break // they would be the same runs
		}
		q := *p
		if free {
			q.Timeout = 0
		}
		if q.Attempts == engine.Unlimited && q.Timeout == 0 {
			q.Attempts = beginning
		}
		for _, slow := range []bool{false, true} {
			answer := command[2]
			if answer == "hang" && !slow {
				answer = fallback(p, false)
			}
			if slow && answer != "hang" && q.AttemptTimeout > 0 {
				answer += " latency=" + engine.FormatDuration(q.AttemptTimeout-time.Microsecond)
			}
			for _, draw := range []float64{0, 1} {
				g.run(play(g.t, q, answer, method, draw))
			}
			if slow {
				g.asking(q, method)
			}
			if q.ThrottleBase > 0 && q.RetryOn.Statuses.Has(429) {
				latency := " latency=0s"
				if slow {
					latency = " latency=" + engine.FormatDuration(max(q.AttemptTimeout-time.Microsecond, 0))
				}
				g.run(play(g.t, q, "429"+latency, method, 0))
				g.run(play(g.t, q, "429"+latency, method, 1))
			}
		}
	}
}

// asking runs it against a server whose every answer asks for the ceiling, in milliseconds where it is no whole second.
func (g *page) asking(q engine.Policy, method string) {
	if q.Ceiling == engine.NoCeiling || q.RetryOn.Statuses == (engine.StatusSet{}) || q.Ceiling%time.Millisecond != 0 {
		return
	}
	answer := fmt.Sprintf("%s after=%d", fallback(&q, true), q.Ceiling/time.Second)
	if q.Ceiling%time.Second != 0 {
		_ = q.Set("hints", "retry-after-ms")
		answer = fmt.Sprintf(`%s header="retry-after-ms: %d"`, fallback(&q, true), q.Ceiling/time.Millisecond)
	}
	if q.AttemptTimeout > 0 {
		answer += " latency=" + engine.FormatDuration(q.AttemptTimeout-time.Microsecond)
	}
	g.run(play(g.t, q, answer, method, 1))
}

// fallback is an answer that comes at once and is retried; asking says that it asks for a wait as well, and is heard.
func fallback(p *engine.Policy, asking bool) string {
	for s := 599; s >= 300; s-- {
		if p.RetryOn.Statuses.Has(s) && (asking || !p.RequiredOn.Has(s)) && (!asking || p.RetryAfterOn == (engine.StatusSet{}) || p.RetryAfterOn.Has(s)) {
			return fmt.Sprint(s)
		}
	}
	return "reset"
}

func (g *page) run(ran *trace.Trace) {
	g.show(strconv.Itoa(ran.Done.Attempts), strconv.Itoa(ran.Done.Attempts+1), strconv.Itoa(ran.Done.Attempts-1)) // sends, the next, retries
	g.showTime(ran.Done.At, ran.Done.Waited, ran.Done.At.Round(time.Millisecond))
	for i := range ran.Attempts {
		a := &ran.Attempts[i]
		g.show(strconv.Itoa(a.N))
		g.showTime(a.Start, a.End, a.Wait.For, a.Start.Round(time.Millisecond), a.End+a.Wait.For, (a.End + a.Wait.For).Round(time.Millisecond))
	}
}

// check reads the page.
func (g *page) check() {
	g.t.Helper()
	g.figures = rows(g.text)
	if g.was != nil {
		g.oldTable = rows(lint.Page(*g.was, nil, lint.Context{}))
	}
	if len(g.shown) == 0 {
		g.runs(&g.is.Policy)
	}
	g.show(number.FindAllString(g.is.Policy.String(), -1)...)
	for line := range strings.Lines(g.text) {
		line = strings.TrimRight(line, "\n")
		if title, ok := strings.CutPrefix(line, "## "); ok {
			g.section, _, _ = strings.Cut(title, " ")
		}
		g.line(line)
	}
	if len(g.left) > 0 {
		g.t.Errorf("nothing vouches for\n%s\nin the page of %s", strings.Join(g.left, "\n"), g.is.Policy)
	}
}

func (g *page) line(line string) {
	cells := strings.Split(strings.Trim(line, "| "), " | ")
	switch {
	case !number.MatchString(line), strings.HasPrefix(line, "# "), strings.HasPrefix(line, "## Against"):
	case strings.HasPrefix(line, "    retryscope run"), line == "    "+g.is.Policy.String():
	case g.section == "": // what a preset says of itself
		p, _ := presets.Get(g.is.Preset)
		for _, said := range append([]string{p.Notes, p.Name, p.Library, p.Version, p.Evidence(), p.Source, p.ID}, p.CannotSay...) {
			line = strings.ReplaceAll(line, said, "")
		}
		g.known(line)
	case strings.HasPrefix(line, "| knob |"), strings.HasPrefix(line, "| retry |"): // names
	case g.section == "Against" && strings.HasPrefix(line, "|"):
		g.knob(cells)
	case g.section == "Against":
		g.change(line)
	case g.section == "What" && len(cells) == 3 && cells[0] == "statuses":
		g.statuses(cells)
	case g.section == "What":
		g.serverWait(line)
	case g.section == "Waits" && len(cells) > 2:
		g.wait(cells)
	case g.section == "Worst":
		g.known(line)
		g.begun(cells)
	case g.section == "Findings" && strings.HasPrefix(line, "  Change:"):
		// a policy's text, which TestChangesMend tries
	case g.section == "Findings":
		g.finding(line)
	default:
		g.left = append(g.left, line)
	}
}

// known wants every number of a line to be one that was shown.
func (g *page) known(line string) {
	for _, n := range number.FindAllString(line, -1) {
		if !g.shown[same(n)] {
			g.left = append(g.left, fmt.Sprintf("%s in %q", n, line))
		}
	}
}

// begun is the row of the sends that the timeout leaves where all takes its longest: no more and no fewer than runs make
// then.
func (g *page) begun(cells []string) {
	if len(cells) != 2 || cells[0] != "sends begun before the timeout" {
		return
	}
	p := g.is.Policy
	answers, method := []string{fallback(&p, false)}, "GET"
	if command := command.FindStringSubmatch(g.text); command != nil {
		answers, method = []string{command[2]}, strings.TrimPrefix(command[3], " --method ")
	}
	if p.ThrottleBase > 0 && p.RetryOn.Statuses.Has(429) {
		answers = append(answers, "429")
	}
	fewest := 0
	for _, answer := range answers {
		if answer != "hang" && p.AttemptTimeout > 0 {
			answer += " latency=" + engine.FormatDuration(p.AttemptTimeout-time.Microsecond)
		}
		if n := play(g.t, p, answer, method, 1).Done.Attempts; fewest == 0 || n < fewest {
			fewest = n
		}
	}
	if cells[1] != strconv.Itoa(fewest) {
		g.left = append(g.left, fmt.Sprintf("%s, and runs make %d", strings.Join(cells, " | "), fewest))
	}
}

// knob is a row of the knobs that differ.
func (g *page) knob(cells []string) {
	was, ok := g.was.Policy.Get(cells[0])
	is, _ := g.is.Policy.Get(cells[0])
	if !ok || len(cells) != 3 || strings.ReplaceAll(cells[1], ", ", ",") != was || strings.ReplaceAll(cells[2], ", ", ",") != is {
		g.left = append(g.left, strings.Join(cells, " | "))
	}
}

// change is a line about what changes: a figure of this page and of the other's, or statuses that one policy retries alone.
func (g *page) change(line string) {
	what, says, _ := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
	now, was, isFigure := strings.Cut(says, ", was ")
	switch {
	case strings.HasPrefix(what, "findings"):
	case isFigure:
		if figure(g.figures, what, &g.is.Policy) != now || figure(g.oldTable, what, &g.was.Policy) != was {
			g.left = append(g.left, line)
		}
	case what == "retried now", what == "no longer retried":
		in, out := &g.is.Policy, &g.was.Policy
		if what == "no longer retried" {
			in, out = out, in
		}
		for s := 300; s <= 599; s++ {
			if listed := inWords(says, s); listed != (retries(g.t, in, s) && !retries(g.t, out, s)) {
				g.left = append(g.left, fmt.Sprintf("%d in %q (%v)", s, line, listed))
			}
		}
	default:
		g.left = append(g.left, line)
	}
}

// figure is what a policy's page has in its table, else why it cannot be there.
func figure(table map[string]string, what string, p *engine.Policy) string {
	switch is, ok := table[what]; {
	case ok:
		return is
	case strings.HasSuffix(what, "asking for the ceiling") && p.RetryAfter.Mode == engine.RetryAfterIgnore:
		return "Retry-After is not heard"
	case strings.HasSuffix(what, "before the timeout") && p.Timeout == 0:
		return "no timeout"
	default:
		return "nothing says why"
	}
}

// retries tells whether a policy that has no other limit retries a status, as a run of it does.
func retries(t *testing.T, p *engine.Policy, status int) bool {
	t.Helper()
	known, ok := retried.Load(p.RetryOn)
	if !ok {
		var set engine.StatusSet
		q := *p
		q.Attempts, q.Timeout, q.Methods, q.Budget, q.RetryAfter.Mode, q.RequiredOn = 2, 0, engine.MethodsAny, engine.BudgetRule{}, engine.RetryAfterIgnore, engine.StatusSet{}
		for s := 300; s <= 599; s++ {
			if play(t, q, fmt.Sprint(s), "GET", 0).Done.Attempts == 2 {
				set.Add(s)
			}
		}
		known, _ = retried.LoadOrStore(p.RetryOn, set)
	}
	set, _ := known.(engine.StatusSet)
	return set.Has(status)
}

// retried are the statuses that runs retried, by the policy's rule.
var retried sync.Map

// inWords tells whether a status is in a list like "429, 5xx (not 501, 505)".
func inWords(words string, status int) bool {
	in, but := false, false
	for w := range strings.SplitSeq(words, ", ") {
		if before, first, ok := strings.Cut(w, " (not "); ok {
			in = in || spans(before, status)
			w, but = first, true
		}
		w, last := strings.CutSuffix(w, ")")
		if spans(w, status) {
			in = !but
		}
		but = but && !last
	}
	return in
}

// spans tells whether a word like 429, 500-504 or 5xx stands for a status.
func spans(word string, status int) bool {
	lo, hi, isRange := strings.Cut(word, "-")
	switch {
	case len(word) == 3 && strings.HasSuffix(word, "xx"):
		lo, hi = word[:1]+"00", word[:1]+"99"
	case !isRange:
		hi = lo
	}
	a, err := strconv.Atoi(lo)
	b, err2 := strconv.Atoi(hi)
	return err == nil && err2 == nil && a <= status && status <= b
}

// statuses are the ones a run retries, and those it does not.
func (g *page) statuses(cells []string) {
	for s := 300; s <= 599; s++ {
		does := retries(g.t, &g.is.Policy, s)
		if inWords(cells[1], s) != does || does && inWords(cells[2], s) || !does && !inWords(cells[2], s) && !strings.Contains(cells[2], "every other") {
			g.left = append(g.left, fmt.Sprintf("%d (a run retries it: %v) in %q", s, does, strings.Join(cells, " | ")))
		}
	}
}

// serverWait is the sentence about Retry-After and the budget: knobs, and a run that keeps to the ceiling.
func (g *page) serverWait(line string) {
	g.known(line)
	p := g.is.Policy
	if !strings.HasPrefix(line, "Retry-After:") || !strings.Contains(line, "deferred") || p.Ceiling%time.Second != 0 || p.Ceiling == engine.NoCeiling || p.RetryOn.Statuses == (engine.StatusSet{}) {
		return
	}
	p.Attempts, p.Timeout, p.Methods, p.Budget = 2, 0, engine.MethodsAny, engine.BudgetRule{}
	at := func(seconds time.Duration) engine.Result {
		return play(g.t, p, fmt.Sprintf("%s after=%d, 200", fallback(&p, true), seconds), "GET", 0).Done.Result
	}
	if within, above := at(p.Ceiling/time.Second), at(p.Ceiling/time.Second+1); within != engine.ResultSucceeded || above != engine.ResultDeferred {
		g.left = append(g.left, fmt.Sprintf("%s (within %s, above %s)", line, within, above))
	}
}

// wait is a row of the waits: each end of a window is a wait of a run, and their sum is what a run waited until then.
func (g *page) wait(cells []string) {
	if g.is.Policy.Jitter.Kind != engine.JitterSmooth { // whose longest waits do not follow each other
		g.known(strings.ReplaceAll(strings.Join(cells[:len(cells)-1], " | "), "–", " – "))
	}
	k, err := strconv.Atoi(cells[0])
	if err != nil {
		g.left = append(g.left, strings.Join(cells, " | "))
		return
	}
	var sum time.Duration
	for i := 1; i <= k; i++ {
		_, hi := g.is.Policy.Bounds(i)
		sum += hi
	}
	if last := cells[len(cells)-1]; same(last) != same(engine.FormatDuration(sum)) {
		g.left = append(g.left, fmt.Sprintf("%s, and all waits are %s", strings.Join(cells, " | "), sum))
	}
}

var (
	findingID = regexp.MustCompile("`([a-z0-9-]+)`")
	andMore   = regexp.MustCompile(`and (\d+) more`)
	aStatus   = regexp.MustCompile(`\b[345]\d\d\b`)
)

// finding is a sentence of a rule: statuses that a run retries (or, of 429, does not), how many more such there are, and numbers
// of runs and knobs.
func (g *page) finding(line string) {
	id := findingID.FindStringSubmatch(line)[1]
	line = findingID.ReplaceAllString(line, "")
	p := &g.is.Policy
	if m := andMore.FindStringSubmatch(line); m != nil {
		n := -len(aStatus.FindAllString(line, -1))
		for s := 400; s < 500; s++ {
			if retries(g.t, p, s) && !slices.Contains([]int{408, 409, 421, 423, 425, 429}, s) {
				n++
			}
		}
		if fmt.Sprint(n) != m[1] {
			g.left = append(g.left, fmt.Sprintf("%d more in %q", n, line))
		}
		line = andMore.ReplaceAllString(line, "")
	}
	line = aStatus.ReplaceAllStringFunc(line, func(word string) string {
		s, _ := strconv.Atoi(word)
		if retries(g.t, p, s) == (id == "no-429") {
			return word
		}
		return ""
	})
	if id == "cuts-retry-after" && play(g.t, *p, fallback(p, true)+" after=1", "GET", 0).Done.Result == engine.ResultDeferred {
		line = strings.ReplaceAll(line, "of 1s", "")
	}
	g.known(line)
}

// rows are the tables of two columns.
func rows(text string) map[string]string {
	out := map[string]string{}
	for name, cells := range cells(text) {
		if len(cells) == 1 {
			out[name] = cells[0]
		}
	}
	return out
}

// TestEveryNumberOfAPageIsOneOfARun: presets, planted faults and policies of all kinds, alone and against each other.
func TestEveryNumberOfAPageIsOneOfARun(t *testing.T) {
	t.Parallel()
	texts := []string{
		"attempts=4", "attempts=1", "attempts=6 timeout=6s attempt-timeout=1s", "attempts=12 timeout=30s attempt-timeout=none", "attempts=5 retry-on=503 attempt-timeout=2s timeout=20s",
		"attempts=4 jitter=equal curve=linear cap=500ms ceiling=10s", "attempts=3 retry-on=503,-reset,transport methods=GET", "attempts=9 jitter=scale:0.5..1.5 base=333ms factor=1.7", "attempts=10 jitter=none curve=fibonacci budget=tokens:30/10/1",
		"attempts=5 retry-after=bounded:5s ceiling=60s", "attempts=5 retry-after=clamp:5s jitter=equal", "attempts=4 over-ceiling=cut ceiling=20s", "attempts=4 over-ceiling=own ceiling=20s",
		"attempts=10 budget=tokens:30/10/1 throttle-cost=5 timeout-cost=3", "attempts=10 budget=tokens:30/5/1 timeout-cost=10 jitter=none", "attempts=4 retry-after-on=429,503 required-on=503", "attempts=4 reads=seconds,fraction spread=2s",
		"attempts=4 methods=GET unsent=listed", "attempts=4 throttle-base=2s timeout=30s attempt-timeout=3s", "attempts=4 hints=retry-after-ms,ratelimit-reset", "attempts=4 required-on=503 retry-on=429,503", "attempts=4 required-on=503 retry-on=503,transport attempt-timeout=none",
	}
	for _, r := range lint.Rules() {
		texts = append(texts, r.Fires)
	}
	var all []lint.Subject
	for _, text := range texts {
		p, err := engine.ParsePolicy(text, engine.Default())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, lint.Subject{Name: text, Policy: p})
	}
	for _, id := range []string{"carom", "default", "first-principles", "server-led", "curl", "axios-retry", "polly-v8", "urllib3"} {
		if p, ok := presets.Get(id); ok {
			all = append(all, lint.Subject{Name: id, Policy: p.Policy, Preset: id})
		}
	}
	all = slices.DeleteFunc(all, func(s lint.Subject) bool { return s.Policy.RetryAfter.Mode == engine.RetryAfterRequired })
	carom, _ := presets.Get("carom")
	for i, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			shown := map[string]bool{}
			for _, was := range []*lint.Subject{nil, {Name: "carom", Policy: carom.Policy, Preset: "carom"}, &all[(i+7)%len(all)]} {
				g := &page{t: t, is: s, was: was, text: lint.Page(s, was, lint.Context{}), shown: shown}
				g.check()
			}
		})
	}
}
