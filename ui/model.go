package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// Model is the screen. It holds values and routes messages; the parts decide, and what has to be done in the world is a
// function that was handed in.
type Model struct {
	opts  Options
	cmds  []command
	byKey map[string]int
	byID  map[string]int

	doc    doc  // what is kept
	tried  doc  // what a dialog tries out, while trying
	trying bool // the timeline shows tried
	hist   history

	run    *trace.Trace // the scripted run of the doc that shows
	live   liveRun
	cursor playback

	stage   stage
	fleet   fleetView
	dist    distView
	crowd   crowd
	leaving bool // nothing is begun any more
	focus   pane
	full    bool
	knobs   knobs
	line    linePane
	why     scroll
	answers scroll
	log     eventPane
	dialogs []dialog
	note    note
	look    appearance
	paint   painter
}

// note is what the latest key came to, in words; the next key takes it away.
type note struct {
	text    string
	style   Style
	shorter []string // the same where there is less room
}

// appearance is how the screen looks.
type appearance struct {
	theme        ThemeName
	light        bool
	ascii, mouse bool
}

// New makes the screen. A script that does not parse is an empty screen's worth of a bug in the caller: it is replaced
// by a plain 200.
func New(o Options) tea.Model {
	m := &Model{opts: o, cmds: commandTable[:], byKey: keyMap(commandTable[:]), byID: map[string]int{}}
	for i := range m.cmds {
		m.byID[m.cmds[i].id] = i
	}
	if m.opts.Run == nil {
		m.opts.Run = lab.Scripted
	}
	if o.PolicyName == "" {
		m.opts.PolicyName, m.opts.Base = "default", engine.Default()
	}
	text := o.Script
	s, err := script.Parse(text)
	if err != nil {
		text = "200"
		s, _ = script.Parse(text)
	}
	m.doc = doc{
		policy: o.Policy, name: m.opts.PolicyName, base: m.opts.Base, request: o.Request,
		text: text, script: s, seed: o.Seed, cancel: o.CancelAt, signOut: o.SignOutAt, live: o.Live != nil && !o.Scripted,
	}
	m.cursor = newPlayback()
	m.fleet = newFleetView()
	m.focus = panePolicy
	m.look = appearance{theme: o.Theme, ascii: o.ASCII, mouse: o.Mouse}
	m.refresh()
	m.setTheme()
	return m
}

// Init sends at once where that was asked for, and asks the terminal for its background where the theme depends on it.
func (m *Model) Init() tea.Cmd {
	var cmds []tea.Cmd
	if m.opts.Ask && m.look.theme == ThemeAuto {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if m.opts.SendAtOnce && m.doc.live {
		cmds = append(cmds, func() tea.Msg { return sendMsg{} })
	}
	return tea.Batch(cmds...)
}

// Update routes a message to the part that it is for, and keeps the one chain of ticks going while something moves.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	known := true
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		cmd = m.key(msg)
	case tea.PasteMsg:
		cmd = m.paste(msg.Content)
	case tea.WindowSizeMsg:
		m.paint.w, m.paint.h = msg.Width, msg.Height
	case tea.MouseMsg:
		cmd = m.pointer(msg)
	case tea.BackgroundColorMsg:
		m.look.light = !msg.IsDark()
		m.setTheme()
	case tea.ResumeMsg:
		m.resume()
	case frameMsg:
		known = m.frame(msg)
	case sendMsg:
		cmd = m.start()
	case fileMsg:
		cmd = m.filed(msg)
	case drawnMsg:
		cmd, known = m.takeDrawn(msg)
	case crowdMsg:
		known = m.crowd.take(msg)
	case laneMsg:
		cmd, known = m.takeLane(msg)
	default:
		known = false
	}
	m.paint.stale = m.paint.stale || known
	return m, tea.Batch(cmd, m.syncStage(), m.arm())
}

// shownDoc is the doc that the screen shows: what a dialog tries out, else what is kept.
func (m *Model) shownDoc() *doc {
	if m.trying {
		return &m.tried
	}
	return &m.doc
}

// trace is the run that the screen shows; never nil.
func (m *Model) trace() *trace.Trace {
	switch {
	case !m.shownDoc().live:
		return m.run
	case m.live.trace != nil:
		return m.live.trace
	default:
		return &trace.Trace{Head: m.shownDoc().head()}
	}
}

// tryGiveUp is after how many sends a run is given up that is only tried out, so that one can move as fast as the keys
// repeat.
const tryGiveUp = 200

// refresh runs the script of the doc that shows, and forgets what was made from the run before.
func (m *Model) refresh() {
	d := m.shownDoc()
	giveUp := lab.GiveUp
	if m.trying {
		giveUp = tryGiveUp
	}
	if !d.live {
		m.run = m.opts.Run(d.config(&m.opts, giveUp))
	}
	m.paint.forget()
	m.cursor.keep(m.trace())
}
