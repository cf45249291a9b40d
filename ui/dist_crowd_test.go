package ui

import (
	"math"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
)

// settleCrowd has what the row under the timeline is drawn from come in.
func settleCrowd(m *Model) {
	c := &m.crowd
	c.asked = false
	if cmd := m.syncStage(); cmd != nil {
		m.Update(cmd())
	}
}

func TestCrowdScreens(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		m := newScreen(t, size[0], size[1])
		settleCrowd(m)
		keepScreen(t, "crowd-"+sizeText(size[0], size[1]), screen(t, m))
		press(m, "1", "z")
		keepScreen(t, "crowd-full-"+sizeText(size[0], size[1]), screen(t, m))
	}
}

// The sends of a thousand callers are as many as their policy makes them send, and stand where it sends them.
func TestCrowdCounts(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 120, 40, func(o *Options) {
		o.Script, o.Policy.Jitter = "503", engine.Jitter{Kind: engine.JitterNone}
		o.Policy.Attempts, o.Policy.Base = 3, time.Second
	})
	settleCrowd(m)
	screen(t, m)
	b := &m.crowd.bins
	sum := 0.0
	for _, n := range b.sends {
		sum += n
	}
	if math.Abs(sum-3) > 1e-6 {
		t.Errorf("a call of 3 attempts sends %v times", sum)
	}
	for _, at := range []time.Duration{0, time.Second, 3 * time.Second} {
		if n := b.sends[b.axis.Col(at)]; math.Abs(n-1) > 1e-6 {
			t.Errorf("at %v %v of all calls send, and without jitter all do", at, n)
		}
	}
}

// The crowd follows the policy, gives way to the rows of the timeline, and is not there where it means nothing.
func TestCrowdFollows(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	wantsNot(t, m, "1000 calls")
	settleCrowd(m)
	wants(t, m, "1000 calls")
	was := strings.Join(strings.Split(screen(t, m), "\n")[8:10], "")
	press(m, "j", "L")
	stale := crowdMsg{gen: m.crowd.gen - 1}
	m.Update(stale)
	if m.crowd.result == nil {
		t.Error("a crowd of another policy was taken")
	}
	settleCrowd(m)
	if got := strings.Join(strings.Split(screen(t, m), "\n")[8:10], ""); got == was {
		t.Error("another base sends at the same times")
	}
	press(m, "k", "L")
	settleCrowd(m)
	wantsNot(t, m, "1000 calls") // no room
	live := newScreen(t, 80, 24, func(o *Options) { o.Live = &cannedLive{} })
	settleCrowd(live)
	wantsNot(t, live, "1000 calls")
	small := newScreen(t, 60, 15)
	settleCrowd(small)
	if small.crowd.asked {
		t.Error("a crowd is drawn that nobody sees")
	}
}

// From a key that turns a knob to the next frame with the crowd below, 20 attempts at 200x60.
func BenchmarkCrowdKnobToFrame(b *testing.B) {
	m := newScreen(b, 200, 60, func(o *Options) {
		o.Script, o.Policy.Attempts = "503", 20
	})
	settleCrowd(m)
	keys := []tea.KeyPressMsg{keyOf("right"), keyOf("left")}
	m.Update(keyOf("down"))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Update(keys[i%2])
		m.View()
	}
}
