package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// stageCommand is a command in a view of many calls: what it does there, by its id; own is false for one that does the
// same everywhere.
func (m *Model) stageCommand(id string) (cmd tea.Cmd, own bool) {
	if by, ok := map[string]motion{
		"up": moveUp, "down": moveDown, "left": moveLeft, "right": moveRight, "far-left": moveFarLeft, "far-right": moveFarRight,
		"page-up": movePageUp, "page-down": movePageDown, "first": moveFirst, "last": moveLast,
	}[id]; ok {
		return m.moveStage(by), true
	}
	if strings.HasPrefix(id, "view-") && !stageViews[id] {
		m.goTo(stageCall)
		return nil, false
	}
	if (id == "script" || id == "request") && m.stage == stageDist {
		return nil, false // it is what the calls meet
	}
	switch id {
	case "send", "live", "replay", "cancel", "sign-out", "put-back", "script", "request", "save", "export", "page", "findings", "import":
		m.say("that is of one call: 1 goes to its timeline")
	case "esc":
		m.leaveStage()
	case "enter":
		return m.enterStage(), true
	case "type":
		return m.typeStage(), true
	case "next-pane":
		m.fleet.focus = (m.fleet.focus + 1) % numParts
	case "prev-pane":
		m.fleet.focus = (m.fleet.focus + numParts - 1) % numParts
	case "axis":
		if m.stage == stageDist {
			m.dist.linear = !m.dist.linear
			return nil, true
		}
		if m.fleet.scale = ScaleLog; m.shownScale() == ScaleLinear {
			m.fleet.scale = ScaleLinear
		}
		m.say("axis " + m.fleet.scale.String())
	default:
		return m.playCommand(id)
	}
	return nil, true
}

func (m *Model) shownScale() ScaleKind {
	if m.fleet.chart.Axis.Kind == ScaleLog {
		return ScaleLinear
	}
	return ScaleLog
}

// stageViews are the commands that go to a view of many calls.
var stageViews = map[string]bool{"view-dist": true, "view-fleet": true, "view-heat": true}

// playCommand is a command about time.
func (m *Model) playCommand(id string) (tea.Cmd, bool) {
	c := &m.fleet.cursor
	if m.stage == stageDist {
		switch id {
		case "play", "again", "next-event", "prev-event", "slower", "faster", "zoom-in", "zoom-out", "fit":
			m.say("nothing moves here: these are the figures of all calls")
			return nil, true
		}
		return nil, false
	}
	switch id {
	case "play":
		m.playFleet()
	case "again":
		c.at, c.atEnd, c.playing = 0, false, false
		m.playFleet()
	case "next-event":
		m.stepFleet(1)
	case "prev-event":
		m.stepFleet(-1)
	case "slower", "faster":
		by := 1
		if id == "slower" {
			by = -1
		}
		c.speed = min(max(c.speed+by, 0), len(speeds)-1)
		m.say("plays at " + speedWords[c.speed] + " times real time")
	case "zoom-in":
		m.zoomFleet(1)
	case "zoom-out":
		m.zoomFleet(-1)
	case "fit":
		m.fleet.zoom, m.fleet.from = 0, 0
	default:
		return nil, false
	}
	return nil, true
}

func (m *Model) playFleet() {
	c := &m.fleet.cursor
	c.last = time.Time{}
	if c.playing {
		c.playing = false
		return
	}
	if c.atEnd {
		c.at, c.atEnd = 0, false
	}
	c.playing = true
}

// advanceFleet moves the playing cursor on by what has passed since the frame before.
func (m *Model) advanceFleet(now time.Time) {
	f := &m.fleet
	c := &f.cursor
	passed := time.Second / playRate
	if !c.last.IsZero() {
		passed = now.Sub(c.last)
	}
	c.last = now
	f.seek(later(c.at, time.Duration(float64(passed)*speeds[c.speed])))
}

