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
	of       dialog // the first of the dialogs that asked for it; nil for none
	done     string // what was done, for the note
	err      error
	there    saves          // what was to be saved, where err says that there is such a file
	policy   *engine.Policy // what was read
	text     *string        // what was read, by the dialog that reads it
	name     string
	names    []string // the saved policies
	listed   bool
	saved    bool // the policy is now what its name means
	policyIs engine.Policy
}

// failer is a dialog that can say what went wrong with its answer; reader is one that asked for a text.
type (
	failer interface{ fail(error) }
	reader interface{ read(path, text string) reply }
)

// asker is the first of the dialogs that are open.
func (m *Model) asker() dialog {
	if len(m.dialogs) == 0 {
		return nil
	}
	return m.dialogs[0]
}

// filed shows what came of a file: an error stands in the dialog that asked for it.
func (m *Model) filed(f fileMsg) tea.Cmd {
	asked := f.of != nil && m.asker() == f.of // it is still open
	switch {
	case f.err != nil:
		m.notFiled(&f, asked)
		return nil
	case f.listed:
		m.ask(newOpenDialog(f.names))
		return nil
	case f.text != nil:
		if r, ok := m.dialog().(reader); ok && asked {
			return m.reply(r.read(f.name, *f.text))
		}
		return nil
	}
	if asked {
		m.dialogs = m.dialogs[:0]
	}
	switch {
	case f.policy != nil:
		m.commit(namedEdit{*f.policy, f.name, "policy " + f.name})
	case f.saved:
		m.doc.name, m.doc.base = f.name, f.policyIs
		m.paint.forget()
	}
	m.say(f.done)
	return nil
}

// notFiled says what went wrong, or asks whether a file that is there may be replaced.
func (m *Model) notFiled(f *fileMsg, asked bool) {
	if asked && errors.Is(f.err, fs.ErrExist) && f.there.name != "" {
		again := f.there
		again.over = true
		m.ask(&confirm{head: "Replace it?", lines: []string{trace.Clean(f.err.Error()), "What is in it now would be gone."}, yes: again})
		return
	}
	if d, ok := m.dialog().(failer); ok && asked {
		d.fail(f.err)
		return
	}
	m.fail(f.err)
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
	t, p, of := m.trace(), m.doc.policy, m.asker()
	o := m.opts
	return func() tea.Msg {
		f := fileMsg{of: of, err: errNotHere, there: a}
		path := ""
		switch {
		case a.what == saveRun && o.SaveRun != nil:
			path, f.err = o.SaveRun(a.name, t, a.over)
			f.done = "the run is in " + path
		case a.what == saveText && o.SaveText != nil:
			path, f.err = o.SaveText(a.name, a.text, a.over)
			f.done = "saved to " + path
		case a.what == savePolicy && o.Save != nil:
			path, f.err = o.Save(a.name, p, a.over)
			f.done, f.saved, f.name, f.policyIs = "the policy is in "+path, true, baseName(a.name), p
		}
		return f
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
	open, of := m.opts.Open, m.asker()
	return func() tea.Msg {
		p, err := open(a.name)
		return fileMsg{of: of, done: "opened " + a.name, err: err, policy: &p, name: baseName(a.name)}
	}
}

func baseName(path string) string {
	if i := strings.LastIndexAny(path, "/\\"); i >= 0 {
		path = path[i+1:]
	}
	return strings.TrimSuffix(path, ".toml")
}

// readCmd reads a file for the dialog on top.
func (m *Model) readCmd(a reads) tea.Cmd {
	read, of := m.opts.Read, m.asker()
	return func() tea.Msg {
		if read == nil {
			return fileMsg{of: of, err: errNotHere}
		}
		text, err := read(a.path)
		return fileMsg{of: of, err: err, name: a.path, text: &text}
	}
}

// copyPolicy copies the policy as an argument for a shell.
func (m *Model) copyPolicy() tea.Cmd {
	text := shellQuote(m.subject().policy.String())
	return m.copyCmd(text, "", text)
}

// copyCmd copies a text: to the clipboard, which a terminal may drop, and to a file. What it is, and the text in brief, are
// for the note.
func (m *Model) copyCmd(text, what, brief string) tea.Cmd {
	write, of := m.opts.Copy, m.asker()
	return tea.Batch(tea.SetClipboard(text), func() tea.Msg {
		f := fileMsg{of: of, done: what + "sent to the clipboard, if the terminal allows: " + brief}
		if write == nil {
			return f
		}
		path, err := write(text)
		if err != nil {
			f.err = fmt.Errorf("sent to the clipboard, but not written: %w", err)
		}
		f.done = what + "copied to the clipboard (if the terminal allows) and to " + path
		return f
	})
}

// shellQuote makes one word of a text for a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
