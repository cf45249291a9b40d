package ui

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/sim"
)

// distKind is what answers the calls of a distribution.
type distKind uint8

// The kinds.
const (
	distScript distKind = iota // the script of the timeline, each call from its start
	distChance                 // each attempt fails by chance
	distOutage                 // all attempts fail for a while
	numDistKinds
)

var distKindWords = [...]string{"script", "chance", "outage"}

// distDoc is what many calls of one policy meet. It is never written to: a change makes another one.
type distDoc struct {
	kind     distKind
	p        float64
	outage   time.Duration
	deadline time.Duration // 0 for none
	against  *laneDoc      // the second policy, nil for none
}

// firstDist is what is there before anything is chosen.
var firstDist = distDoc{kind: distChance, p: 0.5, outage: 5 * time.Second, deadline: time.Second}

// meets is what the calls of a doc meet.
func (d *doc) meets() *distDoc {
	if d.dist == nil {
		return &firstDist
	}
	return d.dist
}

// distLanes is how many policies are held against each other: one or two.
func (d *doc) distLanes() int {
	if d.meets().against != nil {
		return 2
	}
	return 1
}

// distLane is one of them; 0 is the screen's own.
func (d *doc) distLane(i int) laneDoc {
	if l := d.meets().against; i > 0 && l != nil {
		return *l
	}
	return laneDoc{d.policy, d.base, d.name}
}

// distEdit has other calls.
type distEdit struct {
	dist distDoc
	what string
}

func (e distEdit) apply(d *doc) string {
	d.dist = &e.dist
	return e.what
}

// againstEdit makes an edit of a policy one of the second policy.
type againstEdit struct{ edit edit }

func (e againstEdit) apply(d *doc) string {
	one := *d
	l := d.distLane(1)
	one.policy, one.base, one.name = l.policy, l.base, l.name
	what := e.edit.apply(&one)
	next := *d.meets()
	next.against = &laneDoc{one.policy, one.base, one.name}
	d.dist = &next
	return "B " + what
}

// distKey is what a distribution depends on: the same key, the same draws.
type distKey struct {
	policy, against engine.Policy
	two             bool
	kind            distKind
	p               float64
	outage          time.Duration
	deadline        time.Duration
	seed            uint64
	script          *script.Script
	request         string // what of the request decides
}

func distKeyOf(d *doc) distKey {
	m := d.meets()
	k := distKey{policy: d.policy, kind: m.kind, deadline: m.deadline, seed: d.seed}
	if m.against != nil {
		k.two, k.against = true, m.against.policy
	}
	switch m.kind {
	case distChance:
		k.p = m.p
	case distOutage:
		k.outage = m.outage
	case distScript:
		k.script = d.script
	case numDistKinds:
	}
	k.request = methodOf(&d.request)
	if keyed(&d.request) {
		k.request += " keyed"
	}
	return k
}

// distConfig is what is drawn.
func distConfig(d *doc, wall time.Time) (sim.DistConfig, error) {
	m := d.meets()
	c := sim.DistConfig{Policy: d.policy, Deadline: m.deadline, Seed: d.seed, Method: d.request.Method, Keyed: keyed(&d.request)}
	if m.against != nil {
		p := m.against.policy
		c.Against = &p
	}
	switch m.kind {
	case distChance:
		c.Source = sim.DistFailing{P: m.p}
	case distOutage:
		c.Source = sim.DistOutage{Down: m.outage}
	case distScript:
		a, err := lab.NewSource(d.script, d.policy, d.request, wall)
		if err != nil {
			return c, err
		}
		c.Source = a
		if c.Against != nil {
			b, err := lab.NewSource(d.script, *c.Against, d.request, wall)
			if err != nil {
				return c, err
			}
			c.AgainstSource = b
		}
	case numDistKinds:
	}
	return c, nil
}

