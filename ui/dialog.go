package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
)

// dialog is one question on top of the screen. It knows nothing of the rest: it answers, and the root acts on it.
type dialog interface {
	// title is the heading, foot the keys it has.
	title() string
	foot() string
	// rows is how many rows it would like for itself.
	rows(width int) int
	// key and paste tell what came of an input; nil where the dialog only changed itself.
	key(k tea.KeyPressMsg) reply
	paste(text string) reply
	// draw draws the inside, and tells where the cursor of a text stands.
	draw(g *Grid, gl *Glyphs) (cur place)
}

// tallDialog is one that shows more than there is room for below the timeline, and nothing on it.
type tallDialog interface{ tall() }

// place is a cell; shown is false where there is no cursor.
type place struct {
	x, y  int
	shown bool
}

// reply is what came of a dialog.
type reply interface{ isReply() }

type (
	// closed leaves the dialog: what it showed is undone.
	closed struct{}
	// shows tries an edit out on the timeline, restores shows what is kept again; takes keeps an edit and leaves the dialog.
	shows    struct{ edit edit }
	restores struct{}
	takes    struct{ edit edit }
	// runs leaves the dialog and runs a command.
	runs struct{ command int }
	// saves, opens and reads ask for a file; the dialogs stay until it is known to be there.
	saves struct {
		name string
		what saveKind
		text string // for saveText
		over bool   // it may replace what is there
	}
	opens struct{ name string }
	reads struct{ path string }
	// copies puts a text on the clipboard, called by what it is, and leaves the dialog.
	copies struct{ text, what string }
	// raises puts another dialog on top; imports leaves this one for that which reads a policy from a text, or from a file
	// of that name.
	raises  struct{ dialog dialog }
	imports struct{ text, file string }
	// sends is the yes to a real request.
	sends struct{}
)

// saveKind is what is saved.
type saveKind uint8

const (
	savePolicy saveKind = iota
	saveRun
	saveText
)

func (reads) isReply()    {}
func (copies) isReply()   {}
func (raises) isReply()   {}
func (imports) isReply()  {}
func (closed) isReply()   {}
func (shows) isReply()    {}
func (restores) isReply() {}
func (takes) isReply()    {}
func (runs) isReply()     {}
func (saves) isReply()    {}
func (opens) isReply()    {}
func (sends) isReply()    {}

// edit changes a doc, and says in a few words what it changed.
type edit interface{ apply(d *doc) string }

type (
	policyEdit struct {
		policy engine.Policy
		what   string
	}
	namedEdit struct {
		policy engine.Policy
		name   string
		what   string
	}
	requestEdit struct {
		request lab.Request
		live    bool // from now on it is sent for real, when somebody asks for it
	}
	scriptEdit struct {
		text   string
		script *script.Script
	}
)

// interruption is when a run is cancelled and signed out, or never.
type interruption struct{ cancel, signOut time.Duration }

// replayEdit puts the script of recorded answers in the place of the live source, ended from outside as it was.
type replayEdit struct {
	script scriptEdit
	cut    interruption
}

func (e replayEdit) apply(d *doc) string {
	d.cancel, d.signOut = e.cut.cancel, e.cut.signOut
	return e.script.apply(d)
}

func (e policyEdit) apply(d *doc) string {
	d.policy = e.policy
	return e.what
}

func (e namedEdit) apply(d *doc) string {
	d.policy, d.base, d.name = e.policy, e.policy, e.name
	return e.what
}

func (e requestEdit) apply(d *doc) string {
	d.request = e.request
	d.live = d.live || e.live
	return "request"
}

func (e scriptEdit) apply(d *doc) string {
	d.text, d.script, d.live = e.text, e.script, false
	return "script"
}

// drawFrame draws the border of a dialog with its heading and keys, and gives the part inside.
func drawFrame(g *Grid, d dialog, gl *Glyphs) *Grid {
	for y := range g.H {
		g.Fill(0, y, g.W, ' ', Plain)
		g.Set(0, y, gl.V, Rule)
		g.Set(g.W-1, y, gl.V, Rule)
	}
	for _, y := range []int{0, g.H - 1} {
		g.Fill(0, y, g.W, gl.H, Rule)
	}
	g.Set(0, 0, gl.TopLeft, Rule)
	g.Set(g.W-1, 0, gl.TopRight, Rule)
	g.Set(0, g.H-1, gl.BottomLeft, Rule)
	g.Set(g.W-1, g.H-1, gl.BottomRight, Rule)
	g.TextCut(2, 0, g.W-4, TitleOn, " "+d.title()+" ", gl.Ellipsis)
	g.TextCut(2, g.H-1, g.W-4, Dim, " "+inSet(footIn(d.foot(), g.W-6), gl)+" ", gl.Ellipsis)
	return g.Sub(2, 1, g.W-4, g.H-2)
}

// footIn leaves keys out of the foot of a dialog until it fits into w cells: the last first, but for the ways out of it.
func footIn(foot string, w int) string {
	keys := strings.Split(foot, "  ")
	for i := len(keys) - 1; i >= 0 && TextWidth(strings.Join(keys, "  ")) > w; i-- {
		if !strings.HasPrefix(keys[i], "esc") && !strings.HasPrefix(keys[i], "enter") {
			keys = append(keys[:i], keys[i+1:]...)
		}
	}
	return strings.Join(keys, "  ")
}

// drawField draws a field of one line with a label, and tells where its cursor stands.
func drawField(g *Grid, x, y int, f *field, on bool) place {
	text, cur := f.window(g.W - x)
	style := Plain
	if on {
		style = Focus
	}
	g.Text(x, y, style, text)
	return place{x + cur, y, on}
}

var arrowWords = strings.NewReplacer("↑↓", "up/down", "←→", "left/right", "…", "...", "·", "|", "–", "-", string(maskRune), "*")

// inSet is a text of ours in the set of signs in use.
func inSet(text string, gl *Glyphs) string {
	if gl.ASCII {
		return arrowWords.Replace(text)
	}
	return text
}
