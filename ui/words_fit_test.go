package ui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
)

// What a command has to say is read whole at the smallest sizes, in every state of a run.
func TestMessagesFit(t *testing.T) {
	t.Parallel()
	states := map[string][]string{"at end": nil, "scrubbed": {"1", "g", "."}, "cancelled": {"x"}, "knob at its end": {"2", "H", "H", "H"}, "live to be": {}}
	for _, size := range [][2]int{{60, 15}, {80, 24}} {
		for name, keys := range states {
			for i := range commandTable {
				m := newScreen(t, size[0], size[1], func(o *Options) {
					if name == "live to be" {
						o.Live, o.Request.URL = &cannedLive{}, "http://h.test/"
					}
				})
				press(m, keys...)
				m.note = note{}
				m.runCommand(i)
				if m.note.text == "" || len(m.dialogs) > 0 || m.stage != stageCall {
					continue
				}
				m.paint.stale = true
				if line := noteLine(t, m); strings.Contains(line, "…") {
					t.Errorf("%v %s, %s: %q", size, name, commandTable[i].id, line)
				}
			}
		}
	}
}

// A policy that was changed while it was in force is told with the new values of as many knobs as there is room for.
func TestChangeForms(t *testing.T) {
	t.Parallel()
	text := "attempts changed 4 → 7, cap changed 10s → 30s, jitter changed full → equal at 1.2s: counts from the decision after attempt 2"
	for w, want := range map[int]string{
		200: text,
		78:  "attempts 4 → 7, cap 10s → 30s, 1 more at 1.2s: counts after attempt 2",
		56:  "attempts 4 → 7, 2 more at 1.2s: counts after attempt 2",
	} {
		if got := changeForms(text).in(w); got != want {
			t.Errorf("in %d: %q, want %q", w, got, want)
		}
	}
	if got := changeForms("something else").in(5); got != "something else" {
		t.Error(got)
	}
}

// The host of an address is what is left out last, the middle of its path first.
func TestAddressIsCutFromThePath(t *testing.T) {
	t.Parallel()
	const full = "POST https://rates.example.test/v1/a/long/way/down/spot?key=•••"
	last := 0
	for w := 10; w < 80; w++ {
		got := cutAddress(full, w, "…")
		if n := TextWidth(got); w >= len("POST rates.example.test") && (n > w || n < last || !strings.Contains(got, "rates.example.test")) {
			t.Errorf("in %d: %q", w, got)
		} else {
			last = n
		}
	}
	for w, want := range map[int]string{
		80: full, 50: "POST https://rates.example.test/…down/spot?key=•••", 34: "POST https://rates.example.test/…", 25: "POST rates.example.test/…",
	} {
		if got := cutAddress(full, w, "…"); got != want {
			t.Errorf("in %d: %q, want %q", w, got, want)
		}
	}
}

// A live header has its host and the state at every size.
func TestLiveHeader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, _ := liveScreen(t, 503, 200)
		cmd := runTicks(m, press(m, "S"), 100*time.Millisecond)
		for _, size := range roomSizes {
			m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			head, _, _ := strings.Cut(screen(t, m), "\n")
			if !strings.Contains(head, "GET ") || !strings.Contains(head, "rates.example.test/") || !strings.Contains(head, "LIVE") {
				t.Errorf("%v: %q", size, head)
			}
		}
		runTicks(m, cmd, time.Minute)
	})
}

// The seed is in the header from 80x24 on, with a knob turned and six digits.
func TestSeedIsInTheHeader(t *testing.T) {
	t.Parallel()
	for _, size := range roomSizes[1:] {
		m := newScreen(t, size[0], size[1], func(o *Options) { o.Seed = 917415 })
		press(m, "right")
		wants(t, m, "default*", "seed 917415", "at end")
		press(m, "p")
		typeText(m, "first-principles")
		wants(t, m, "seed 917415")
	}
}

// While it plays, the speed stands beside the time.
func TestSpeedIsBesideTheTime(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "space")
	wants(t, m, "playing 0s at 1×")
	press(m, "<")
	wants(t, m, "at 0.5×")
}

// The strip begins where the plot does: the words before it give way.
func TestStripStaysInThePlot(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"attempts=unlimited", "attempts=500", "attempts=20000"} {
		in := inputOf(runOf{policy: policy, endless: policy == "attempts=unlimited", answers: []answer{status(503, 10*ms)}}.do(t))
		for _, w := range []int{40, 60, 80, 100, 120, 200} {
			for _, scroll := range []int{0, 5, 100, 9990} {
				in.Scroll = scroll
				g := NewGrid(w, 8)
				l := DrawTimeline(g, &in)
				first := -1
				for x := range w {
					if r, _ := g.At(x, l.Strip.Y); strings.ContainsRune("↻✗░█", r) {
						first = x
						break
					}
				}
				if first != l.PlotX {
					t.Errorf("%s at %d from %d: the strip begins at %d, the plot at %d\n%s", policy, w, scroll, first, l.PlotX, g.Plain())
				}
			}
		}
	}
}

// What a wait was made of fits beside it at 80x24, whatever the way of a Retry-After.
func TestVerdictsFit(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{
		"", "retry-after=replace", "retry-after=clamp:5s", "retry-after=bounded:5s", "over-ceiling=cut", "over-ceiling=own",
		"over-ceiling=cut retry-after=replace", "spread=1s",
	} {
		for _, after := range []string{"2", "3600"} {
			m := newScreen(t, 80, 24, func(o *Options) {
				p, err := engine.ParsePolicy(policy, o.Policy)
				if err != nil {
					t.Fatal(err)
				}
				o.Policy, o.Script = p, fmt.Sprintf("429 after=%s, 200", after)
			})
			for line := range strings.Lines(screen(t, m)) {
				if _, verdict, ok := strings.Cut(line, "│ → "); ok && strings.Contains(verdict, "…") {
					t.Errorf("%s after=%s: %q", policy, after, verdict)
				}
			}
		}
	}
}
