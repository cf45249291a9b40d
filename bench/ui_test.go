package bench

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/ui"
)

const (
	screenWide, screenHigh = 200, 60
	never                  = time.Duration(-1)
)

// The keys that are pressed in turn, so that each one changes what is on the screen.
var (
	sideways = [...]tea.KeyPressMsg{{Code: tea.KeyRight}, {Code: tea.KeyLeft}}
	upDown   = [...]tea.KeyPressMsg{{Code: tea.KeyUp}, {Code: tea.KeyDown}}
)

// screen is the screen of a server that is down, under a policy that makes so many attempts.
func screen(b *testing.B, attempts int) tea.Model {
	b.Helper()
	p := engine.Default()
	p.Attempts = attempts
	m := ui.New(ui.Options{
		Script: "503 latency=120ms", Policy: p, PolicyName: "default", Base: engine.Default(), Seed: 42, Draw: -1,
		Wall: retryAfterNow, CancelAt: never, SignOutAt: never, Theme: ui.ThemeDark, Profile: ui.ProfileTrue,
	})
	m.Init()
	m, _ = m.Update(tea.WindowSizeMsg{Width: screenWide, Height: screenHigh})
	return m
}

// frames presses the keys in turn and draws after each. A frame like the one before is an error: the screen keeps one
// until something changes, and handing it out again is not the work that was meant.
func frames(b *testing.B, m tea.Model, keys []tea.KeyPressMsg) {
	b.Helper()
	last := m.View().Content
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m, _ = m.Update(keys[i%len(keys)])
		frame := m.View().Content
		if frame == last {
			b.Fatal("the key changed nothing on the screen")
		}
		last = frame
	}
}

// BenchmarkKnobToFrame turns the first knob, attempts, between 20 and 21: the run is made anew each time.
func BenchmarkKnobToFrame(b *testing.B) {
	b.Run("by=ours", func(b *testing.B) { frames(b, screen(b, 20), sideways[:]) })
}

// BenchmarkView moves from attempt to attempt in the timeline of a run of 500: the run stays, all of the screen is drawn.
func BenchmarkView(b *testing.B) {
	b.Run("by=ours", func(b *testing.B) {
		m := screen(b, 500)
		m, _ = m.Update(tea.KeyPressMsg{Code: '1', Text: "1"})
		frames(b, m, upDown[:])
	})
}
