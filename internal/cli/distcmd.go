package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/sim"
)

// distFlags are those of dist, as they were given.
type distFlags struct {
	*flags

	fail, outage, against, deadline, draws text
}

func newDist(env *Env) *cobra.Command {
	f := &distFlags{draws: text{value: strconv.Itoa(sim.DefaultDraws)}}
	c := &cobra.Command{
		Use:   "dist",
		Short: "What a policy does to thousands of calls: success, waits, load",
		Long: `dist takes one policy through many calls in virtual time, each on its own: how
many succeed, how often they send, how long they wait, when each retry is sent.
Against what answers at once (--fail, --outage) the figures are exact where
there is a closed form; what is drawn says so, with its standard error (±).
With --against a second policy meets the same chance, call by call, so that a
difference is the policies'. 'help figures' lists the fields of --json.

Exit status: 0 done, 2 bad input, 129 hung up, 130 cancelled (what was finished
is printed, marked as partial), 131 quit, 143 terminated.`,
		Example: `  retryscope dist --policy 'attempts=10 base=100ms' --outage 10s --deadline 20s
  retryscope dist --policy default --against 'jitter=decorrelated' --fail 30%
  retryscope dist --policy carom --script '70% 200, 30% 503' --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := f.plan(&input{ctx: cmd.Context(), stdin: env.Stdin})
			if err != nil {
				return err
			}
			return runDist(cmd.Context(), env, p, f)
		},
	}
	f.flags = newFlags(c)
	f.words(
		wordFlag{&f.fail, "fail", "", "P", "each attempt fails with this chance, with a 503 at once: 0.3 or 30%"},
		wordFlag{&f.outage, "outage", "", "D", "every attempt fails, with a 503 at once, until so long after the start of the call"},
		wordFlag{&f.script, "script", "", "TEXT", "each call meets this script from its start; @FILE reads it from a file, @- from standard input"},
		wordFlag{&f.deadline, "deadline", "", "D", "how long a call may take to be of use; it is measured by, and cuts nothing short"},
		wordFlag{&f.draws, "draws", "", "N", "calls drawn of what has no closed form"},
		wordFlag{&f.seed, "seed", "", "N", "seed of every draw (a fresh one where it is not given, printed)"},
		wordFlag{&f.against, "against", "", "P", "a second policy, on the same chance; knobs' own flags are for the first"},
		wordFlag{&f.policy, "policy", "", "P", "start from a preset, a saved policy, a TOML file, or a text like 'carom attempts=6'"},
	)
	f.policyFlags()
	f.words(
		wordFlag{&f.method, "method", "X", "NAME", "method of the calls (GET)"},
		wordFlag{&f.key, "idempotency-key", "", "KEY", "sent with every attempt: a method that is not idempotent may then be retried"},
	)
	f.set.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	f.set.BoolVar(&f.ascii, "ascii", false, "draw with ASCII alone")
	return c
}

// distPlan is what the flags of dist say, read and checked before anything starts.
type distPlan struct {
	config sim.DistConfig
	names  []string // of the policies, short
	source distSource
}

// distSource is what answers, in words and figures.
type distSource struct {
	Kind     string   `json:"kind"`
	P        *float64 `json:"p,omitempty"`
	OutageMS *float64 `json:"outage_ms,omitempty"`
	Script   string   `json:"script,omitempty"`
	words    string
}

// plan reads everything that was given and names all that is wrong with it at once.
func (f *distFlags) plan(in *input) (*distPlan, error) {
	var bad faults
	p := &distPlan{}
	c := &p.config
	policy, base, name := f.readPolicy(in, &bad)
	c.Policy, p.names = policy, append(p.names, policy.Short(name, base))
	if f.given("against") {
		other, base, name, err := loadPolicy(in.ctx, f.against.value)
		switch {
		case strings.TrimSpace(f.against.value) == "":
			bad.addf("--against %q: it is empty", f.against.value)
		case err != nil:
			bad.addf("--against: %w", err)
		}
		c.Against, p.names = &other, append(p.names, other.Short(name, base))
	}
	r := f.request(in, &bad)
	c.Method, c.Keyed = r.Method, r.Key != ""
	c.Deadline = duration(&bad, "deadline", &f.deadline, f.given("deadline"))
	c.Draws = f.readDraws(&bad)
	c.Seed = f.readSeed(&bad)
	f.readSource(in, p, r, &bad)
	if err := bad.err(); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, &usageError{err}
	}
	return p, nil
}

// duration reads a time above 0 of at most a year; 0 where it is not given.
func duration(bad *faults, name string, from *text, given bool) time.Duration {
	if !given {
		return 0
	}
	d, err := time.ParseDuration(from.value)
	if err != nil || d <= 0 || d > sim.MaxDistTime {
		bad.addf("--%s %q: a time above 0, to %s, with its unit, like 1.5s", name, from.value, engine.FormatDuration(sim.MaxDistTime))
		return 0
	}
	return d
}

func (f *distFlags) readDraws(bad *faults) int {
	n, err := strconv.Atoi(f.draws.value)
	if err != nil || n < 1 || n > sim.MaxDraws {
		bad.addf("--draws %q: a whole number from 1 to %d", f.draws.value, sim.MaxDraws)
	}
	return n
}

// readSource reads what answers: the one of three flags that is given.
func (f *distFlags) readSource(in *input, p *distPlan, r lab.Request, bad *faults) {
	var given []string
	for _, name := range []string{"fail", "outage", "script"} {
		if f.given(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) != 1 {
		what := "there is none"
		if len(given) > 1 {
			what = "there are " + strings.Join(given, " and ")
		}
		bad.addf("--fail, --outage or --script: one of them says what the calls meet, and %s", what)
		return
	}
	switch given[0] {
	case "--fail":
		share, err := sim.ParseShare(f.fail.value)
		if err != nil {
			bad.addf("--fail %q: a chance from 0 to 1, or from 0%% to 100%%", f.fail.value)
		}
		p.config.Source = sim.DistFailing{P: share}
		p.source = distSource{Kind: "fail", P: &share, words: "each attempt fails with a chance of " + percent(share) + ", with a 503 at once"}
	case "--outage":
		down := duration(bad, "outage", &f.outage, true)
		ms := float64(down) / 1e6
		p.config.Source = sim.DistOutage{Down: down}
		p.source = distSource{Kind: "outage", OutageMS: &ms, words: "down from 0s to " + engine.FormatDuration(down) + ", with a 503 at once"}
	default:
		f.readScripted(in, p, r, bad)
	}
}

func (f *distFlags) readScripted(in *input, p *distPlan, r lab.Request, bad *faults) {
	_, s := f.readScript(in, bad)
	if len(*bad) > 0 || s == nil {
		return
	}
	var err error
	p.source = distSource{Kind: "script", Script: s.String(), words: s.String()}
	p.config.Source, err = scriptSource(s, p.config.Policy, r)
	if p.config.Against != nil && err == nil {
		p.config.AgainstSource, err = scriptSource(s, *p.config.Against, r)
	}
	if err != nil {
		bad.addf("--script: %w", err)
	}
}

// scriptSource keeps a nil *lab.Source from becoming a source that is not nil.
func scriptSource(s *script.Script, p engine.Policy, r lab.Request) (sim.DistSource, error) {
	src, err := lab.NewSource(s, p, r, time.Time{})
	if err != nil {
		return nil, err
	}
	return src, nil
}

// runDist draws, tells how far it is, and prints what there is in the end.
func runDist(ctx context.Context, env *Env, p *distPlan, f *distFlags) error {
	run, err := sim.NewDist(p.config)
	if err != nil {
		return &usageError{err}
	}
	stopped := drawAll(ctx, run, newProgress(env.Stderr))
	if err := panicIn(stopped); err != nil {
		return err
	}
	result := run.Result()
	if f.asJSON {
		err = distJSON(env.Stdout, p, result)
	} else {
		d := distText{ascii: f.ascii || !utf8Locale(env.Getenv), width: textWidth(env)}
		_, err = io.WriteString(env.Stdout, d.text(p, result))
	}
	switch {
	case err != nil:
		return written(err)
	case stopped != nil:
		return exitError(ExitCancelled)
	}
	return nil
}

// panicIn is the failure of what a panic ended; nil of what ended otherwise.
func panicIn(stopped error) error {
	var panicked *engine.PanicError
	if !errors.As(stopped, &panicked) {
		return nil
	}
	return failed(panicked)
}

// drawAll draws in steps short enough to say how far it is.
func drawAll(ctx context.Context, run *sim.DistRun, p *progress) error {
	defer p.end()
	step := 1000
	for run.Draws() < run.Wanted() {
		began := time.Now()
		if err := run.More(ctx, min(step, run.Wanted()-run.Draws())); err != nil {
			return err
		}
		p.tell(run.Draws(), run.Wanted())
		if time.Since(began) < progressStep {
			step *= 2
		}
	}
	return nil
}

// progressStep is about how long a step takes; progressAfter how long nothing is said.
const (
	progressStep  = 50 * time.Millisecond
	progressAfter = time.Second
)

// progress says on a terminal how far a long run is. Where there is no terminal it says nothing.
type progress struct {
	w     io.Writer
	since time.Time
	told  bool
}

func newProgress(stderr io.Writer) *progress {
	p := &progress{since: time.Now()}
	if f, ok := stderr.(*os.File); ok && term.IsTerminal(f.Fd()) {
		p.w = stderr
	}
	return p
}

func (p *progress) tell(done, all int) {
	if p.w == nil || time.Since(p.since) < progressAfter {
		return
	}
	const cells = 30
	full := done * cells / all
	_, _ = fmt.Fprintf(p.w, "\r[%s%s] %3d%% of %d", strings.Repeat("#", full), strings.Repeat(".", cells-full), done*100/all, all)
	p.told = true
}

// end wipes what was told.
func (p *progress) end() {
	if p.told {
		_, _ = io.WriteString(p.w, "\r\x1b[K")
	}
}
