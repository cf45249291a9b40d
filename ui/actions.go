package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/trace"
)

// move gives a motion to the pane in focus and does what it wants.
func (m *Model) move(mo motion) tea.Cmd {
	rows := m.paint.lay.panes[m.focus].H
	switch m.focus {
	case paneTimeline:
		return m.apply(m.line.move(mo))
	case panePolicy:
		return m.apply(m.knobs.move(mo, max(rows, 1)))
	case paneWhy:
		return m.scrollOr(&m.why, mo, m.paint.whyRows, rows)
	case paneAnswer:
		return m.scrollOr(&m.answers, mo, m.paint.answerRows, rows)
	case paneEvents:
		return m.apply(m.log.move(mo, m.paint.eventRows, rows))
	case numPanes:
	}
	return nil
}

// scrollOr scrolls a text; sideways it goes to another attempt.
func (m *Model) scrollOr(s *scroll, mo motion, n, rows int) tea.Cmd {
	if by, _ := mo.sideways(); by != 0 {
		s.top = 0
		return m.apply(pickNext{by})
	}
	s.move(mo, n, max(rows, 1))
	return nil
}

// enter sets the knob in focus; elsewhere it shows the pane in full.
func (m *Model) enter() tea.Cmd {
	if m.focus == panePolicy {
		return m.apply(editKnob{m.knobs.current()})
	}
	return m.toggleFull()
}

func (m *Model) typeValue() tea.Cmd {
	if m.focus != panePolicy {
		m.say("a value is typed in the policy: 2 goes there")
		return nil
	}
	return m.apply(typeKnob{m.knobs.current()})
}

// escape leaves the full screen, else the chosen attempt.
func (m *Model) escape() tea.Cmd {
	switch {
	case m.full:
		m.full = false
	case m.line.sel != 0:
		m.line.sel = 0
		m.paint.stale = true
	default:
		m.cursor.playing = false
	}
	return nil
}

// cyclePane goes to the next pane that shows, or to the next at all where one fills the screen.
func (m *Model) cyclePane(by int) tea.Cmd {
	lay := m.layout()
	for range numPanes {
		m.focus = pane((int(m.focus) + by + int(numPanes)) % int(numPanes))
		if lay.single || lay.panes[m.focus].W > 0 {
			break
		}
	}
	return nil
}

// view goes to a pane, in full where the layout has no place for it.
func (m *Model) view(p pane) tea.Cmd {
	m.focus = p
	m.full = false
	if lay := m.layout(); !lay.single && lay.panes[p].W == 0 {
		m.full = true
	}
	return nil
}

func (m *Model) toggleFull() tea.Cmd {
	m.full = !m.full
	return nil
}

func (m *Model) togglePlay() tea.Cmd {
	c := &m.cursor
	c.last = time.Time{}
	if c.playing {
		c.playing = false
		return nil
	}
	if endOf(m.trace()) <= 0 {
		m.say("the run takes no time: there is nothing to play")
		return nil
	}
	if c.atEnd {
		c.toStart(m.trace())
	}
	c.playing = true
	m.line.sel = 0
	return nil
}

func (m *Model) again() tea.Cmd {
	m.cursor.toStart(m.trace())
	m.cursor.playing = false
	return m.togglePlay()
}

func (m *Model) changeSpeed(by int) tea.Cmd {
	m.cursor.speed = min(max(m.cursor.speed+by, 0), len(speeds)-1)
	m.say("plays at " + speedWords[m.cursor.speed] + " times real time")
	return nil
}

// stepEvent moves the cursor to the next or the previous event.
func (m *Model) stepEvent(by int) tea.Cmd {
	t := m.trace()
	c := &m.cursor
	c.playing = false
	m.line.sel = 0
	all := moments(t)
	if by > 0 {
		for _, at := range all {
			if at > c.at && !c.atEnd {
				c.seek(at, t)
				return nil
			}
		}
		c.seek(endOf(t), t)
		return nil
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] < c.at && all[i] > startOf(t) {
			c.at, c.atEnd = all[i], false
			return nil
		}
	}
	c.toStart(t)
	return nil
}

// cancel stops a live run at once; on a script it cancels where the cursor is.
func (m *Model) cancel() tea.Cmd {
	if m.doc.live {
		if !m.live.running {
			m.say("nothing is under way")
			return nil
		}
		m.opts.Live.Cancel()
		m.say("stopped")
		return nil
	}
	at, where, ok := m.interruptAt()
	if !ok {
		return nil
	}
	next := m.doc
	next.cancel = at
	m.change(next, "cancel")
	m.sayCut("cancelled at "+FormatTime(at), where)
	return nil
}

