// Command emptyscreen is a Bubble Tea program that shows one word and ends with q: the floor for a screen that idles.
package main

import (
	"os"

	tea "charm.land/bubbletea/v2"
)

type model struct{}

// Init does nothing.
func (model) Init() tea.Cmd { return nil }

// Update ends the program with q.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "q" {
		return m, tea.Quit
	}
	return m, nil
}

// View is always the same.
func (model) View() tea.View {
	v := tea.NewView("idle")
	v.AltScreen = true
	return v
}

func main() {
	if _, err := tea.NewProgram(model{}).Run(); err != nil {
		os.Exit(1) //nolint:forbidigo // this is a main, in a module of its own
	}
}
