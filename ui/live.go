package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// liveRun is what is known of real requests.
type liveRun struct {
	liveState
	running bool
	// stopping says that it was stopped with the key that else quits.
	stopping bool
}

// liveState is one look at a live run.
type liveState struct {
	trace      *trace.Trace
	elapsed    time.Duration
	used, most int
}

// sendMsg asks for a send without a key.
type sendMsg struct{}

// glance looks at a live run as it is now.
func glance(l Live) *liveState {
	s := &liveState{trace: l.Snapshot(), elapsed: l.Elapsed()}
	s.used, s.most = l.Sends()
	return s
}

// take takes over a look at the run; it runs until its trace says that it is done.
func (l *liveRun) take(s *liveState) {
	l.liveState = *s
	if s.trace != nil && s.trace.Done != nil {
		l.running = false
	}
}

// send asks each time where the request may do its work twice, and sends.
func (m *Model) send() tea.Cmd {
	if m.live.running {
		m.say("a send is under way: x stops it")
		return nil
	}
	r := &m.doc.request
	if m.doc.policy.Safety(r.Method, keyed(r)).Idempotent() {
		return m.start()
	}
	words := methodOf(r) + " is not idempotent: every send may do its work once more. With an idempotency key (i) a server that knows it does it once."
	if _, held := lab.LivePolicy(m.doc.policy, r); held {
		words = methodOf(r) + " is not idempotent: to a URL it is sent once, whatever methods says. With an idempotency key (i) it is retried."
	}
	m.ask(&confirm{
		head:  "Send for real?",
		lines: []string{methodOf(r) + " " + trace.RedactURL(r.URL), words},
		yes:   sends{},
	})
	return nil
}

// start begins a live run.
func (m *Model) start() tea.Cmd {
	if m.opts.Live == nil || m.live.running {
		return nil
	}
	if err := m.opts.Live.Start(m.doc.policy, m.doc.request); err != nil {
		m.fail(err)
		return nil
	}
	m.live.running, m.live.stopping = true, false
	m.live.take(glance(m.opts.Live))
	m.line.sel = 0
	m.cursor.playing = false
	m.paint.forget()
	return nil
}
