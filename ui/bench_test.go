package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
)

// From a key that turns a knob to the next frame, 20 attempts at 200x60, the run included.
func BenchmarkKnobToFrame(b *testing.B) {
	m := newScreen(b, 200, 60, func(o *Options) {
		o.Script, o.Policy.Attempts = "503", 20
	})
	keys := []tea.KeyPressMsg{keyOf("right"), keyOf("left")}
	m.Update(keyOf("down"))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Update(keys[i%2])
		m.View()
	}
}

// A frame of 500 attempts at 200x60 while the cursor plays.
func BenchmarkView500(b *testing.B) {
	m := newScreen(b, 200, 60, func(o *Options) {
		o.Script, o.Policy.Attempts, o.Policy.Base = "503", 500, time.Millisecond
		o.Policy.Curve = engine.CurveConstant
	})
	m.cursor.atEnd = false
	end := endOf(m.run)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.cursor.at = end / 1000 * time.Duration(i%1000)
		m.paint.stale = true
		m.View()
	}
}

// A message that changes nothing draws nothing.
func BenchmarkViewUnchanged(b *testing.B) {
	m := newScreen(b, 200, 60)
	b.ReportAllocs()
	for b.Loop() {
		m.View()
	}
}

// The same key where attempts are unlimited and never heal: the run is given up after 10,000 sends.
func BenchmarkKnobUnlimited(b *testing.B) {
	m := newScreen(b, 200, 60, func(o *Options) {
		o.Script, o.Policy.Attempts = "503", engine.Unlimited
	})
	keys := []tea.KeyPressMsg{keyOf("right"), keyOf("left")}
	m.Update(keyOf("down"))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Update(keys[i%2])
		m.View()
	}
}
