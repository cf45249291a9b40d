package ui

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// fieldKnob is a setting of a fleet as a knob.
type fieldKnob struct {
	name, label, words, allowed string
	get                         func(*sim.Config) string
	set                         func(*sim.Config, string) error
	// next is the value a step on; "" where there is none.
	next func(c *sim.Config, by int, coarse bool) string
}

// fieldOrder is the order of the knobs: what one turns first. What is not named comes after them.
var fieldOrder = []string{
	"faults", faultLength, "rate", "clients", "capacity", "workers", "service", "queue", "latency", "fail", "budget", "throttle",
	"retry-after", "retry-after-law", "cancel", "drop-expired", "order", "law", "layers", "load", "stagger", "think", "refusal-cost",
}

const faultLength = "fault-length"

// fieldKnobs are the knobs of a fleet.
var fieldKnobs = sync.OnceValue(func() []fieldKnob {
	var out []fieldKnob
	all := sim.Fields()
	for i := range all {
		f := &all[i]
		out = append(out, fieldKnob{
			name: f.Name, label: strings.ReplaceAll(f.Name, "-", " "), words: f.Words, allowed: f.Allowed, get: f.Get, set: f.Set, next: stepOf(f),
		})
	}
	out = append(out, fieldKnob{
		name: faultLength, label: "fault length", words: "how long the first fault lasts", allowed: "a time above 0, with a unit: 10s",
		get: func(c *sim.Config) string {
			if len(c.Faults) == 0 {
				return "none"
			}
			return engine.FormatDuration(c.Faults[0].To - c.Faults[0].From)
		},
		set: setFaultLength,
		next: func(c *sim.Config, by int, coarse bool) string {
			if len(c.Faults) == 0 {
				return ""
			}
			return engine.FormatDuration(stepSpan(c.Faults[0].To-c.Faults[0].From, by, coarse, false))
		},
	})
	rank := func(k fieldKnob) int {
		if i := slices.Index(fieldOrder, k.name); i >= 0 {
			return i
		}
		return len(fieldOrder)
	}
	slices.SortStableFunc(out, func(a, b fieldKnob) int { return rank(a) - rank(b) })
	return out
})

var (
	errNoFault     = errors.New("there is no fault: the knob faults makes one")
	errFaultLength = errors.New("fault length: a time above 0, with a unit: 10s")
)

func setFaultLength(c *sim.Config, text string) error {
	if len(c.Faults) == 0 {
		return errNoFault
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return errFaultLength
	}
	c.Faults = slices.Clone(c.Faults)
	c.Faults[0].To = later(c.Faults[0].From, d)
	return nil
}

// fieldCycles are the words that a knob steps through.
var fieldCycles = map[string][]string{
	"load": {"herd", "stream", "population"}, "law": {"constant", "exponential", "lognormal"}, "retry-after-law": {"constant", "exponential", "lognormal"},
	"order": {"fifo", "lifo"}, "drop-expired": {"false", "true"}, "cancel": {"false", "true"}, "refusal": {"503", "429", "500"}, "method": {"GET", "POST"},
	"budget":        {"policy", "none", "aws:5/500", "grpc:0.1/10", "finagle:20/10", "envoy:20/3"},
	"throttle":      {"none", "adaptive:2", "breaker:5/10s"},
	"queue":         {"0", "1", "2", "5", "10", "20", "50", "100", "200", "500", "1000", "endless"},
	"budget-shared": {"0", "1", "10", "100"}, "throttle-shared": {"0", "1", "10", "100"},
}

