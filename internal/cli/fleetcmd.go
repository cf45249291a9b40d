package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// fleetFlags are those of fleet and of its sweep, as they were given.
type fleetFlags struct {
	*flags

	policies                      texts
	scenario, outage, seeds, over text
	fields                        map[string]*text
	asCSV                         bool
}

// maxFleets is how many policies are compared in one call; maxSeeds how many runs of each.
const (
	maxFleets = 8
	maxSeeds  = 10_000
)

func newFleet(env *Env) *cobra.Command {
	f := &fleetFlags{policies: texts{word: "P"}, seeds: text{value: "1"}}
	c := &cobra.Command{
		Use:   "fleet",
		Short: "What policies do to a server: many clients, one outage",
		Long: `fleet has many clients with one policy call one server in virtual time, and says
whether it recovers from a trouble, is vulnerable to a heavier one, stays stuck in
its own retries, or gives up (a herd of whose calls less than 50% succeed); and what
that costs in load and in time to success. Where a run is too short to tell, that is
unknown. Several policies meet the same chance. Without anything said, 1000 clients
call at once, and the server, which lets in 200 calls a second, is down for the first
ten seconds.

The table has, for each policy: after, the time from the end of the trouble until all
is well again, of a herd until its last call has ended; success, the share of the
ended calls that succeed (many that have not ended are told of below); sent/call,
attempts for each call; peak/s, the most attempts sent in a whole second, and that
over the capacity; wasted, the share of the served calls whose client had given up;
p50 and p99 of the time to success. - stands where there is none.

Exit status: 0 done, 2 bad input, 129 hung up, 130 cancelled (what was finished is
printed, marked as partial), 143 terminated. 'retryscope help figures' lists the
fields of --json and --csv, 'retryscope help scenarios' those of a scenario.`,
		Example: `  retryscope fleet --policy 'attempts=unlimited jitter=none' --policy 'attempts=unlimited'
  retryscope fleet --scenario metastable --seeds 5
  retryscope fleet --policy aws-full --clients 100000 --capacity 20000 --outage 10s --json
  retryscope fleet sweep --policy 'attempts=3' --over load=0.5:2:0.1`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := f.plan(cmd.Context())
			if err != nil {
				return err
			}
			return runFleet(cmd.Context(), env, p, f)
		},
	}
	f.common(c)
	f.set.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	f.set.BoolVar(&f.asCSV, "csv", false, "print the time buckets as CSV, a row a policy and bucket")
	f.set.BoolVar(&f.ascii, "ascii", false, "draw with ASCII alone")
	c.AddCommand(newSweep(env))
	return c
}

// common are the flags of fleet and of its sweep.
func (f *fleetFlags) common(c *cobra.Command) {
	f.flags = newFlags(c)
	f.set.Var(&f.policies, "policy", "a preset, a saved policy, a TOML file, or a text like 'carom attempts=6'; may be given again")
	f.words(
		wordFlag{&f.scenario, "scenario", "", "NAME", "start from a scenario: " + strings.Join(sim.ScenarioNames(), ", ") + ", or a TOML file"},
		wordFlag{&f.outage, "outage", "", "D", "the server is down from 0s for so long, or FROM-TO; in place of all faults"},
		wordFlag{&f.seeds, "seeds", "", "N", "runs of each policy, for standard errors"},
		wordFlag{&f.seed, "seed", "", "N", "seed of the first run; the next ones count up (1)"},
	)
	f.fields = map[string]*text{}
	for _, field := range sim.Fields() {
		v := new(text)
		f.fields[field.Name] = v
		help := field.Words
		if field.Word == "V" {
			help += ": " + field.Allowed
		}
		f.words(wordFlag{v, field.Name, "", field.Word, help})
	}
}

// fleetPlan is what the flags of fleet say, read and checked before anything starts.
type fleetPlan struct {
	scenario sim.Scenario
	story    string // of the scenario, where it is run as it is
	seeds    int
	fleets   []sim.Config // one a policy
	names    []string     // of the policies, short
}

