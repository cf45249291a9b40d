package cli

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
)

// never is a time that does not come.
const never = time.Duration(-1)

// freshSeeds is how many seeds there are to choose from where none is given: few enough to be typed again, and to be a
// whole number in every reader of JSON.
const freshSeeds = 1_000_000

// plan is what the flags say, read and checked before anything starts.
type plan struct {
	config     lab.Config
	policyName string
	policyBase engine.Policy // the policy of that name, without the knobs' own flags
	live       bool
	sends      int // the most of a session of real requests
	scriptText string
}

// faults collects all that is wrong.
type faults []error

func (f *faults) add(err error) {
	if err != nil {
		*f = append(*f, err)
	}
}

func (f *faults) addf(format string, args ...any) { f.add(fmt.Errorf(format, args...)) }

// err is all of it as bad input, nil where nothing is wrong.
func (f *faults) err() error {
	if err := errors.Join(*f...); err != nil {
		return &usageError{err}
	}
	return nil
}

// plan reads everything that was given and names all that is wrong with it at once.
func (f *flags) plan(in *input, args []string) (*plan, error) {
	var bad faults
	p := &plan{live: len(args) == 1}
	c := &p.config
	c.Policy, p.policyBase, p.policyName = f.readPolicy(in, &bad)
	c.Request = f.request(in, &bad)
	if p.live {
		c.Request.URL = args[0]
		bad.add(checkURL(args[0]))
		f.onlyScripted(&bad)
	} else {
		p.scriptText, c.Script = f.readScript(in, &bad)
		if f.send {
			bad.addf("--send: for a URL, and there is none")
		}
	}
	c.Seed = f.readSeed(&bad)
	f.scriptedRun(c, &bad)
	if sends, err := strconv.Atoi(f.maxSends.value); err != nil || sends < 1 {
		bad.addf("--max-sends %q: a whole number, 1 or more", f.maxSends.value)
	} else {
		p.sends = sends
		if p.live {
			c.MaxSends = sends
		}
	}
	if !p.live && f.given("max-sends") && f.set.Lookup("realtime") != nil { // the screen of a script can go over to a URL
		bad.addf("--max-sends: for a URL, and there is none; --attempts bounds a scripted run")
	}
	return p, bad.err()
}

// readPolicy is the policy of --policy with the knobs' own flags on top, and the one under it with its name.
func (f *flags) readPolicy(in *input, bad *faults) (p, base engine.Policy, name string) {
	loaded := true
	if f.given("policy") && strings.TrimSpace(f.policy.value) == "" {
		bad.addf("--policy %q: it is empty", f.policy.value)
	}
	p, base, name, err := loadPolicy(in.ctx, f.policy.value)
	if err != nil {
		bad.add(err)
		loaded = false
	}
	if f.given("attempts") && f.given("retries") {
		bad.addf("--attempts and --retries: one of them; retries=N is attempts=N+1")
	}
	for _, k := range knobs() {
		if !f.given(k.name) {
			continue
		}
		if err := p.Set(k.name, f.knobs[k.name].value); err != nil {
			bad.add(asFlag(err))
			loaded = false
		}
	}
	if loaded { // else it would be judged by what was not read
		bad.add(p.Validate())
	}
	return p, base, name
}

// asFlag puts the error of a knob in the words of its flag.
func asFlag(err error) error {
	var fe *engine.FieldError
	if !errors.As(err, &fe) {
		return err
	}
	return fmt.Errorf("--%s %q: %s", fe.Field, fe.Value, fe.Allowed)
}

// onlyScripted refuses the flags that a live run could not obey.
func (f *flags) onlyScripted(bad *faults) {
	for _, name := range []string{"script", "draw", "cancel-at", "sign-out-at", "now", "realtime"} {
		if f.given(name) {
			bad.addf("--%s: for a scripted run, and there is a URL", name)
		}
	}
}

func (f *flags) readSeed(bad *faults) uint64 {
	if !f.given("seed") {
		return rand.Uint64N(freshSeeds)
	}
	seed, err := strconv.ParseUint(f.seed.value, 10, 64)
	if err != nil {
		bad.addf("--seed %q: a whole number from 0 to 18446744073709551615", f.seed.value)
	}
	return seed
}

// scriptedRun reads what only a scripted run has.
func (f *flags) scriptedRun(c *lab.Config, bad *faults) {
	c.Draw, c.CancelAt, c.SignOutAt = -1, never, never
	if f.given("draw") {
		u, err := strconv.ParseFloat(f.draw.value, 64)
		if err != nil || !(u >= 0 && u <= 1) {
			bad.addf("--draw %q: a number from 0 to 1", f.draw.value)
		}
		c.Draw = u
	}
	for _, at := range []struct {
		name string
		from *text
		to   *time.Duration
	}{{"cancel-at", &f.cancelAt, &c.CancelAt}, {"sign-out-at", &f.signOutAt, &c.SignOutAt}} {
		if !f.given(at.name) {
			continue
		}
		d, err := engine.ParseDuration(at.from.value)
		if err != nil || d < 0 {
			bad.addf("--%s %q: 0 or more, with a unit: 200ms, 1.5s, 2m, 1h", at.name, at.from.value)
		}
		*at.to = d
	}
	c.Wall = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if f.given("now") {
		t, err := time.Parse(time.RFC3339, f.now.value)
		if err != nil {
			bad.addf("--now %q: a time like 2026-01-01T00:00:00Z", f.now.value)
		}
		c.Wall = t
	}
}

// readScript is the script that was given, or the built-in one.
func (f *flags) readScript(in *input, bad *faults) (string, *script.Script) {
	source := BuiltInScript
	if f.given("script") {
		source = f.script.value
		if !byTime(source) {
			var err error
			if source, err = in.at("--script", source); err != nil {
				bad.add(err)
				return "", nil
			}
		}
	}
	s, err := script.Parse(source)
	if err != nil {
		for _, fault := range script.Faults(err) {
			bad.addf("--script: %w", fault)
		}
	}
	return source, s
}

// byTime tells a script by time, which begins like "@0s 503", from the name of a file.
func byTime(source string) bool {
	at, ok := strings.CutPrefix(firstWord(source), "@")
	_, err := time.ParseDuration(strings.TrimSuffix(at, ","))
	return ok && err == nil
}
