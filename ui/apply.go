package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
)

// key gives a key to the dialog on top, else to the command it stands for.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	m.note = note{}
	name := k.String()
	if i, ok := m.byKey[name]; ok && (m.cmds[i].id == "stop" || m.cmds[i].id == "suspend") {
		return m.runCommand(i) // these two hold everywhere: no field can be typed into with them
	}
	if d := m.dialog(); d != nil {
		return m.reply(d.key(k))
	}
	i, ok := m.byKey[name]
	if !ok {
		// On a keyboard of another script the key's place counts, where the terminal tells it.
		i, ok = m.byKey[k.Keystroke()]
	}
	if !ok {
		return nil
	}
	return m.runCommand(i)
}

// runCommand runs a command, or says why it is of no use now.
func (m *Model) runCommand(i int) tea.Cmd {
	c := &m.cmds[i]
	if m.stage != stageCall {
		if cmd, own := m.stageCommand(c.id); own {
			return cmd
		}
	}
	if c.can != nil {
		if why := c.can(m); why != "" {
			m.say(why)
			return nil
		}
	}
	return c.do(m)
}

// paste is one edit of the field in focus; where there is none it does nothing.
func (m *Model) paste(text string) tea.Cmd {
	d := m.dialog()
	if d == nil {
		m.say("a paste goes into a field: i edits the request, e the script", "a paste goes into a field: i request, e script")
		return nil
	}
	return m.reply(d.paste(text))
}

// dialog is the one on top, nil where there is none.
func (m *Model) dialog() dialog {
	if len(m.dialogs) == 0 {
		return nil
	}
	return m.dialogs[len(m.dialogs)-1]
}

// ask puts a dialog on top.
func (m *Model) ask(d dialog) { m.dialogs = append(m.dialogs, d) }

func (m *Model) leave() { m.dialogs = m.dialogs[:max(len(m.dialogs)-1, 0)] }

// reply acts on what came of a dialog.
func (m *Model) reply(a reply) tea.Cmd {
	switch a := a.(type) {
	case nil:
	case closed:
		m.leave()
		m.untry()
	case shows:
		m.try(a.edit)
	case restores:
		m.untry()
	case takes:
		m.leave()
		m.commit(a.edit)
	case runs:
		m.leave()
		return m.runCommand(a.command)
	case saves:
		if a.over {
			m.leave() // the question whether it may
		}
		return m.saveCmd(a)
	case opens:
		return m.openCmd(a)
	case reads:
		return m.readCmd(a)
	case copies:
		return m.copyCmd(a.text, a.what+": ", grouped(len(a.text))+" bytes")
	case raises:
		m.ask(a.dialog)
	case imports:
		m.leave()
		m.untry()
		return m.importFrom(a)
	case sends:
		m.leave()
		return m.start()
	}
	return nil
}

// try shows an edit without keeping it.
func (m *Model) try(e edit) {
	m.tried = m.doc
	m.aimed(e).apply(&m.tried)
	m.trying = true
	m.refresh()
}

// untry shows what is kept again.
func (m *Model) untry() {
	if m.trying {
		m.trying = false
		m.refresh()
	}
}

// commit keeps an edit; it can be taken back.
func (m *Model) commit(e edit) {
	m.trying = false
	next := m.doc
	what := m.aimed(e).apply(&next)
	m.change(next, what)
}

// change puts another doc in the place of the one that is kept.
func (m *Model) change(next doc, what string) {
	m.hist.push(&m.doc, what)
	m.become(next)
}

// become shows and keeps a doc; a run that is under way is told of its policy.
func (m *Model) become(next doc) {
	policy := next.policy != m.doc.policy
	m.doc = next
	if policy && m.live.running {
		if err := m.opts.Live.SetPolicy(next.policy); err != nil {
			m.fail(err)
		}
		m.live.take(glance(m.opts.Live))
	}
	m.refresh()
}

// apply does what a part wants to happen.
func (m *Model) apply(in intent) tea.Cmd {
	switch in := in.(type) {
	case nil:
	case turnKnob:
		return m.turn(in)
	case editKnob:
		return m.editKnob(in.knob)
	case typeKnob:
		return m.typeKnob(in.knob)
	case pickAttempt:
		m.pick(in.attempt)
	case pickNext:
		m.pickNext(in.by)
	case scrub:
		m.scrub(in)
	case toEdge:
		m.toEdge(in.end)
	}
	return nil
}

