package ui

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// fleetScreen is a screen on its fleet, with every whole run done.
func fleetScreen(t testing.TB, w, h int, keys ...string) *Model {
	t.Helper()
	m := newScreen(t, w, h)
	m.fleet.runs.known = slices.Clone(firstRuns())
	settleRuns(m, press(m, "7"))
	for _, k := range keys {
		settleRuns(m, press(m, k))
	}
	return m
}

// firstRuns are the whole runs of the fleet that is there at first, made once.
var firstRuns = sync.OnceValue(func() []laneRun {
	m := newScreen(&testing.B{}, 80, 24)
	settleRuns(m, press(m, "7"))
	return m.fleet.runs.known
})

// settleRuns makes the runs that a command asks for, one after the other; ticks are left out.
func settleRuns(m *Model, _ tea.Cmd) {
	for m.fleet.runs.cancel != nil {
		r := &m.fleet.runs
		first := m.fleet.lane
		r.cancel()
		cmd := r.next(first)
		if cmd == nil {
			return
		}
		m.Update(cmd())
	}
}

// typed sends a text key by key.
func typed(m *Model, text string) { typeText(m, text) }

// pickFleet picks a scenario by its name.
func pickFleet(t testing.TB, m *Model, name string) {
	t.Helper()
	press(m, "s")
	typed(m, name)
	settleRuns(m, press(m, "enter"))
}

func TestFleetScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {100, 30}, {120, 40}} {
		m := fleetScreen(t, size[0], size[1])
		keepScreen(t, "fleet-"+sizeText(size[0], size[1]), screen(t, m))
	}
	for _, name := range []string{"herd", "outage", "brownout", "rate-limit", "nested"} {
		m := fleetScreen(t, 80, 24)
		pickFleet(t, m, name)
		keepScreen(t, "fleet-"+name+"-80x24", screen(t, m))
	}
	m := fleetScreen(t, 80, 24, "8", "tab", "tab", "down", "down")
	keepScreen(t, "heat-80x24", screen(t, m))
	m = fleetScreen(t, 120, 40, "8", "tab", "tab", "down", "down", "g", "right", "right")
	keepScreen(t, "heat-120x40", screen(t, m))
}

// The first line of a fleet says which policies recover and which do not, with what share of the calls, at every size.
func TestFleetHeadlines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scenario string
		says     []string
	}{
		{"herd", []string{"! A gives up", "✓ "}},
		{"metastable", []string{"✗ C stays stuck", "! vulnerable: A, E 100% ok", "B 77% ok"}},
		{"outage", []string{"E 100% ok"}},
		{"nested", []string{"A 100% ok"}},
		{"rate-limit", []string{"B 100% ok"}},
		{"brownout", []string{"at once: D >99% ok"}},
	} {
		m := fleetScreen(t, 200, 60)
		pickFleet(t, m, c.scenario)
		for _, w := range []int{60, 80, 120, 200} {
			m.Update(tea.WindowSizeMsg{Width: w, Height: 40})
			head := strings.Split(screen(t, m), "\n")[1]
			t.Logf("%s %d: %s", c.scenario, w, head)
			for i := range m.fleet.runs.lanes {
				if !strings.Contains(head, laneLetter(i)) {
					t.Errorf("%s at %d says nothing of %s: %s", c.scenario, w, laneLetter(i), head)
				}
			}
			for _, says := range c.says {
				if w == 200 && !strings.Contains(head, says) {
					t.Errorf("%s: no %q in %s", c.scenario, says, head)
				}
			}
		}
	}
}

// A knob answers at once with a small fleet; the whole one takes its place, and what was begun before is dropped.
func TestFleetAnswersAtOnce(t *testing.T) {
	t.Parallel()
	m := fleetScreen(t, 80, 24)
	wantsNot(t, m, "simulating")
	press(m, "right")
	l := &m.fleet.runs.lanes[0]
	if !l.small || l.sum == nil || l.key.policy != m.doc.policy || m.doc.policy.Attempts != 5 {
		t.Fatalf("no small fleet stands in: %+v", l.key)
	}
	if m.fleet.runs.lanes[1].small {
		t.Error("a lane was simulated again that did not change")
	}
	stale := laneMsg{gen: m.fleet.runs.gen - 1, key: l.key}
	m.Update(stale)
	if l.sum == nil || !l.small {
		t.Error("a run of an older generation was taken")
	}
	settleRuns(m, nil)
	if m.fleet.runs.lanes[0].small {
		t.Error("the whole fleet did not come")
	}
	// What is taken back is known.
	press(m, "u")
	if m.fleet.runs.lanes[0].small || m.doc.policy.Attempts != 4 {
		t.Error("what was known is simulated again")
	}
}

