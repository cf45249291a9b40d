package ui

import (
	"strings"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
)

// knobs is the policy pane: the list of all knobs, and which one the next key turns.
type knobs struct{ list }

// current is the knob in focus.
func (k *knobs) current() knob { return knob(k.at) } //nolint:gosec // the list is kept within the knobs

// move moves the focus, or asks for the knob in focus to be turned.
func (k *knobs) move(m motion, rows int) intent {
	if by, coarse := m.sideways(); by != 0 {
		return turnKnob{k.current(), by, coarse}
	}
	k.list.move(m, int(numKnobs), rows)
	return nil
}

// knobRow is one row as it shows.
type knobRow struct {
	label, value, note string
	shorter            []string // the value where there is less room
	off, changed       bool
	opens              bool // it has a dialog of its own
}

// knobRows are the rows of the policy pane. base is the policy that the name stands for: what differs from it is marked.
func knobRows(p, base *engine.Policy, r *lab.Request, address string) []knobRow {
	rows := make([]knobRow, numKnobs)
	for k := range numKnobs {
		s := k.spec()
		row := knobRow{label: s.label}
		if k.ofPolicy() {
			row.value = knobText(p, k)
			row.note, row.off = knobNote(p, k)
			row.changed = row.value != knobText(base, k)
			row.opens = k == knobRetryOn
			if k == knobRetryAfter {
				row.shorter = []string{strings.Replace(row.value, ", up to ", ", max ", 1), strings.Replace(row.value, ", up to ", ", ", 1)}
			}
		} else {
			row.value = requestText(r, k, address)
			row.opens = k != knobMethod
		}
		rows[k] = row
	}
	return rows
}

func requestText(r *lab.Request, k knob, address string) string {
	switch k {
	case knobMethod:
		return methodOf(r)
	case knobURL:
		return orNone(address)
	case knobKey:
		if r.Key != "" {
			return masked3
		}
		return "none"
	case knobBody:
		switch {
		case r.HasBody && r.BodyOnce:
			return "read once: " + clip(string(r.Body))
		case r.HasBody:
			return clip(string(r.Body))
		}
		return "none"
	case knobAttempts, knobBase, knobCap, knobJitter, knobFactor, knobCurve, knobRetryAfter, knobCeiling, knobTimeout,
		knobAttemptTimeout, knobRetryOn, knobMethods, knobBudget, knobSpread, knobHints, knobCapStage, knobLeast, knobShift, knobFirst,
		knobThrottleBase, knobRetryAfterOn, knobRequiredOn, knobReads, knobOverCeiling, knobUnsent, knobThrottleCost, knobTimeoutCost, numKnobs:
	}
	return ""
}

func methodOf(r *lab.Request) string {
	if r.Method == "" {
		return "GET"
	}
	return r.Method
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return clip(s)
}

// clip keeps a text that may be megabytes from being measured and copied for a row.
func clip(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return s[:most]
}

const (
	knobLabelX = 2
	knobValueX = 19
)

// draw draws the rows into g.
func (k *knobs) draw(g *Grid, rows []knobRow, gl *Glyphs, focused bool) {
	k.keep(len(rows), g.H)
	for y := 0; y < g.H && k.top+y < len(rows); y++ {
		arrow := y == 0 && k.top > 0 || y == g.H-1 && k.top+g.H < len(rows)
		k.drawRow(g, y, &rows[k.top+y], gl, focused && k.top+y == k.at, arrow)
	}
	if k.top > 0 {
		g.Set(g.W-1, 0, gl.MoreUp, Dim)
	}
	if k.top+g.H < len(rows) {
		g.Set(g.W-1, g.H-1, gl.MoreDown, Dim)
	}
}

func (k *knobs) drawRow(g *Grid, y int, r *knobRow, gl *Glyphs, on, arrow bool) {
	label, value := Plain, Plain
	switch {
	case r.off:
		label, value = Off, Off
	case r.changed:
		value = Changed
	}
	if on {
		g.Set(0, y, gl.Pointer, Focus)
		label = Focus
		if !r.off {
			value = Focus
		}
	}
	g.TextCut(knobLabelX, y, knobValueX-knobLabelX-1, label, r.label, gl.Ellipsis)
	tail := 0
	if arrow {
		tail = 2 // the last column is the list's own arrow
	}
	if r.opens || on {
		tail += 2
	}
	room := g.W - knobValueX - tail
	text := r.value
	for i := 0; i < len(r.shorter) && TextWidth(text) > room; i++ {
		text = r.shorter[i]
	}
	x := g.TextCut(knobValueX, y, room, value, text, gl.Ellipsis)
	switch {
	case r.opens:
		g.Set(x+1, y, opensRune(gl), value)
		x += 2
	case on && TextWidth(r.label) > knobValueX-knobLabelX-3: // no room for blanks on both sides
		g.Set(knobValueX-1, y, gl.Left, Focus)
		g.Set(x, y, gl.Right, Focus)
		x++
	case on:
		g.Set(knobValueX-2, y, gl.Left, Focus)
		g.Set(x+1, y, gl.Right, Focus)
		x += 2
	}
	if on {
		x--
	}
	r.drawNote(g, x+2, y, arrow, gl)
}

// drawNote draws what is said beside a value.
func (r *knobRow) drawNote(g *Grid, x, y int, arrow bool, gl *Glyphs) {
	style, tail := Dim, 0
	if r.off {
		style = Off
	}
	if arrow {
		tail = 2
	}
	x = max(x, knobValueX+5)
	note := forms{r.note, strings.Trim(r.note, "()")}.in(g.W - x - tail)
	g.TextCut(x, y, g.W-x-tail, style, note, gl.Ellipsis)
}

// opensRune marks a knob that has a dialog of its own.
func opensRune(gl *Glyphs) rune {
	if gl.ASCII {
		return 'v'
	}
	return '▾'
}
