package ui

import tea "charm.land/bubbletea/v2"

// pointer takes a click or a turn of the wheel. What lies where comes from the layout of the frame that was clicked on.
func (m *Model) pointer(msg tea.MouseMsg) tea.Cmd {
	if !m.look.mouse || m.dialog() != nil {
		return nil
	}
	at := msg.Mouse()
	if m.stage != stageCall {
		return m.stagePointer(msg, at)
	}
	q, ok := m.paneAt(at.X, at.Y)
	if !ok {
		return nil
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		m.focus = q
		if at.Button == tea.MouseWheelUp {
			return m.move(moveUp)
		}
		if at.Button == tea.MouseWheelDown {
			return m.move(moveDown)
		}
	case tea.MouseClickMsg:
		if at.Button == tea.MouseLeft {
			m.focus = q
			m.click(q, at.X, at.Y)
		}
	case tea.MouseMotionMsg:
		if at.Button == tea.MouseLeft && q == paneTimeline && m.focus == paneTimeline {
			m.click(q, at.X, at.Y)
		}
	}
	return nil
}

func (m *Model) paneAt(x, y int) (pane, bool) {
	for q := range numPanes {
		if m.paint.lay.panes[q].Has(x, y) {
			return q, true
		}
	}
	return 0, false
}

// click chooses what lies there: a knob, an attempt, or a moment.
func (m *Model) click(q pane, x, y int) {
	r := m.paint.lay.panes[q]
	x, y = x-r.X, y-r.Y
	switch q {
	case panePolicy:
		m.knobs.at = min(m.knobs.top+y, int(numKnobs)-1)
	case paneTimeline:
		if at, ok := m.paint.line.TimeAt(x); ok && !m.live.running {
			t := m.trace()
			m.cursor.playing = false
			m.cursor.seek(at, t)
		}
		if n := m.paint.line.AttemptAt(y); n > 0 {
			m.pick(n)
		}
	case paneWhy, paneAnswer, paneEvents, numPanes:
	}
}
