package ui

import (
	"sync"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// maxLanes is how many policies are compared at once; the first is always the screen's own.
const maxLanes = 5

// laneDoc is a policy beside the screen's own.
type laneDoc struct {
	policy, base engine.Policy
	name         string
}

// fleetDoc is the fleet that a doc is tried in: the scenario and the policies beside the screen's own. It is never written
// to: a change makes another one.
type fleetDoc struct {
	scenario, title string
	config          *sim.Config // without policy and seed
	lanes           []laneDoc   // B and on
}

// firstScenario is the one that is there before one is picked: the one whose verdicts differ most.
const firstScenario = "metastable"

var firstFleet = sync.OnceValue(func() *fleetDoc {
	for _, s := range scenarios() {
		if s.Name == firstScenario {
			return fleetOf(&s)
		}
	}
	c := sim.DefaultFleet()
	return &fleetDoc{scenario: "herd", title: "clients come back at once", config: &c}
})

// fleetOf is a scenario with its policies.
func fleetOf(s *sim.Scenario) *fleetDoc {
	c := s.Fleet
	f := &fleetDoc{scenario: s.Name, title: s.Title, config: &c}
	for _, text := range s.Policies {
		p, err := engine.ParsePolicy(text, engine.Default())
		if err == nil && len(f.lanes) < maxLanes-1 {
			f.lanes = append(f.lanes, laneDoc{p, p, text})
		}
	}
	return f
}

// inFleet is the fleet of a doc.
func (d *doc) inFleet() *fleetDoc {
	if d.fleet == nil {
		return firstFleet()
	}
	return d.fleet
}

// lane is a policy of the fleet by its number; 0 is the screen's own.
func (d *doc) lane(i int) laneDoc {
	if lanes := d.inFleet().lanes; i > 0 && i <= len(lanes) {
		return lanes[i-1]
	}
	return laneDoc{d.policy, d.base, d.name}
}

// label is the policy's name, or where it is no longer that the name and what differs.
func (l *laneDoc) label() string {
	if l.policy == l.base {
		return l.name
	}
	return l.policy.Short(l.name, l.base)
}

// numLanes is how many policies the fleet compares.
func (d *doc) numLanes() int { return 1 + len(d.inFleet().lanes) }

// The edits of a fleet.
type (
	// laneEdit makes an edit of a policy one of another lane.
	laneEdit struct {
		lane int
		edit edit
	}
	// lanesEdit has other lanes, fieldEdit other settings, scenarioEdit all of it anew.
	lanesEdit struct {
		lanes []laneDoc
		what  string
	}
	fieldEdit struct {
		config *sim.Config
		what   string
	}
	scenarioEdit struct{ fleet *fleetDoc }
)

func (e laneEdit) apply(d *doc) string {
	one := *d
	l := d.lane(e.lane)
	one.policy, one.base, one.name = l.policy, l.base, l.name
	what := e.edit.apply(&one)
	f := *d.inFleet()
	f.lanes = append([]laneDoc(nil), f.lanes...)
	f.lanes[e.lane-1] = laneDoc{one.policy, one.base, one.name}
	d.fleet = &f
	return laneLetter(e.lane) + " " + what
}

func (e lanesEdit) apply(d *doc) string {
	f := *d.inFleet()
	f.lanes = e.lanes
	d.fleet = &f
	return e.what
}

func (e fieldEdit) apply(d *doc) string {
	f := *d.inFleet()
	f.config = e.config
	d.fleet = &f
	return e.what
}

func (e scenarioEdit) apply(d *doc) string {
	d.fleet = e.fleet
	return "scenario " + e.fleet.scenario
}

func laneLetter(i int) string { return fleetLetters[i : i+1] }

// subject is what the next key changes: the doc, or where another lane is chosen the doc with the policy of that one.
func (m *Model) subject() doc {
	d := m.doc
	if i, l, ok := m.otherLane(); ok && i > 0 {
		d.policy, d.base, d.name = l.policy, l.base, l.name
	}
	return d
}

// otherLane is the chosen lane of the view in front, where it is not the screen's own.
func (m *Model) otherLane() (int, laneDoc, bool) {
	switch m.stage {
	case stageFleet, stageHeat:
		i := m.fleet.chosen(&m.doc)
		return i, m.doc.lane(i), i > 0
	case stageDist:
		i := m.dist.chosen(&m.doc)
		return i, m.doc.distLane(i), i > 0
	case stageCall, numStages:
	}
	return 0, laneDoc{}, false
}

// aimed turns an edit of a policy into one of the chosen lane.
func (m *Model) aimed(e edit) edit {
	i, _, ok := m.otherLane()
	if !ok {
		return e
	}
	switch e.(type) {
	case policyEdit, namedEdit:
		if m.stage == stageDist {
			return againstEdit{e}
		}
		return laneEdit{i, e}
	}
	return e
}
