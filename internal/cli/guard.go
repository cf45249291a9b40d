package cli

import (
	"context"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
)

// guard is a model whose panics end the program with their stack as the cause. The library recovers them too, but prints
// the stack of a command on the screen that it is about to leave: nobody could read it.
type guard struct {
	model tea.Model
	stop  context.CancelCauseFunc
}

// caught is deferred; it ends the program if there was a panic.
func (g *guard) caught() {
	if v := recover(); v != nil {
		g.stop(&engine.PanicError{Value: v, Stack: debug.Stack()})
	}
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
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = g.command(batch[i])
			}
		}
		return msg
	}
}
