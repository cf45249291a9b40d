package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/script"
)

// Where a dialog has more than it shows, a sign says so, and its keys and hints are whole.
func TestDialogsSayThatThereIsMore(t *testing.T) {
	t.Parallel()
	for _, size := range roomSizes {
		m := newScreen(t, size[0], size[1])
		press(m, "c")
		d, ok := m.dialog().(*classifierDialog)
		if !ok {
			t.Fatal("c opens something else")
		}
		frame := screen(t, m)
		inner := strings.Count(frame, "│") / 2
		if all := d.lines(d.cols); all > inner-2 != strings.Contains(frame, "↓│") && all > inner-2 != strings.Contains(frame, "↓ │") {
			t.Errorf("%v: %d lines of switches\n%s", size, all, frame)
		}
		press(m, "end")
		if frame := screen(t, m); d.top > 0 != (strings.Contains(frame, "↑ │") || strings.Contains(frame, "↑│")) {
			t.Errorf("%v, at the end, from line %d on\n%s", size, d.top, frame)
		}
		press(m, "esc")
		for _, key := range []string{"i", "c", "e", "p", "?", "w", "o", "I", "!"} {
			press(m, key)
			for line := range strings.Lines(screen(t, m)) {
				if strings.Contains(line, "└─") && strings.Contains(line, "…") {
					t.Errorf("%v %s: %q", size, key, line)
				}
			}
			press(m, "esc", "esc")
			m.dialogs = nil
		}
	}
	for k := range numKnobs {
		m := newScreen(t, 60, 15)
		m.knobs.at = int(k)
		press(m, "=")
		if p, ok := m.dialog().(*prompt); ok {
			if frame := screen(t, m); !strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(frame, "│", " ")), " "), p.hint) {
				t.Errorf("%s: the hint is cut\n%s", p.label, frame)
			}
		}
	}
}

// All that is wrong with a script is said, as long as there are rows for it.
func TestScriptFaultsHaveTheRows(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "e", "ctrl+u")
	m.Update(tea.PasteMsg{Content: "503 latency=99999999999h, 777, 429 after=2 latency=5"})
	_, err := script.Parse("503 latency=99999999999h, 777, 429 after=2 latency=5")
	frame := screen(t, m)
	text := strings.Join(strings.Fields(strings.ReplaceAll(frame, "│", " ")), " ")
	faults := script.Faults(err)
	for _, f := range faults {
		if !strings.Contains(text, f.Error()) {
			t.Errorf("no %q in\n%s", f.Error(), frame)
		}
	}
	if len(faults) < 2 || strings.Contains(frame, "more)") {
		t.Errorf("%d faults in\n%s", len(faults), frame)
	}
}

// What is pasted keeps no control character and no part of a control sequence.
func TestPasteDropsControls(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"50\x073": "503", "\x1b[31m503\x1b[0m": "503", "\x1b]0;title\x07503": "503", "\x1b]0;title\x1b\\503": "503", "5\x7f0\u00853": "503",
		"a^Gb": "a^Gb", "grüße": "grüße", "5\x1b": "5", "\x1b[": "", "a\x00b": "ab", "\x1b[200~503": "503", "key=•••": "key=•••",
	} {
		if got := cleanPaste(text, false); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// On the smallest screen a dialog covers the timeline: the result and the own waits of what it tries out stand above it.
func TestSmallDialogsShowWhatTheyTry(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 60, 15)
	wantsNot(t, m, "own waits")
	press(m, "p")
	wants(t, m, "own waits   0–0.2s → 0–0.4s → 0–0.8s", "succeeded in 2.73s")
	press(m, "down")
	wants(t, m, "own waits   0s each", "no attempts left")
	press(m, "esc", "i", "p")
	wants(t, m, "only while unsent", "not idempotent")
}

// A run of which all events fit into a full screen shows all of them.
func TestEventsHaveTheRows(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "5")
	if len(m.paint.events) != 0 && len(eventRows(m.run)) > 20 {
		t.Fatalf("%d events", len(eventRows(m.run)))
	}
	wants(t, m, "start", "done")
	wantsNot(t, m, "↑\n", "↓\n")
}

