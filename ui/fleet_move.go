package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
)

// moveStage gives a motion to the part in focus.
func (m *Model) moveStage(mo motion) tea.Cmd {
	f := &m.fleet
	rows := max(m.paint.lay.parts[f.focus].H, 1)
	by, coarse := mo.sideways()
	switch f.focus {
	case partChart:
		m.moveChart(mo, by, coarse)
	case partPolicy:
		if by != 0 {
			return m.apply(turnKnob{f.policy.current(), by, coarse})
		}
		f.policy.list.move(mo, int(knobMethod), rows)
	case partFields:
		if by != 0 {
			m.turnField(by, coarse)
			return nil
		}
		m.fieldList().move(mo, len(f.others), rows)
	case numParts:
	}
	return nil
}

// fieldList is the place in the settings of the view in front.
func (m *Model) fieldList() *list {
	if m.stage == stageDist {
		return &m.dist.fields
	}
	return &m.fleet.fields
}

func (m *Model) moveChart(mo motion, by int, coarse bool) {
	f := &m.fleet
	if m.stage == stageDist {
		m.moveDist(mo, by)
		return
	}
	if by != 0 {
		if coarse {
			by *= 10
		}
		m.stepFleet(by)
		return
	}
	switch mo {
	case moveFirst:
		f.seek(0)
	case moveLast:
		f.seek(engine.Forever)
	case moveUp, moveDown, moveLeft, moveRight, moveFarLeft, moveFarRight, movePageUp, movePageDown:
		l := list{at: f.chosen(&m.doc)}
		l.move(mo, m.doc.numLanes(), m.doc.numLanes())
		f.lane = l.at
	}
}

// stepFleet moves the cursor by time spans.
func (m *Model) stepFleet(by int) {
	f := &m.fleet
	f.cursor.playing = false
	span := f.span()
	f.seek((f.cursor.at/span + time.Duration(by)) * span)
}

func (m *Model) sayLanes(text string) { m.say(fmt.Sprintf("%s (at most %d)", text, maxLanes)) }

// stagePointer takes a click or a turn of the wheel in a view of many calls.
func (m *Model) stagePointer(msg tea.MouseMsg, at tea.Mouse) tea.Cmd {
	q := numParts
	for i := range numParts {
		if m.paint.lay.parts[i].Has(at.X, at.Y) {
			q = i
		}
	}
	if q == numParts {
		return nil
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		m.fleet.focus = q
		if at.Button == tea.MouseWheelUp {
			return m.moveStage(moveUp)
		}
		if at.Button == tea.MouseWheelDown {
			return m.moveStage(moveDown)
		}
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft {
			m.fleet.focus = q
			r := m.paint.lay.parts[q]
			m.stageClick(q, at.X-r.X, at.Y-r.Y)
		}
	}
	return nil
}

// stageClick chooses what lies there: a lane and a moment, or a knob.
func (m *Model) stageClick(q stagePart, x, y int) {
	f := &m.fleet
	switch q {
	case partChart:
		if m.stage == stageDist {
			return
		}
		for i, r := range f.chart.Lanes {
			if r.Has(x, y) {
				f.lane = i
			}
		}
		if f.chart.Chart.Has(x, y) {
			f.cursor.playing = false
			f.seek(f.chart.Axis.Time(x - f.chart.Chart.X))
		}
	case partPolicy:
		f.policy.at = min(f.policy.top+y, int(knobMethod)-1)
	case partFields:
		at := m.fieldList()
		at.at = min(at.top+y, len(f.others)-1)
	case numParts:
	}
}