// A key that is held loses none of its repeats, and cancels what is under way.
func TestFleetHeldKey(t *testing.T) {
	t.Parallel()
	m := fleetScreen(t, 80, 24)
	var done []func() tea.Msg
	for range 150 { // five seconds of a key that repeats 30 times a second
		press(m, "right")
		if r := &m.fleet.runs; r.cancel != nil {
			if cmd := r.next(0); cmd != nil {
				done = append(done, cmd)
			}
		}
		m.View()
	}
	if m.doc.policy.Attempts != 154 {
		t.Errorf("150 keys made %d attempts of 4", m.doc.policy.Attempts)
	}
	for _, cmd := range done[:len(done)-1] {
		if msg, ok := cmd().(laneMsg); !ok || msg.err == nil {
			t.Fatal("a run that nobody waits for was not cancelled")
		}
	}
	press(m, "1")
	if msg, ok := done[len(done)-1]().(laneMsg); !ok || msg.err == nil {
		t.Error("leaving the view does not end what it was at")
	}
}

func TestFleetLanes(t *testing.T) {
	t.Parallel()
	m := fleetScreen(t, 120, 40)
	pickFleet(t, m, "brownout")
	press(m, "a")
	wants(t, m, "at most 5")
	press(m, "shift+tab", "down", "down")
	if m.fleet.lane != 2 {
		t.Fatalf("lane %d is chosen", m.fleet.lane)
	}
	was := m.doc.lane(2).policy
	press(m, "tab", "right") // its attempts
	if got := m.doc.lane(2).policy.Attempts; got != was.Attempts+1 || m.doc.policy.Attempts != 4 {
		t.Errorf("the knob of C made %d of %d attempts, and A has %d", got, was.Attempts, m.doc.policy.Attempts)
	}
	press(m, "u")
	if m.doc.lane(2).policy != was {
		t.Error("it is not taken back")
	}
	press(m, "p")
	typed(m, "carom")
	press(m, "enter")
	if m.doc.lane(2).name != "carom" || m.doc.name == "carom" {
		t.Errorf("the preset went to %q, and A is %q", m.doc.lane(2).name, m.doc.name)
	}
	press(m, "d")
	if m.doc.numLanes() != 4 {
		t.Errorf("%d lanes are left", m.doc.numLanes())
	}
	press(m, "a")
	if m.doc.numLanes() != 5 || m.fleet.lane != 4 {
		t.Error("no lane was added")
	}
	press(m, "esc")
	if m.stage != stageCall {
		t.Error("esc does not go back")
	}
}

func TestFleetFields(t *testing.T) {
	t.Parallel()
	m := fleetScreen(t, 120, 40, "tab")
	all := fieldKnobs()
	for i := range all {
		k := &all[i]
		m.fleet.fields.at = i
		was := k.get(m.doc.inFleet().config)
		press(m, "right")
		if k.get(m.doc.inFleet().config) == was {
			press(m, "left")
		}
		moved := k.get(m.doc.inFleet().config) != was
		if moved {
			press(m, "u")
			if got := k.get(m.doc.inFleet().config); got != was {
				t.Errorf("%s is %s and not %s again", k.name, got, was)
			}
		} else if m.note.text == "" {
			t.Errorf("%s does not move and says nothing", k.name)
		}
		screen(t, m)
	}
	m.fleet.fields.at = 1 // the fault's length
	press(m, "enter")
	press(m, "ctrl+u")
	typed(m, "soon")
	press(m, "enter")
	wants(t, m, "a time above 0")
	press(m, "ctrl+u")
	typed(m, "15s")
	press(m, "enter")
	if got := m.doc.inFleet().config.Faults[0].To; got != 25*time.Second {
		t.Errorf("the fault ends at %v", got)
	}
}

// The cursor moves, plays, and tells what happens meanwhile.
func TestFleetCursor(t *testing.T) {
	t.Parallel()
	m := fleetScreen(t, 120, 40, "shift+tab", "g")
	wants(t, m, "A at 0s", "first 2")
	press(m, ".", ".", "L")
	wants(t, m, "A at 12s")
	press(m, "H", "space")
	if !m.fleet.cursor.playing || m.rate() != playRate {
		t.Fatal("it does not play")
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 40 {
		m.Update(frameMsg{gen: m.cursor.gen, at: at.Add(time.Duration(i) * time.Second / playRate)})
	}
	if got := m.fleet.cursor.at; got < 12*time.Second || got > 20*time.Second {
		t.Errorf("after 1.3 s at ten times real time it is at %v", got)
	}
	press(m, "space", "G")
	wants(t, m, "A whole run")
	press(m, "g", "esc")
	if !m.fleet.cursor.atEnd || m.stage != stageFleet {
		t.Error("esc does not leave the cursor first")
	}
}

// Everything is said without color and in ASCII.
func TestFleetPlain(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) { o.ASCII, o.Profile = true, ProfilePlain })
	settleRuns(m, press(m, "7"))
	for _, key := range []string{"7", "8", "tab", "z"} {
		settleRuns(m, press(m, key))
		got := screen(t, m)
		if strings.IndexFunc(got, func(r rune) bool { return r > 0x7e }) >= 0 {
			t.Errorf("not ASCII:\n%s", got)
		}
	}
	press(m, "z", "7")
	wants(t, m, "x C stuck", "x stuck", "o recovers")
}