// plan reads everything that was given and names all that is wrong with it at once.
func (f *fleetFlags) plan(ctx context.Context) (*fleetPlan, error) {
	return f.planOn(ctx, sim.Scenario{Name: "herd", Title: "clients come back at once after an outage", Fleet: sim.DefaultFleet()})
}

// planOn is plan with a fleet to start from where no scenario is given.
func (f *fleetFlags) planOn(ctx context.Context, start sim.Scenario) (*fleetPlan, error) {
	var bad faults
	p := &fleetPlan{scenario: start}
	if f.given("scenario") {
		s, err := readScenario(ctx, f.scenario.value)
		bad.add(err)
		p.scenario = s
		if !f.changed() {
			p.story = s.Story
		}
	}
	base := &p.scenario.Fleet
	f.readFields(base, &bad)
	f.fit(base, &bad)
	if f.given("outage") {
		f.readOutage(base, &bad)
	}
	if base.Bucket == sim.DefaultBucket && !f.given("bucket") {
		base.Bucket = sim.FitBucket(base.Horizon)
	}
	if f.asJSON && f.asCSV {
		bad.addf("--json and --csv: one of them")
	}
	if f.given("seed") {
		seed, err := strconv.ParseUint(f.seed.value, 10, 64)
		if err != nil {
			bad.addf("--seed %q: a whole number from 0 to %d", f.seed.value, uint64(1<<64-1))
		}
		base.Seed = seed
	}
	var err error
	if p.seeds, err = strconv.Atoi(f.seeds.value); err != nil || p.seeds < 1 || p.seeds > maxSeeds {
		bad.addf("--seeds %q: a whole number from 1 to %d", f.seeds.value, maxSeeds)
	}
	f.readPolicies(ctx, p, &bad)
	if err := bad.err(); err != nil {
		return nil, err
	}
	for i := range p.fleets {
		if err := p.fleets[i].Validate(); err != nil {
			return nil, &usageError{flagged(err)}
		}
	}
	return p, nil
}

// readFields puts the settings that were given on top of a fleet.
func (f *fleetFlags) readFields(c *sim.Config, bad *faults) {
	for _, field := range sim.Fields() {
		if !f.given(field.Name) {
			continue
		}
		if err := field.Set(c, f.fields[field.Name].value); err != nil {
			bad.addf("--%w", err)
		}
	}
}

// changed tells whether anything is said that makes another fleet of a scenario.
func (f *fleetFlags) changed() bool {
	for name := range f.fields {
		if f.given(name) {
			return true
		}
	}
	return f.given("outage") || f.given("policy") || f.given("over")
}

// readPolicies makes a fleet for each policy: those given, else those of the scenario, else the default one.
func (f *fleetFlags) readPolicies(ctx context.Context, p *fleetPlan, bad *faults) {
	texts := f.policies.values
	if len(texts) == 0 {
		texts = p.scenario.Policies
	}
	if len(texts) == 0 {
		texts = []string{"default"}
	}
	if len(texts) > maxFleets {
		bad.addf("--policy: %d of them, and at most %d are compared at once", len(texts), maxFleets)
		return
	}
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			bad.addf("--policy %q: it is empty", text)
			continue
		}
		policy, under, name, err := loadPolicy(ctx, text)
		if err == nil {
			err = policy.Validate()
		}
		if err != nil {
			bad.add(err)
			continue
		}
		c := p.scenario.Fleet
		c.Policy = policy
		p.fleets = append(p.fleets, c)
		p.names = append(p.names, fleetName(&policy, name, &under))
	}
}

// fleetName is what a policy is called beside others: its own name, or what it changes.
func fleetName(p *engine.Policy, name string, under *engine.Policy) string {
	return p.Short(name, *under)
}

// readOutage reads D or FROM-TO.
func (f *fleetFlags) readOutage(c *sim.Config, bad *faults) {
	value := f.outage.value
	if !strings.Contains(value, "-") {
		value = "0s-" + value
	}
	if err := c.Set("faults", "down "+value); err != nil {
		bad.addf("--outage %q: a time above 0 with its unit, like 10s, or FROM-TO, like 10s-20s", f.outage.value)
	}
}

// scenarioLimit is how long a scenario's file may be.
const scenarioLimit = 1 << 20