// Rows that a timeline leaves blank are given to the events and the knobs, and the panes stand still while a preset is
// tried out.
func TestRowsGoWhereTheyAreNeeded(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{100, 30}, {120, 40}, {200, 60}} {
		m := newScreen(t, size[0], size[1])
		screen(t, m)
		lay := m.paint.lay
		line, events, policy := lay.panes[paneTimeline].H, lay.panes[paneEvents].H, lay.panes[panePolicy].H
		if clipped := events > 0 && events < len(m.paint.events) || policy < int(numKnobs); clipped && line >= 4+3+lineStep {
			t.Errorf("%v: the timeline has %d rows for 4 attempts, the events %d of %d, the policy %d of %d", size, line, events, len(m.paint.events), policy, numKnobs)
		}
		press(m, "p", "down", "down", "down", "down")
		screen(t, m)
		if m.paint.lay.panes[paneTimeline] != lay.panes[paneTimeline] {
			t.Errorf("%v: the panes move while a preset is tried out", size)
		}
		press(m, "esc")
		for range 30 {
			press(m, "right")
			screen(t, m)
			if r := m.paint.lay.panes[paneTimeline]; r.H < line {
				t.Errorf("%v: with more attempts the timeline has %d rows", size, r.H)
			}
		}
		if m.paint.lay.panes[panePolicy].H < 8 {
			t.Errorf("%v: %+v", size, m.paint.lay)
		}
	}
}

// What an answer was is not called OK where it was refused.
func TestBadAnswerIsNotOK(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) { o.Script = "badjson" })
	wants(t, m, "decoding after 0s   answered 200 OK")
}

// A block has one unit: the name of the axis is in that of its ticks.
func TestAxisIsNamedInTheUnitOfItsTicks(t *testing.T) {
	t.Parallel()
	for _, end := range []int{1, 2, 3, 5, 7, 9} {
		for _, w := range []int{40, 67, 90, 180} {
			a := NewAxis(AxisInput{Kind: ScaleLinear, W: w, End: time.Duration(end) * ms})
			tick := string(a.appendTick(nil, a.Step))
			if name := a.Name(Unicode()); strings.HasSuffix(tick, "ms") != strings.HasSuffix(name, "ms") {
				t.Errorf("%d: %q over %q", w, name, tick)
			}
		}
	}
}

// Waits that stand below each other are in one unit, on the rows and in the line of the own waits.
func TestWaitsHaveOneUnit(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"base=1ms attempts=6", "base=2ms attempts=8", "base=1ms attempts=3 cap=4ms", "base=5ms factor=10 attempts=5"} {
		for _, w := range []int{60, 80, 120, 200} {
			m := newScreen(t, w, 40, func(o *Options) { o.Policy, o.Script = parsePolicy(t, policy), "503, 503, 200" })
			g := NewGrid(w, 12)
			in := m.lineInput()
			l := DrawTimeline(g, &in)
			millis := strings.Contains(string(l.Axis.appendTick(nil, l.Axis.Step)), "ms")
			for _, r := range l.Rows {
				row := g.Sub(l.PlotX, r.Y, w, 1).Plain()
				if strings.Contains(row, "done") {
					continue // the end is told as in the headline
				}
				for _, word := range strings.Fields(row) {
					if n := strings.TrimRight(word, "ms,"); n != word && n != "" && n[len(n)-1] <= '9' && !millis && strings.HasSuffix(strings.TrimRight(word, ","), "ms") {
						t.Errorf("%s at %d: %q below ticks in seconds\n%s", policy, w, word, g.Plain())
					}
				}
			}
			cost := costOf(&m.doc.policy)
			waits := cost.OwnWaits(200, Unicode())
			if strings.Contains(waits, "ms") && strings.Contains(strings.ReplaceAll(waits, "ms", ""), "s") {
				t.Errorf("%s: %q", policy, waits)
			}
		}
	}
}