// Where one part fills the screen a view opens on its picture, and its key brings that back.
func TestViewsOpenOnTheirPicture(t *testing.T) {
	t.Parallel()
	m := fleetScreen(t, 60, 15)
	for _, key := range []string{"6", "7", "8"} {
		press(m, key)
		if m.fleet.focus != partChart {
			t.Errorf("%s opens on part %d", key, m.fleet.focus)
		}
		if press(m, "tab"); m.fleet.focus != partPolicy {
			t.Errorf("after tab it is part %d", m.fleet.focus)
		}
		if press(m, key); m.fleet.focus != partChart {
			t.Errorf("%s again does not show the picture", key)
		}
		press(m, "tab", "1")
	}
	m = fleetScreen(t, 80, 24)
	if m.fleet.focus != partPolicy {
		t.Error("with room for all the knobs are not at hand")
	}
}

func TestFleetEverySize(t *testing.T) {
	t.Parallel()
	m := fleetScreen(t, 80, 24)
	for _, w := range []int{-1, 0, 1, 20, 59, 60, 61, 79, 80, 81, 120, 200} {
		for _, h := range []int{-1, 0, 1, 5, 14, 15, 16, 23, 24, 25, 35, 60} {
			m.Update(tea.WindowSizeMsg{Width: w, Height: h})
			for _, s := range []stage{stageDist, stageFleet, stageHeat} {
				for q := range numParts {
					for _, full := range []bool{false, true} {
						m.stage, m.fleet.focus, m.full, m.paint.stale = s, q, full, true
						screen(t, m)
					}
				}
			}
		}
	}
}

// From a key that turns a knob to the next frame, the small fleet included.
func BenchmarkFleetKnobToFrame(b *testing.B) {
	m := fleetScreen(b, 120, 40)
	keys := []tea.KeyPressMsg{keyOf("right"), keyOf("left")}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.fleet.runs.known = nil
		m.Update(keys[i%2])
		m.View()
	}
}

// A frame of five policies while the cursor plays.
func BenchmarkFleetView(b *testing.B) {
	m := fleetScreen(b, 120, 40)
	m.fleet.cursor.atEnd = false
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.fleet.cursor.at = time.Duration(i%90) * time.Second
		m.paint.stale = true
		m.View()
	}
}

// The mouse chooses a lane and a moment, or a knob.
func TestFleetMouse(t *testing.T) {
	t.Parallel()
	m := fleetScreen(t, 80, 24)
	m.look.mouse = true
	m.View()
	r := m.fleet.chart.Lanes[2]
	m.Update(tea.MouseClickMsg{X: m.fleet.chart.Chart.X + 20, Y: m.paint.lay.parts[partChart].Y + r.Y, Button: tea.MouseLeft})
	if m.fleet.lane != 2 || m.fleet.cursor.atEnd || m.fleet.focus != partChart {
		t.Errorf("lane %d, %+v", m.fleet.lane, m.fleet.cursor)
	}
	m.View()
	q := m.paint.lay.parts[partFields]
	m.Update(tea.MouseClickMsg{X: q.X + 3, Y: q.Y + 2, Button: tea.MouseLeft})
	if m.fleet.fields.at != 2 || m.fleet.focus != partFields {
		t.Errorf("knob %d of part %d", m.fleet.fields.at, m.fleet.focus)
	}
	m.Update(tea.MouseWheelMsg{X: q.X + 3, Y: q.Y + 2, Button: tea.MouseWheelDown})
	if m.fleet.fields.at != 3 {
		t.Errorf("the wheel goes to knob %d", m.fleet.fields.at)
	}
}

// Whoever leaves the program leaves nothing running.
func TestFleetQuit(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "ctrl+c"} {
		m := newScreen(t, 80, 24)
		press(m, "7")
		cmd := m.fleet.runs.next(0)
		press(m, key)
		if msg, ok := cmd().(laneMsg); !ok || msg.err == nil || m.fleet.runs.cancel != nil {
			t.Errorf("%s leaves a run going", key)
		}
	}
}

// A preset is tried on the chosen lane while one moves, and only there.
func TestFleetPresetTried(t *testing.T) {
	t.Parallel()
	m := fleetScreen(t, 80, 24, "shift+tab", "down")
	press(m, "p")
	typeText(m, "carom")
	if got := m.shownDoc().lane(1).name; got != "carom" || m.shownDoc().name != "default" {
		t.Errorf("B is tried as %q", got)
	}
	if l := m.fleet.runs.lanes[1]; !l.small || l.key.policy != m.tried.lane(1).policy {
		t.Error("the picture does not show what is tried")
	}
	screen(t, m)
	press(m, "esc")
	if m.doc.lane(1).name == "carom" || m.fleet.runs.lanes[1].small {
		t.Error("esc keeps what was tried")
	}
}