func (m *Model) zoomFleet(by int) {
	f := &m.fleet
	was := f.zoom
	if f.zoom = min(max(f.zoom+by, 0), 8); f.zoom == was {
		m.say("as far as it goes")
		return
	}
	span := f.chart.Axis.To() - f.chart.Axis.From
	if by > 0 {
		f.from = max(f.cursor.at-span/4, 0)
		if f.cursor.atEnd {
			f.from = f.chart.Axis.From
		}
	} else {
		f.from = max(f.from-span/2, 0)
	}
	if f.zoom == 0 {
		f.from = 0
	}
}

// leaveStage leaves the full screen, then the cursor, then the view.
func (m *Model) leaveStage() {
	f := &m.fleet
	switch {
	case m.full:
		m.full = false
	case !f.cursor.atEnd && m.stage != stageDist:
		f.cursor.playing, f.cursor.atEnd, f.cursor.at = false, true, f.end()
	default:
		m.goTo(stageCall)
	}
}

// enterStage sets the knob in focus; in the picture it fills the screen.
func (m *Model) enterStage() tea.Cmd {
	switch m.fleet.focus {
	case partPolicy:
		return m.apply(editKnob{m.fleet.policy.current()})
	case partFields:
		m.typeField()
	case partChart, numParts:
		m.full = !m.full
	}
	return nil
}

func (m *Model) typeStage() tea.Cmd {
	switch m.fleet.focus {
	case partPolicy:
		return m.apply(typeKnob{m.fleet.policy.current()})
	case partFields:
		m.typeField()
	case partChart, numParts:
		m.say("a value is typed at a knob: tab goes there")
	}
	return nil
}

// addLane puts a copy of the chosen lane at the end, and chooses it.
func (m *Model) addLane() tea.Cmd {
	d := &m.doc
	if m.stage == stageDist {
		m.addAgainst()
		return nil
	}
	if d.numLanes() == maxLanes {
		m.sayLanes("there is no room for another policy: d drops one")
		return nil
	}
	l := d.lane(m.fleet.chosen(d))
	lanes := append(append([]laneDoc(nil), d.inFleet().lanes...), l)
	m.commit(lanesEdit{lanes, "policy added"})
	m.fleet.lane = len(lanes)
	m.say(laneLetter(len(lanes)) + " is a copy of the chosen policy: turn its knobs, or p takes a preset")
	return nil
}

// dropLane takes the chosen lane away.
func (m *Model) dropLane() tea.Cmd {
	if m.stage == stageDist {
		m.dropAgainst()
		return nil
	}
	i := m.fleet.chosen(&m.doc)
	if i == 0 {
		m.say("A is the policy of all views and stays; choose another lane in the picture (tab, then up and down)")
		return nil
	}
	was := m.doc.inFleet().lanes
	lanes := append(append([]laneDoc(nil), was[:i-1]...), was[i:]...)
	m.commit(lanesEdit{lanes, "policy " + laneLetter(i) + " dropped"})
	m.say(laneLetter(i) + " is dropped: u brings it back")
	return nil
}

// pickScenario lets one of the built-in fleets be chosen.
func (m *Model) pickScenario() tea.Cmd {
	m.goToFleet()
	all := scenarios()
	items := make([]listItem, len(all))
	for i := range all {
		items[i] = listItem{name: all[i].Name, about: all[i].Title + ". " + strings.Join(strings.Fields(all[i].Story), " ")}
	}
	f := newFinder("Scenarios", "type to search  ↑↓ moves  enter takes it, with its policies  esc leaves", items, func(i int, _ string) reply {
		if i < 0 {
			return nil
		}
		return takes{scenarioEdit{fleetOf(&all[i])}}
	})
	f.below = 5
	m.ask(f)
	return nil
}

func (m *Model) goToFleet() {
	if m.stage != stageFleet && m.stage != stageHeat {
		m.goTo(stageFleet)
	}
}

// inFleetOnly says why a command is of no use elsewhere.
func inFleetOnly(m *Model) string {
	if m.stage == stageCall {
		return "policies are compared elsewhere: 6 and 7 go there"
	}
	return ""
}