// turn moves a knob by a step.
func (m *Model) turn(t turnKnob) tea.Cmd {
	s := t.knob.spec()
	switch {
	case t.knob == knobMethod:
		r := m.doc.request
		r.Method = cycle(methodWords, methodOf(&r), t.by)
		m.commit(requestEdit{request: r})
		return nil
	case t.knob == knobRetryOn || !t.knob.ofPolicy():
		return m.editKnob(t.knob)
	}
	was := m.subject().policy
	p, err := turned(was, t.knob, t.by, t.coarse)
	switch {
	case err != nil:
		m.fail(err)
	case p == was:
		m.say(s.label+" goes no further this way; enter types any value", s.label+" goes no further; enter types")
	default:
		m.commit(policyEdit{p, s.label})
		m.recordedNote()
	}
	return nil
}

// recordedNote says why a knob that was turned moves nothing of a run that was recorded.
func (m *Model) recordedNote() {
	if m.doc.live && !m.live.running && m.live.trace != nil {
		m.say("counts from the next send (S); f tries it on the recorded answers", "counts from the next send (S); f: on recorded answers")
	}
}

// editKnob opens what a knob is set with.
func (m *Model) editKnob(k knob) tea.Cmd {
	rows := map[knob]int{knobMethod: rowMethod, knobURL: rowURL, knobKey: rowKey, knobBody: rowBody}
	if row, ok := rows[k]; ok {
		m.askRequest(row)
		return nil
	}
	if k == knobRetryOn {
		return m.editClassifier()
	}
	return m.typeKnob(k)
}

// typeKnob asks for the exact value of a knob. A wrong one says why, and the old one stays.
func (m *Model) typeKnob(k knob) tea.Cmd {
	if !k.ofPolicy() {
		return m.editKnob(k)
	}
	s := k.spec()
	old := m.subject().policy
	text, _ := old.Get(s.field)
	m.ask(&prompt{
		head: "Type " + s.label, label: s.field + " =", hint: s.hint, field: newField(text, false),
		check: func(text string) (reply, error) {
			p := old
			if err := p.Set(s.field, text); err != nil {
				return nil, err
			}
			if err := p.Validate(); err != nil {
				return nil, err
			}
			return takes{policyEdit{p, s.label}}, nil
		},
	})
	return nil
}

// say notes something, with shorter words for a narrow screen; fail notes an error.
func (m *Model) say(text string, shorter ...string) { m.note = note{text, Bold, shorter} }

func (m *Model) fail(err error) { m.note = note{text: err.Error(), style: Err} }

// undo takes back the latest change, redo does it again.
func (m *Model) undo() tea.Cmd {
	if m.live.running && m.hist.crosses(false, &m.doc) {
		m.say("a live run is under way: x stops it")
		return nil
	}
	d, what, ok := m.hist.undo(&m.doc)
	return m.wentBack(d, what, ok, "taken back: ", "nothing to take back")
}

func (m *Model) redo() tea.Cmd {
	if m.live.running && m.hist.crosses(true, &m.doc) {
		m.say("a live run is under way: x stops it")
		return nil
	}
	d, what, ok := m.hist.redo(&m.doc)
	return m.wentBack(d, what, ok, "done again: ", "nothing to do again")
}

func (m *Model) wentBack(d doc, what string, ok bool, done, none string) tea.Cmd {
	if !ok {
		m.say(none)
		return nil
	}
	m.become(d)
	m.say(done + what)
	return nil
}

// editClassifier opens the switches of what is retried.
func (m *Model) editClassifier() tea.Cmd {
	m.ask(newClassifier(m.subject().policy))
	return nil
}

// pickPreset opens the presets.
func (m *Model) pickPreset() tea.Cmd {
	d := newPresetDialog(m.subject().name)
	m.ask(d)
	return nil
}

// editScript opens the script.
func (m *Model) editScript() tea.Cmd {
	m.ask(newScriptDialog(m.doc.text, m.opts.Wall))
	return nil
}

// editRequest opens the request.
func (m *Model) editRequest() tea.Cmd {
	m.askRequest(rowMethod)
	return nil
}

// errNotHere is what is said of something that the caller handed no function for.
var errNotHere = fmt.Errorf("not possible here")

// newSeed draws a seed from the old one: the same key gives the same seeds in the same order.
func (m *Model) newSeed() tea.Cmd {
	const most = 1_000_000
	next := m.doc
	next.seed = engine.Bits(next.seed, engine.PurposeSeed, 0, 0) % most
	m.change(next, "seed")
	if m.opts.Draw >= 0 {
		m.say("every draw of jitter is fixed: a seed counts for steps by chance only", "the draws are fixed: a seed counts for 20% steps only")
	}
	return nil
}