// stepOf is how a field moves.
func stepOf(f *sim.Field) func(*sim.Config, int, bool) string {
	if words, ok := fieldCycles[f.Name]; ok {
		return func(c *sim.Config, by int, _ bool) string { return stepWord(f, words, f.Get(c), by) }
	}
	switch f.Name {
	case "stagger", "think", "latency", "service", "retry-after", "horizon", "bucket":
		return func(c *sim.Config, by int, coarse bool) string {
			d, err := time.ParseDuration(f.Get(c))
			if err != nil {
				return ""
			}
			return engine.FormatDuration(stepSpan(d, by, coarse, f.Name != "bucket"))
		}
	case "workers", "layers":
		return func(c *sim.Config, by int, coarse bool) string {
			n, _ := strconv.Atoi(f.Get(c)) // it is a count
			if coarse {
				by *= 10
			}
			return strconv.Itoa(max(n+by, 0))
		}
	case "fail", "refusal-cost":
		return func(c *sim.Config, by int, coarse bool) string { return stepShare(f.Get(c), by, coarse) }
	case "faults":
		return nextFault
	}
	return func(c *sim.Config, by int, coarse bool) string {
		x, err := strconv.ParseFloat(f.Get(c), 64)
		if err != nil {
			return "" // a rate with corners
		}
		return strconv.FormatFloat(stepNumber(x, by, coarse, f.Name != "clients" && f.Name != "rate"), 'f', -1, 64)
	}
}

// stepWord is cycle, but for a queue, which has two ends; a word with figures of its own takes the place of the one without.
func stepWord(f *sim.Field, words []string, now string, by int) string {
	if f.Name == "queue" {
		i := slices.Index(words, now)
		if i < 0 { // between two
			n, _ := strconv.Atoi(now)
			for i = 0; i < len(words)-2; i++ {
				if m, _ := strconv.Atoi(words[i+1]); m > n {
					break
				}
			}
			by = max(by, 0)
		}
		return words[min(max(i+by, 0), len(words)-1)]
	}
	s := knobSpec{words: words}
	return cycle(s.wordsFor(now), now, by)
}

// stepSpan moves a duration along 1-2-5.
func stepSpan(d time.Duration, by int, coarse, zero bool) time.Duration {
	if coarse {
		by *= coarseRungs
	}
	return reach{zero: zero, top: time.Hour}.step(d, by)
}

func stepShare(text string, by int, coarse bool) string {
	number, percent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return ""
	}
	step := 0.1
	if percent {
		step = 5
	}
	if coarse {
		step *= 5
	}
	x = max(math.Round((x+float64(by)*step)*1000)/1000, 0)
	if percent {
		return strconv.FormatFloat(min(x, 100), 'f', -1, 64) + "%"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// numberRungs are the steps of a number within a decade: fine enough to find a threshold.
var numberRungs = [...]float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}

// stepNumber moves a number by a rung, or by a whole decade.
func stepNumber(x float64, by int, coarse, zero bool) float64 {
	const least, most = 1, 1e6
	if coarse {
		by *= len(numberRungs)
	}
	for ; by > 0; by-- {
		x = nextRung(x, least, most)
	}
	for ; by < 0; by++ {
		switch y := previousRung(x); {
		case y >= least:
			x = y
		case zero:
			return 0
		default:
			return min(x, least)
		}
	}
	return x
}

func nextRung(x, least, most float64) float64 {
	if x < least {
		return least
	}
	ten := math.Pow(10, math.Floor(math.Log10(x)+1e-9))
	for _, r := range numberRungs {
		if y := math.Round(r * ten); y > x {
			return min(y, max(most, x))
		}
	}
	return min(10*ten, max(most, x))
}

func previousRung(x float64) float64 {
	if x <= 1 {
		return 0
	}
	ten := math.Pow(10, math.Floor(math.Log10(x)+1e-9))
	for i := len(numberRungs) - 1; i >= 0; i-- {
		if y := math.Round(numberRungs[i] * ten); y < x {
			return y
		}
	}
	return math.Round(0.8 * ten)
}

// nextFault goes through the kinds of faults, at the time of the first one.
func nextFault(c *sim.Config, by int, _ bool) string {
	at := "10s-20s"
	kinds := []string{"none", "down ", "hole ", "brownout ", "slow "}
	now := 0
	if len(c.Faults) > 0 {
		f := &c.Faults[0]
		at = engine.FormatDuration(f.From) + "-" + engine.FormatDuration(f.To)
		now = int(f.Kind) + 1
	}
	i := (now + by%len(kinds) + len(kinds)) % len(kinds)
	return [...]string{"none", kinds[1] + at, kinds[2] + at, kinds[3] + at + " 50%", kinds[4] + at + " x5"}[i]
}

