package ui

import (
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// endWidths are the widths at which a row has room for a word on how it ended.
var endWidths = []int{60, 70, 80, 100, 120, 160, 200}

// A row that was cut short says who did it and when, at every size and whenever it was.
func TestCutSaysWhoAndWhen(t *testing.T) {
	t.Parallel()
	for _, w := range endWidths {
		for at := 60 * ms; at < 2400*ms; at += 90 * ms {
			for _, c := range []struct {
				who    string
				change func(*Options)
			}{
				{"caller", func(o *Options) { o.CancelAt = at }},
				{"sign", func(o *Options) { o.SignOutAt = at }},
			} {
				m := newScreen(t, w, 24, c.change)
				press(m, "1")
				a := m.run.Last()
				if a.Ended && a.Outcome.Kind == engine.KindSuccess {
					continue
				}
				row := rowOf(screen(t, m), a.N)
				if when := clockText(m.run.Done.At); !strings.Contains(row, c.who) || !strings.Contains(row, when) {
					t.Errorf("%d at %v: no %s at %s in %q", w, at, c.who, when, row)
				}
			}
		}
	}
}

// What the server had asked for stands within a long wait that was cut.
func TestCutWaitSaysWhatWasAsked(t *testing.T) {
	t.Parallel()
	for _, w := range []int{80, 100, 120, 200} {
		m := newScreen(t, w, 24, func(o *Options) { o.CancelAt = 1500 * ms })
		wants(t, m, "══ Retry-After 2s ══", "by the caller at 1.50s")
	}
}

// The break of an axis says how much it leaves out, in both sets of signs.
func TestBreakIsNamed(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{20 * time.Second, 25 * time.Second, 29500 * ms} {
		in := inputOf(runOf{seed: 42, answers: []answer{status(503, 120*ms), asks(429, 90*ms, wait), status(503, 90*ms), status(200, 80*ms)}}.do(t))
		for _, g := range []*Glyphs{Unicode(), ASCII()} {
			in.Glyphs = g
			for _, w := range []int{60, 80, 100, 120, 200} {
				text := draw(t, w, 9, &in)
				tight, wide := g.Break+FormatTime(wait)+g.Break, g.Break+" "+FormatTime(wait)+" "+g.Break
				if !strings.Contains(text, tight) && !strings.Contains(text, wide) {
					t.Errorf("%d: no %q in\n%s", w, wide, text)
				}
			}
		}
	}
}

// A window that crosses the timeout is drawn whole up to it, and has its share beside it.
func TestLateWindowsAreWhole(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"attempts=6 timeout=6s attempt-timeout=1s", "attempts=8 timeout=5s base=300ms", "attempts=5 timeout=3s jitter=equal"} {
		r := runOf{policy: policy, seed: 42, answers: builtIn().answers}
		in := inputOf(r.do(t))
		for _, w := range endWidths {
			g := NewGrid(w, 12)
			l := DrawTimeline(g, &in)
			late := l.PlotX + l.Axis.Col(in.Policy.Timeout)
			for _, row := range l.Rows {
				if row.Made {
					continue
				}
				from := find(g, row.Y, l.PlotX, '▏')
				for x := from + 1; from >= 0 && x < late; x++ {
					if c, _ := g.At(x, row.Y); c != '░' {
						break
					} else if x == late-1 && !strings.Contains(g.Sub(0, row.Y, w, 1).Plain(), "%") && !strings.Contains(g.Sub(0, row.Y, w, 1).Plain(), "late") {
						t.Errorf("%s at %d, row %d: no share\n%s", policy, w, row.Attempt, g.Plain())
					}
				}
				if text := g.Sub(from, row.Y, w, 1).Plain(); from >= 0 && strings.Contains(text, "late") && strings.Index(text, "late") < strings.Index(text, "╎") {
					t.Errorf("%s at %d, row %d: the share stands in the window\n%s", policy, w, row.Attempt, g.Plain())
				}
			}
		}
	}
}

// A deferred row names the ceiling; a wait that was not begun is drawn as one and named, whoever wanted it.
func TestWaitsThatWereNotTaken(t *testing.T) {
	t.Parallel()
	for _, w := range endWidths {
		m := newScreen(t, w, 24, func(o *Options) { o.Script = "503, 429 after=3600" })
		press(m, "1")
		row := rowOf(screen(t, m), 2)
		if !strings.Contains(row, "1h") || !strings.Contains(row, "30s") {
			t.Errorf("%d: no rule in %q", w, row)
		}
		for _, c := range []struct {
			policy, script string
			signs          string
			says           []string
		}{
			{"timeout=500ms", "429 after=2", "═", []string{"2s", "0.5s"}},
			{"timeout=500ms", "503 latency=100ms, 429 after=2", "═", []string{"2s", "0.5s"}},
			{"timeout=5s jitter=none base=4s", "503", "╎", []string{"8s", "5s"}},
		} {
			m := newScreen(t, w, 24, func(o *Options) {
				o.Script = c.script
				p, err := engine.ParsePolicy(c.policy, o.Policy)
				if err != nil {
					t.Fatal(err)
				}
				o.Policy = p
			})
			press(m, "1")
			row := rowOf(screen(t, m), m.run.Last().N)
			for _, says := range append(c.says, c.signs) {
				if !strings.Contains(row, says) {
					t.Errorf("%d %s: no %q in %q\n%s", w, c.policy, says, row, m.paint.grid.Plain())
				}
			}
		}
	}
}

// The ends of a run say in each of their forms what matters.
func TestEndTextsKeepWhatMatters(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"cancelled by the caller", "signed out", "timeout", "the caller's deadline", "ended"} {
		last := 1 << 10
		for _, text := range interruptedTexts(who, "1.50s") {
			if !strings.HasSuffix(text, "1.50s") || TextWidth(text) >= last {
				t.Errorf("%q after one of %d", text, last)
			}
			last = TextWidth(text)
		}
	}
}
