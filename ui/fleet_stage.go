package ui

import tea "charm.land/bubbletea/v2"

// stage is what the screen shows: one call, or what the policy does to many.
type stage uint8

// The stages. Heat is a second picture of the fleet.
const (
	stageCall stage = iota
	stageDist
	stageFleet
	stageHeat
	numStages
)

// stagePart is a piece of a view of many calls, in the order of tab.
type stagePart uint8

const (
	partChart stagePart = iota
	partPolicy
	partFields
	numParts
)

// dialogH is how many lines a dialog has at the least.
const dialogH = 13

// stageLayout is where everything stands in a view of many calls.
// lanes are the bands of the picture, 0 for one that takes any room: what they leave over is for the knobs.
func stageLayout(w, h int, focus stagePart, full bool, lanes int) layout {
	l := layout{w: w, h: h, note: h - 2, noteH: 1, foot: h - 1, read: h - 3}
	switch {
	case w < leastW || h < leastH:
		l.small = true
		return l
	case full || w < wholeW || h < wholeH:
		l.single = true
		l.rules = []int{2}
		l.parts[focus] = Rect{0, 3, w, l.read - 3}
		l.modal = Rect{0, 2, min(w, modalW), h - 3}
		l.modal.X = (w - l.modal.W) / 2
		l.tall = l.modal
		return l
	}
	knobs := 4 + (h-wholeH)*3/8
	if chart := l.note - knobs - 2 - 3; lanes > 0 {
		band, strips := fleetRows(lanes, chart)
		knobs += max(chart-lanes*band-strips-2, 0)
	}
	y := l.note - knobs - 1
	l.read = y - 1
	l.rules = []int{2, y}
	l.cols = []int{w / 2}
	l.parts[partChart] = Rect{0, 3, w, l.read - 3}
	l.parts[partPolicy] = Rect{0, y + 1, w / 2, knobs}
	l.parts[partFields] = Rect{w/2 + 1, y + 1, w - w/2 - 1, knobs}
	l.modalLow = knobs + 2
	top := min(y, l.foot-dialogH) // some of the picture stays in sight: it shows what a dialog tries out
	l.modal = Rect{0, top, min(w, modalW), l.foot - top}
	l.modal.X = (w - l.modal.W) / 2
	l.tall = Rect{l.modal.X, 2, l.modal.W, l.foot - 2}
	return l
}

func (m *Model) stageLayout() layout {
	lanes := 0
	if m.stage == stageFleet {
		lanes = m.shownDoc().numLanes()
	}
	return stageLayout(m.paint.w, m.paint.h, m.fleet.focus, m.full, lanes)
}

// showing goes to a view of many calls, or back to the one call.
func showing(s stage) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		m.goTo(s)
		return nil
	}
}

func (m *Model) goTo(s stage) {
	if p := &m.paint; s != stageCall && (p.w < wholeW || p.h < wholeH) {
		m.fleet.focus = partChart // one part fills the screen: a view is its picture first
	}
	if m.stage == s {
		return
	}
	m.stage = s
	m.full = false
	m.cursor.playing, m.fleet.cursor.playing = false, false
	m.paint.forget()
}