// readScenario finds a built-in scenario by its name, or reads a file.
func readScenario(ctx context.Context, name string) (sim.Scenario, error) {
	all := sim.Scenarios()
	if i := slices.IndexFunc(all, func(s sim.Scenario) bool { return s.Name == name }); i >= 0 {
		return all[i], nil
	}
	text, err := slurp(ctx, scenarioLimit, func() (io.ReadCloser, error) { return os.Open(name) })
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, "./\\") {
		return sim.Scenario{}, fmt.Errorf("--scenario %q: no such scenario and no such file; built in are %s", name, strings.Join(sim.ScenarioNames(), ", "))
	}
	if err != nil {
		return sim.Scenario{}, fmt.Errorf("--scenario: %w", err)
	}
	s, err := sim.ParseScenario(name, text)
	if err != nil {
		return s, fmt.Errorf("--scenario: %w", err)
	}
	return s, nil
}

// runFleet simulates one policy after the other, tells how far it is, and prints what there is in the end.
func runFleet(ctx context.Context, env *Env, p *fleetPlan, f *fleetFlags) error {
	all, stopped := p.simulate(ctx, newProgress(env.Stderr), false)
	if err := panicIn(stopped); err != nil {
		return err
	}
	var err error
	switch {
	case f.asJSON:
		err = fleetJSON(env.Stdout, p, all, stopped != nil)
	case f.asCSV:
		err = fleetCSV(env.Stdout, p, all)
	default:
		_, err = io.WriteString(env.Stdout, fleetText(p, all, stopped != nil, textWidth(env), f.ascii || !utf8Locale(env.Getenv)))
	}
	switch {
	case err != nil:
		return written(err)
	case stopped != nil:
		if f.asCSV { // its rows have no place for that
			_, _ = fmt.Fprintln(env.Stderr, "retryscope: partial: stopped before all runs were done")
		}
		return exitError(ExitCancelled)
	}
	return nil
}

// hugeFleet is from how many clients on one run is made at a time: it takes a gigabyte or more.
const hugeFleet = 2_000_000

// lanes is how many policies are simulated at the same time, and on how many cores each of them.
func (p *fleetPlan) lanes() (fleets, cores int) {
	cores = runtime.GOMAXPROCS(0)
	for i := range p.fleets {
		if p.fleets[i].Load.Clients >= hugeFleet {
			return 1, 1
		}
	}
	fleets = min(cores, len(p.fleets))
	return fleets, (cores + fleets - 1) / fleets
}

// simulate makes all runs, of several policies at the same time. Where ctx ends before, the error says so and what was
// finished is there. Slim summaries are without the run of the first seed.
func (p *fleetPlan) simulate(ctx context.Context, told *progress, slim bool) ([]*sim.Summary, error) {
	defer told.end()
	var mu sync.Mutex
	sum := 0.0
	shares := make([]float64, len(p.fleets))
	all := make([]*sim.Summary, len(p.fleets))
	errs := make([]error, len(p.fleets))
	fleets, cores := p.lanes()
	places := make(chan struct{}, fleets)
	var wg sync.WaitGroup
	for i := range p.fleets {
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			defer func() {
				if v := recover(); v != nil { // of the summary, or the progress: nobody else could recover it
					errs[i] = &engine.PanicError{Value: v, Stack: debug.Stack()}
				}
			}()
			all[i], errs[i] = sim.Runs(ctx, p.fleets[i], p.seeds, sim.Options{Cores: cores, Progress: func(share float64) {
				mu.Lock()
				defer mu.Unlock()
				sum += share - shares[i]
				shares[i] = share
				told.share(sum / float64(len(shares)))
			}})
			if slim && all[i] != nil {
				all[i].First = nil
			}
		})
	}
	wg.Wait()
	return all, errors.Join(errs...)
}

// share says how much is done, from 0 to 1.
func (p *progress) share(x float64) {
	if p.w == nil || time.Since(p.since) < progressAfter {
		return
	}
	const cells = 30
	full := min(int(x*cells), cells)
	_, _ = fmt.Fprintf(p.w, "\r[%s%s] %3d%%", strings.Repeat("#", full), strings.Repeat(".", cells-full), int(x*100))
	p.told = true
}
