package ui

import (
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
)

// roomSizes are those that the screen is designed for.
var roomSizes = [][2]int{{60, 15}, {80, 24}, {100, 30}, {120, 40}, {200, 60}}

// noteLine is the line that the latest note, or a warning, stands on.
func noteLine(t *testing.T, m *Model) string {
	t.Helper()
	return strings.Split(screen(t, m), "\n")[m.paint.lay.note]
}

// A warning has its figures at every size, and the keys that show the others beside it.
func TestWarningsFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ policy, method, figure string }{
		{"attempts=6 timeout=6s attempt-timeout=1s", "", "12.2s"},
		{"attempts=6 timeout=6s attempt-timeout=1s jitter=none retry-on=5xx,401", "", "12.2s"},
		{"attempts=unlimited timeout=1m", "", "1m"},
		{"attempts=3 attempt-timeout=0s timeout=5s", "", "5s"},
		{"attempts=6 budget=tokens:10/5/1", "", "2 retries"},
		{"attempts=6 timeout=15s budget=tokens:10/5/1", "", "2 retries"},
		{"attempts=500 cap=100ms base=200ms factor=3 curve=linear", "", "cap"},
		{"attempts=5", "POST", "sent once"},
		{"attempts=999999", "", "10000 sends"},
	} {
		for _, size := range roomSizes {
			m := newScreen(t, size[0], size[1], func(o *Options) {
				o.Policy, o.Script, o.Request.Method = parsePolicy(t, c.policy), "200", c.method
			})
			line := noteLine(t, m)
			if strings.Contains(line, "…") || !strings.Contains(line, c.figure) {
				t.Errorf("%v %s: %q", size, c.policy, line)
			}
			if len(m.paint.warns) > m.paint.lay.noteH && !strings.Contains(line, "2 z: ") {
				t.Errorf("%v %s: no key to the others in %q", size, c.policy, line)
			}
			if m.paint.found.n > 0 && !strings.Contains(line, "!: ") {
				t.Errorf("%v %s: no key to the findings in %q", size, c.policy, line)
			}
		}
	}
}

// The forms of a warning become shorter and shorter.
func TestWarningForms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"timeout=6s attempts=6 attempt-timeout=1s", "timeout=1m attempts=unlimited", "attempts=2 timeout=1s", "attempts=6 budget=tokens:10/5/1", "attempts=2 budget=tokens:4/5/1"} {
		p := parsePolicy(t, text)
		for _, safety := range []engine.Safety{engine.SafeMethod, engine.Unsafe, engine.Unlisted} {
			c := CostOf(&p, safety, engine.BodyNone)
			for _, f := range c.warnings(ASCII()) {
				for i := 1; i < len(f); i++ {
					if TextWidth(f[i]) > TextWidth(f[i-1]) {
						t.Errorf("%s: %q is longer than %q", text, f[i], f[i-1])
					}
				}
			}
		}
	}
}

// What a server may ask for is part of the worst case wherever there is room for two lines of it.
func TestWorstCaseWithTheServer(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"attempts=6 timeout=6s attempt-timeout=1s", "timeout=20s", ""} {
		for _, size := range roomSizes[1:] {
			m := newScreen(t, size[0], size[1], func(o *Options) { o.Policy = parsePolicy(t, policy) })
			wants(t, m, "Retry-After ", " 30s\n")
		}
	}
	p := parsePolicy(t, "timeout=20s")
	c := costOf(&p)
	for w := 3; w < 100; w++ {
		if got := c.WorstCaseIn(w); strings.Contains(got, "asked") {
			t.Errorf("in %d: %q does not say what is asked", w, got)
		}
	}
}

// All gates of an attempt are in sight, or a sign says that there are more and they can be reached.
func TestAllGatesCanBeReached(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ policy, method, script string }{
		{"", "", "503"},
		{"", "POST", "503"},
		{"retry-after=ignore", "", "503 after=2"},
		{"attempts=unlimited", "", "503 x3, 200"},
		{"", "", "tls"},
		{"timeout=2s jitter=decorrelated", "", "503 after=1"},
		{"budget=tokens:2/1/1 attempts=10", "", "503"},
		{"", "POST", "503 latency=1s"},
	} {
		for _, size := range roomSizes {
			m := newScreen(t, size[0], size[1], func(o *Options) {
				o.Policy, o.Script, o.Request.Method = parsePolicy(t, c.policy), c.script, c.method
			})
			press(m, "3")
			seen := map[string]bool{}
			more := true
			for range 20 {
				r := m.layout().panes[paneWhy]
				lines := strings.Split(screen(t, m), "\n")[r.Y : r.Y+r.H]
				more = false
				for _, line := range lines {
					pane := string([]rune(line + strings.Repeat(" ", size[0]))[r.X : r.X+r.W])
					seen[strings.Join(strings.Fields(pane), " ")] = true
					more = more || strings.Contains(pane, "↓")
				}
				if !more {
					break
				}
				press(m, "down")
			}
			all := ""
			for line := range seen {
				all += line + "\n"
			}
			if more {
				t.Errorf("%v %v: the end is not reached", size, c)
			}
			for _, p := range m.paint.why.parts {
				if p.sign == 0 {
					continue
				}
				long, short := strings.Join(strings.Fields(p.long), " "), p.short
				first := strings.Join(strings.Fields(long)[:min(3, len(strings.Fields(long)))], " ")
				if !strings.Contains(all, first) && (short == "" || !strings.Contains(all, short)) {
					t.Errorf("%v %v: no %q or %q in\n%s", size, c, long, short, all)
				}
			}
		}
	}
}

// The title of the terminal's window is nobody's but its owner's.
func TestTitleIsLeftAsFound(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	for _, k := range []string{"p", "esc", "?", "esc", "F", "D", "q"} {
		m.Update(keyOf(k))
		if title := m.View().WindowTitle; title != "" {
			t.Errorf("after %s: %q", k, title)
		}
	}
}
