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
