package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// distScreen is a screen on its distribution, fully drawn.
func distScreen(t testing.TB, w, h int, keys ...string) *Model {
	t.Helper()
	m := newScreen(t, w, h)
	press(m, "6")
	settleDraws(m)
	for _, k := range keys {
		press(m, k)
		settleDraws(m)
	}
	return m
}

// settleDraws refines until there is nothing more to refine.
func settleDraws(m *Model) {
	for r := &m.dist.runs; r.cancel != nil; {
		m.Update(r.next()())
	}
}

// against has a second policy: the decorrelated one of the papers.
func against(m *Model) {
	press(m, "a", "p")
	typeText(m, "aws-decorrelated")
	press(m, "enter")
	settleDraws(m)
}

func TestDistScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 15}, {80, 24}, {100, 30}, {120, 40}} {
		m := distScreen(t, size[0], size[1])
		keepScreen(t, "dist-"+sizeText(size[0], size[1]), screen(t, m))
		against(m)
		keepScreen(t, "dist-two-"+sizeText(size[0], size[1]), screen(t, m))
	}
	m := distScreen(t, 80, 24, "tab")
	press(m, "right", "down") // an outage
	settleDraws(m)
	keepScreen(t, "dist-outage-80x24", screen(t, m))
	press(m, "k", "right") // the script
	settleDraws(m)
	wants(t, m, "script: 503", "of calls succeed")
}

// The figures on the screen are those that sim finds.
func TestDistFigures(t *testing.T) {
	t.Parallel()
	m := distScreen(t, 120, 40)
	wants(t, m, "exact", "93.8% of calls succeed", "1.88 sends a call") // 1 - p⁴, (1-p⁴)/(1-p)
	want, err := sim.Dist(t.Context(), sim.DistConfig{
		Policy: m.doc.policy, Source: sim.DistFailing{P: 0.5}, Deadline: time.Second, Seed: 42, Draws: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.dist.runs.result; got.A.Within != want.A.Within || got.A.Wait.Q != want.A.Wait.Q {
		t.Errorf("the screen has %v, and sim %v", got.A.Within, want.A.Within)
	}
}

// A first picture comes at once; it is refined while nothing changes, and the next key ends that.
func TestDistRefines(t *testing.T) {
	t.Parallel()
	m := distScreen(t, 120, 40)
	against(m)
	if r := m.dist.runs.result; r.Partial || r.Draws != sim.DefaultDraws || r.B == nil {
		t.Fatalf("%d draws of %d", r.Draws, r.Wanted)
	}
	press(m, "right")
	r := &m.dist.runs
	if !r.result.Partial || r.result.Draws != firstDraws || r.key.against.Attempts != 9 {
		t.Fatalf("the first picture is of %d calls", r.result.Draws)
	}
	old := r.next()
	press(m, "right")
	if msg, ok := old().(drawnMsg); !ok || msg.gen == r.gen {
		t.Error("what was drawn before is not told apart")
	} else if m.Update(msg); r.result.Draws != firstDraws {
		t.Error("what was drawn before was taken")
	}
	settleDraws(m)
	if r.result.Partial || r.key.against.Attempts != 10 {
		t.Error("it was not refined")
	}
	press(m, "right")
	left := r.run
	press(m, "1")
	if r.cancel != nil {
		t.Error("it goes on behind the timeline")
	}
	press(m, "6")
	if r.run == left || r.cancel == nil {
		t.Error("a run is taken up again that a command may still be at")
	}
}

// Many attempts that all fail do not delay the first picture.
func TestDistEndless(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) { o.Policy.Attempts, o.Script = engine.Unlimited, "503" })
	press(m, "6", "tab", "left")
	if r := m.dist.runs.result; m.doc.meets().kind != distScript || r == nil || r.Draws > 2 {
		t.Errorf("%+v", m.doc.meets())
	}
	wants(t, m, "0% of calls succeed")
}

func TestDistKnobs(t *testing.T) {
	t.Parallel()
	m := distScreen(t, 120, 40, "tab")
	for i := range distKnobs {
		k := &distKnobs[i]
		m.dist.fields.at = i
		was := k.get(m.doc.meets())
		press(m, "right")
		if k.get(m.doc.meets()) == was {
			t.Errorf("%s does not move", k.label)
		}
		press(m, "u")
		if got := k.get(m.doc.meets()); got != was {
			t.Errorf("%s is %s and not %s again", k.label, got, was)
		}
		press(m, "=", "ctrl+u")
		typeText(m, "nonsense")
		press(m, "enter")
		if m.dialog() == nil {
			t.Errorf("%s takes nonsense", k.label)
		}
		press(m, "esc")
		if got := k.get(m.doc.meets()); got != was {
			t.Errorf("%s became %s by nonsense", k.label, got)
		}
		press(m, "=")
		typeText(m, "")
		press(m, "enter")
		if m.dialog() != nil {
			t.Errorf("%s does not take its own value %q", k.label, was)
		}
	}
	press(m, "space", ".", "A")
	if !m.dist.linear {
		t.Error("the axis does not change")
	}
	press(m, "a")
	if m.doc.distLanes() != 2 || m.dist.lane != 1 {
		t.Error("there is no second policy")
	}
	press(m, "a")
	wants(t, m, "two policies")
	press(m, "d", "d")
	wants(t, m, "A is the policy")
	press(m, "shift+tab", "shift+tab", "left")
	wants(t, m, "nothing moves here")
}

// A script that a distribution cannot have says so.
func TestDistRedirect(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) { o.Script = `503, 302 header="Location: /"` })
	press(m, "6", "tab", "left")
	wants(t, m, "redirect")
	press(m, "right")
	wantsNot(t, m, "redirect")
}

func TestDistPlain(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) { o.ASCII, o.Profile = true, ProfilePlain })
	press(m, "6")
	against(m)
	got := screen(t, m)
	if strings.IndexFunc(got, func(r rune) bool { return r > 0x7e }) >= 0 {
		t.Errorf("not ASCII:\n%s", got)
	}
	wants(t, m, "A retry 1", "B retry 1", "more often")
}

// From a key that turns a knob to the next frame, the first picture included.
func BenchmarkDistKnobToFrame(b *testing.B) {
	m := distScreen(b, 120, 40)
	keys := []tea.KeyPressMsg{keyOf("right"), keyOf("left")}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Update(keys[i%2])
		m.View()
	}
}

// A frame of two policies.
func BenchmarkDistView(b *testing.B) {
	m := distScreen(b, 120, 40)
	against(m)
	b.ReportAllocs()
	for b.Loop() {
		m.paint.stale = true
		m.View()
	}
}