// distKnob is a setting of what the calls meet.
type distKnob struct {
	label, words, hint string
	get                func(*distDoc) string
	set                func(*distDoc, string) error
	next               func(m *distDoc, by int, coarse bool)
	off                func(*distDoc) string
}

var (
	errDistKind = errors.New("against: script, chance or outage")
	errShare    = errors.New("a share of 0% to 100%, or 0 to 1")
	errWait     = errors.New("a time with its unit, up to a year: 1.5s")
)

// distKnobs are the settings, in their order.
var distKnobs = [...]distKnob{
	{
		label: "against", words: "what answers: the script of the timeline, chance, or an outage that all attempts meet", hint: "script, chance or outage",
		get: func(m *distDoc) string { return distKindWords[m.kind] },
		set: func(m *distDoc, s string) error {
			for i, w := range distKindWords {
				if s == w {
					m.kind = distKind(i) //nolint:gosec // it is one of three
					return nil
				}
			}
			return errDistKind
		},
		next: func(m *distDoc, by int, _ bool) {
			n := int(numDistKinds)
			m.kind = distKind((int(m.kind) + by%n + n) % n) //nolint:gosec // it is one of three
		},
	},
	{
		label: "outage", words: "every attempt fails until so long after the start of its call", hint: "a time above 0: 5s",
		get:  func(m *distDoc) string { return engine.FormatDuration(m.outage) },
		set:  func(m *distDoc, s string) error { return setWait(&m.outage, s) },
		next: func(m *distDoc, by int, coarse bool) { m.outage = stepSpan(m.outage, by, coarse, false) },
		off:  func(m *distDoc) string { return offUnless(m, distOutage) },
	},
	{
		label: "chance", words: "each attempt fails by this chance, whatever happened before", hint: "30% or 0.3",
		get: func(m *distDoc) string { return strconv.FormatFloat(m.p*100, 'g', 12, 64) + "%" },
		set: func(m *distDoc, s string) error {
			number, percent := strings.CutSuffix(s, "%")
			x, err := strconv.ParseFloat(number, 64)
			if percent {
				x /= 100
			}
			if err != nil || !(x >= 0 && x <= 1) {
				return errShare
			}
			m.p = x
			return nil
		},
		next: func(m *distDoc, by int, coarse bool) {
			if coarse {
				by *= 5
			}
			m.p = min(max(float64(int(m.p*100+0.5)+5*by)/100, 0), 1)
		},
		off: func(m *distDoc) string { return offUnless(m, distChance) },
	},
	{
		label: "deadline", words: "how long a call may take to be of use: it is measured by, and cuts nothing short", hint: "a time, or none",
		get: func(m *distDoc) string {
			if m.deadline == 0 {
				return "none"
			}
			return engine.FormatDuration(m.deadline)
		},
		set: func(m *distDoc, s string) error {
			if s == "none" || s == "0" {
				m.deadline = 0
				return nil
			}
			return setWait(&m.deadline, s)
		},
		next: func(m *distDoc, by int, coarse bool) {
			if coarse {
				by *= coarseRungs
			}
			m.deadline = reach{top: time.Hour, hasEnd: true}.step(m.deadline, by)
		},
	},
}

func offUnless(m *distDoc, k distKind) string {
	if m.kind == k {
		return ""
	}
	return "against " + distKindWords[m.kind]
}

func setWait(to *time.Duration, s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > sim.MaxDistTime {
		return errWait
	}
	*to = d
	return nil
}

// distRows are the rows of the settings.
func distRows(m *distDoc) []knobRow {
	rows := make([]knobRow, len(distKnobs))
	for i := range distKnobs {
		k := &distKnobs[i]
		rows[i] = knobRow{label: k.label, value: k.get(m), changed: k.get(m) != k.get(&firstDist)}
		if k.off != nil {
			rows[i].note = k.off(m)
			rows[i].off = rows[i].note != ""
		}
	}
	return rows
}