// signOut moves the session's generation on, now or at the cursor.
func (m *Model) signOut() tea.Cmd {
	if m.doc.live {
		if !m.live.running {
			m.say("nothing is under way")
			return nil
		}
		m.opts.Live.SignOut()
		m.say("signed out")
		return nil
	}
	at, where, ok := m.interruptAt()
	if !ok {
		return nil
	}
	next := m.doc
	next.signOut = at
	m.change(next, "sign-out")
	m.sayCut("signed out at "+FormatTime(at), where)
	return nil
}

// sayCut says what was ended, where, and how it goes on again.
func (m *Model) sayCut(what, where string) {
	m.say(what+where+": u brings it back", what+where+": u undoes it", what+": u undoes it")
}

// interruptAt is the moment of the cursor. Where the whole run shows there is nothing left to interrupt: then it is the
// middle of the last wait, the latest in which it changes something.
func (m *Model) interruptAt() (at time.Duration, where string, ok bool) {
	if !m.cursor.atEnd {
		return m.cursor.at, "", true
	}
	if m.doc.cancel >= 0 || m.doc.signOut >= 0 {
		m.say("the run is cut short already: u brings it back; ← scrubs to another moment", "cut short already: u undoes it; ← scrubs")
		return 0, "", false
	}
	for i := len(m.run.Attempts) - 1; i >= 0; i-- {
		if w := &m.run.Attempts[i].Wait; w.Begun && w.For > 0 && !w.Cut {
			return w.Start + w.For/2, ", half of the last wait", true
		}
	}
	if a := m.run.Last(); a != nil && a.End > a.Start {
		return a.Start + (a.End-a.Start)/2, ", in the last attempt", true
	}
	m.say("nothing is left to interrupt at the end: 1 goes to the timeline, ← scrubs back", "nothing is left to interrupt: 1, then ← scrubs back")
	return 0, "", false
}

func (m *Model) putBack() tea.Cmd {
	if m.doc.cancel < 0 && m.doc.signOut < 0 {
		m.say("the run is neither cancelled nor signed out")
		return nil
	}
	next := m.doc
	next.cancel, next.signOut = never, never
	m.change(next, "cancel and sign-out taken off")
	return nil
}

// askRequest opens the request at a row.
func (m *Model) askRequest(row int) {
	r := m.doc.request
	d := newRequestDialog(m.doc.policy, r, trace.RedactURL(r.URL), row)
	d.live, d.canLive = m.doc.live, m.opts.Live != nil && !m.live.running
	m.ask(d)
}

func (m *Model) nextTheme() tea.Cmd {
	m.look.theme = (m.look.theme + 1) % (ThemeMono + 1)
	m.setTheme()
	m.say("theme " + m.look.theme.String())
	return nil
}

func (m *Model) toggleASCII() tea.Cmd {
	m.look.ascii = !m.look.ascii
	m.setTheme()
	return nil
}

func (m *Model) toggleMouse() tea.Cmd {
	m.look.mouse = !m.look.mouse
	if m.look.mouse {
		m.say("the mouse chooses panes, attempts, moments; shift: the terminal selects text", "the mouse chooses; with shift the terminal selects text")
	} else {
		m.say("the mouse is the terminal's again")
	}
	return nil
}

// openList opens the list of everything.
func (m *Model) openList() tea.Cmd {
	items := make([]listItem, len(m.cmds))
	for i := range m.cmds {
		c := &m.cmds[i]
		items[i] = listItem{name: c.title, about: c.about, find: c.id}
		if c.can != nil {
			items[i].off = c.can(m)
		}
		for j, k := range c.keys {
			if j > 0 {
				items[i].keys += " "
			}
			items[i].keys += keyName(k, m.paint.glyphs)
			items[i].find += " " + k
		}
	}
	m.ask(newFinder("Everything", "type to search  ↑↓ moves  enter runs it  esc leaves", items, func(i int, _ string) reply {
		if i < 0 {
			return nil
		}
		return runs{i}
	}))
	return nil
}

// stop stops a send that is under way, else quits.
func (m *Model) stop() tea.Cmd {
	if m.live.running && !m.live.stopping {
		m.live.stopping = true
		m.opts.Live.Cancel()
		m.say("stopped; once more quits")
		return nil
	}
	m.stopRuns()
	return tea.Quit
}

func (m *Model) suspend() tea.Cmd { return tea.Suspend }

func (m *Model) quit() tea.Cmd {
	m.stopRuns()
	if m.live.running {
		m.opts.Live.Cancel()
	}
	return tea.Quit
}