// fieldOff is why a setting has no effect, "" where it has one.
func fieldOff(c *sim.Config, name string) string {
	kind := c.Load.Kind
	switch name {
	case "rate":
		if kind != sim.Open {
			return "no stream"
		}
	case "think":
		if kind != sim.Closed {
			return "no population"
		}
	case "stagger":
		if kind == sim.Open {
			return "a stream"
		}
	case "service", "law", "queue", "order", "drop-expired", "cancel":
		if c.Server.Workers == 0 {
			return "no workers"
		}
	case "burst":
		if c.Server.Limit == 0 {
			return "no capacity set"
		}
	case "retry-after-law":
		if c.Server.RetryAfter == 0 {
			return "no retry after"
		}
	case faultLength:
		if len(c.Faults) == 0 {
			return "no fault"
		}
	}
	return ""
}

// fieldRows are the rows of the settings. What differs from the scenario is marked.
func fieldRows(f *fleetDoc) []knobRow {
	var was *sim.Config
	for _, s := range scenarios() {
		if s.Name == f.scenario {
			was = &s.Fleet
		}
	}
	all := fieldKnobs()
	rows := make([]knobRow, len(all))
	for i := range all {
		k := &all[i]
		rows[i] = knobRow{label: k.label, value: k.get(f.config)}
		rows[i].note = fieldOff(f.config, k.name)
		rows[i].off = rows[i].note != ""
		rows[i].changed = was != nil && rows[i].value != k.get(was)
	}
	return rows
}

var scenarios = sync.OnceValue(sim.Scenarios)

// turnField moves a setting of the fleet by a step.
func (m *Model) turnField(by int, coarse bool) {
	if m.stage == stageDist {
		m.turnDist(by, coarse)
		return
	}
	k := &fieldKnobs()[m.fleet.fields.at]
	c := *m.doc.inFleet().config
	text := k.next(&c, by, coarse)
	if text == "" {
		m.say(k.label + " is typed: enter")
		return
	}
	m.setField(k, text)
}

// setField keeps a setting, or says why it cannot be.
func (m *Model) setField(k *fieldKnob, text string) {
	c, err := m.withField(k, text)
	switch {
	case err != nil:
		m.fail(err)
	case k.get(c) == k.get(m.doc.inFleet().config):
		m.say(k.label + " goes no further this way; enter types any value")
	default:
		m.commit(fieldEdit{c, k.label})
	}
}

// withField is the fleet with another setting, checked as a whole.
func (m *Model) withField(k *fieldKnob, text string) (*sim.Config, error) {
	c := *m.doc.inFleet().config
	if err := k.set(&c, text); err != nil {
		return nil, err
	}
	if k.name == "load" {
		complete(&c)
	}
	check := c
	check.Policy = m.doc.policy
	if err := check.Validate(); err != nil {
		return nil, firstOf(err)
	}
	return &c, nil
}

// firstOf is the first of several errors: a note is one line.
func firstOf(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok && len(all.Unwrap()) > 0 {
		return all.Unwrap()[0]
	}
	return err
}

// complete gives a load what it cannot be without.
func complete(c *sim.Config) {
	if c.Load.Kind == sim.Herd {
		return
	}
	if c.Horizon == 0 {
		c.Horizon = time.Minute
	}
	if c.Load.Kind == sim.Open && len(c.Load.Rate) == 0 {
		c.Load.Rate = []sim.RatePoint{{Rate: 100}}
	}
	if c.Load.Kind == sim.Closed && c.Load.Think == 0 {
		c.Load.Think = time.Second
	}
}

// typeField asks for the exact value of a setting.
func (m *Model) typeField() {
	if m.stage == stageDist {
		m.typeDist()
		return
	}
	k := &fieldKnobs()[m.fleet.fields.at]
	m.ask(&prompt{
		head: "Type " + k.label, label: k.name + " =", hint: k.words + ": " + k.allowed,
		field: newField(k.get(m.doc.inFleet().config), false),
		check: func(text string) (reply, error) {
			c, err := m.withField(k, text)
			if err != nil {
				return nil, err
			}
			return takes{fieldEdit{c, k.label}}, nil
		},
	})
}
