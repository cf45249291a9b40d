package cli

import (
	"context"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
)

// guard is a model whose panics end the program with their stack as the cause. The library recovers them too, but prints
// the stack of a command on the screen that it is about to leave: nobody could read it.
//
// It also holds a quit back for a moment while the terminal has not answered all that it was asked at the start: what
// came after the end would be typed into the shell.
type guard struct {
	model    tea.Model
	stop     context.CancelCauseFunc
	asked    int           // answers that are still to come
	answered chan struct{} // closed once none is
	patience time.Time     // until when they are waited for
}

const (
	// modesAsked is what the library asks for: two modes.
	modesAsked = 2
	// soon is how long after the start an answer may still come; wait is how long a quit waits for it.
	soon = time.Second
	wait = 400 * time.Millisecond
)

// newGuard guards a model that asks the terminal for that many answers, beside the library.
func newGuard(m tea.Model, stop context.CancelCauseFunc, asked int) *guard {
	return &guard{model: m, stop: stop, asked: asked + modesAsked, answered: make(chan struct{}), patience: time.Now().Add(soon)}
}

// answer counts an answer of the terminal.
func (g *guard) answer() {
	if g.asked--; g.asked == 0 {
		close(g.answered)
	}
}

// listen waits for the answers of the terminal, if it ended so early.
func (g *guard) listen() {
	if time.Now().After(g.patience) {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-g.answered:
	case <-timer.C:
	}
}

// caught is deferred; it ends the program if there was a panic.
func (g *guard) caught() {
	v := recover()
	if v == nil {
		return
	}
	panicked, ok := v.(*engine.PanicError) // of another goroutine, whose stack is the one to read
	if !ok {
		panicked = &engine.PanicError{Value: v, Stack: debug.Stack()}
	}
	g.stop(panicked)
}

// Init begins the model.
func (g *guard) Init() (cmd tea.Cmd) {
	defer g.caught()
	return g.command(g.model.Init())
}

// Update hands a message to the model.
func (g *guard) Update(msg tea.Msg) (m tea.Model, cmd tea.Cmd) {
	m = g
	defer g.caught()
	switch msg.(type) {
	case tea.ModeReportMsg, tea.BackgroundColorMsg:
		g.answer()
	}
	g.model, cmd = g.model.Update(msg)
	return g, g.command(cmd)
}

// View shows the model.
func (g *guard) View() (v tea.View) {
	defer g.caught()
	return g.model.View()
}

// command guards a command, and those that it stands for.
func (g *guard) command(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.caught()
		msg = cmd()
		switch msg := msg.(type) {
		case tea.BatchMsg:
			for i := range msg {
				msg[i] = g.command(msg[i])
			}
		case tea.QuitMsg:
			g.listen()
		}
		return msg
	}
}
