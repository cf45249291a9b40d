package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// fileMsg is what came of a file: it was written, or read.
type fileMsg struct {
	done     string // what was done, for the note
	err      error
	there    saves          // what was to be saved, where err says that there is such a file
	policy   *engine.Policy // what was read
	name     string
	names    []string // the saved policies
	listed   bool
	saved    bool // the policy is now what its name means
	policyIs engine.Policy
}

// failer is a dialog that can say what went wrong with its answer.
type failer interface{ fail(error) }

// filed shows what came of a file: an error stands in the dialog that asked for it.
func (m *Model) filed(f fileMsg) {
	d := m.dialog()
	switch {
	case errors.Is(f.err, fs.ErrExist) && f.there.name != "":
		again := f.there
		again.over = true
		m.ask(&confirm{head: "Replace it?", lines: []string{trace.Clean(f.err.Error()), "What is in it now would be gone."}, yes: again})
		return
	case f.err != nil:
		if asked, ok := d.(failer); ok {
			asked.fail(f.err)
		} else {
			m.fail(f.err)
		}
		return
	case f.listed:
		m.ask(newOpenDialog(f.names))
		return
	}
	if _, ok := d.(failer); ok {
		m.leave()
	}
	switch {
	case f.policy != nil:
		m.commit(namedEdit{*f.policy, f.name, "policy " + f.name})
	case f.saved:
		m.doc.name, m.doc.base = f.name, f.policyIs
		m.paint.forget()
	}
	m.say(f.done)
}

// save asks for a name.
func (m *Model) save() tea.Cmd {
	if m.opts.Save == nil && m.opts.SaveRun == nil {
		m.fail(errNotHere)
		return nil
	}
	m.ask(newSaveDialog(m.doc.name, m.opts.SaveRun != nil, m.doc.live))
	return nil
}

func (m *Model) saveCmd(a saves) tea.Cmd {
	t, p := m.trace(), m.doc.policy
	save, saveRun := m.opts.Save, m.opts.SaveRun
	return func() tea.Msg {
		var path string
		err := errNotHere
		switch {
		case a.run && saveRun != nil:
			path, err = saveRun(a.name, t, a.over)
			return fileMsg{done: "the run is in " + path, err: err, there: a}
		case !a.run && save != nil:
			path, err = save(a.name, p, a.over)
		}
		return fileMsg{done: "the policy is in " + path, err: err, there: a, saved: true, name: baseName(a.name), policyIs: p}
	}
}

// open asks for the saved policies, and then which.
func (m *Model) open() tea.Cmd {
	if m.opts.Open == nil {
		m.fail(errNotHere)
		return nil
	}
	list := m.opts.List
	return func() tea.Msg {
		if list == nil {
			return fileMsg{listed: true}
		}
		names, err := list()
		return fileMsg{listed: true, names: names, err: err}
	}
}

func (m *Model) openCmd(a opens) tea.Cmd {
	open := m.opts.Open
	return func() tea.Msg {
		p, err := open(a.name)
		return fileMsg{done: "opened " + a.name, err: err, policy: &p, name: baseName(a.name)}
	}
}

func baseName(path string) string {
	if i := strings.LastIndexAny(path, "/\\"); i >= 0 {
		path = path[i+1:]
	}
	return strings.TrimSuffix(path, ".toml")
}

// copyPolicy copies the policy as an argument for a shell: to the clipboard, which a terminal may drop, and to a file.
func (m *Model) copyPolicy() tea.Cmd {
	text := shellQuote(m.doc.policy.String())
	write := m.opts.Copy
	return tea.Batch(tea.SetClipboard(text), func() tea.Msg {
		if write == nil {
			return fileMsg{done: "sent to the clipboard, if the terminal allows: " + text}
		}
		path, err := write(text)
		if err != nil {
			err = fmt.Errorf("sent to the clipboard, but not written: %w", err)
		}
		return fileMsg{done: "copied to the clipboard (if the terminal allows) and to " + path, err: err}
	})
}

// shellQuote makes one word of a text for a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
