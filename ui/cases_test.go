package ui

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// Faults reported of other clients and of other screens, by the numbers docs/CASES.md has them under.

// everywhere gives each frame that the keys of the panes and dialogs lead to, checked against the laws of a frame.
func everywhere(t *testing.T, m *Model) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 60}} {
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		for _, keys := range []string{"1", "2", "3", "4", "5", "1 z", "3 z", "4 z", "5 z", "1 up", "1 up up", "i", "i down", "c", "p", "?", "w"} {
			press(m, strings.Fields(keys)...)
			out[sizeText(size[0], size[1])+" "+keys] = screen(t, m)
			if m.dialog() != nil {
				press(m, "esc")
			}
			if m.full {
				press(m, "z")
			}
			press(m, "1", "esc", "esc", "2")
		}
	}
	return out
}

// faulty is a server in memory that gives one answer, or one failure.
type faulty struct {
	err    error
	status int
	reason string
	header http.Header
	body   string
}

func (f *faulty) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Millisecond) // in a bubble
	if f.err != nil {
		return nil, f.err
	}
	return &http.Response{
		StatusCode: f.status, Status: fmt.Sprintf("%d %s", f.status, f.reason), Proto: "HTTP/1.1", Header: f.header.Clone(),
		Body: io.NopCloser(strings.NewReader(f.body)), ContentLength: int64(len(f.body)), Request: r,
	}, nil
}

// sentTo is a live screen after its send has ended.
func sentTo(t *testing.T, base http.RoundTripper, r lab.Request) *Model {
	t.Helper()
	f := &fakeLive{ctx: t.Context(), base: base}
	m := newScreen(t, 80, 24, func(o *Options) {
		o.Live, o.Request = f, r
		o.Copy = func(string) (string, error) { return "/f", nil }
		o.SaveRun = func(string, *trace.Trace, bool) (string, error) { return "/f", nil }
	})
	runTicks(m, press(m, "S"), time.Hour)
	if m.live.trace == nil || m.live.trace.Done == nil {
		t.Fatal("the send did not end")
	}
	return m
}

// LG-01, LG-03: a refused connection to an address with a password in it: no frame shows the password, nor the title.
func TestCaseNoSecretInAFrame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const raw = "http://user:s3cret@127.0.0.1:1/?token=s3cret"
		refused := &url.Error{Op: "Get", URL: raw, Err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
		m := sentTo(t, &faulty{err: refused}, lab.Request{URL: raw, Header: http.Header{"Authorization": {"Bearer s3cret"}}})
		wants(t, m, "refused", "failed")
		frames := everywhere(t, m)
		press(m, "f")
		frames["replayed"] = screen(t, m)
		press(m, "e")
		frames["its script"] = screen(t, m)
		for name, frame := range frames {
			if strings.Contains(frame, "s3cret") {
				t.Errorf("%s:\n%s", name, frame)
			}
		}
		if title := m.View().WindowTitle; strings.Contains(title, "s3cret") {
			t.Error(title)
		}
	})
}

// TU-01, TU-03, TU-05: whatever a server puts into its answer, or somebody into an address, no control byte of it is in
// a frame, what was meant for the terminal is not shown as text either, and the title is ours.
func TestCaseHostileTextInAFrame(t *testing.T) {
	t.Parallel()
	const mark = "TUlORQ"
	for name, evil := range map[string]string{
		"link": "\x1b]8;;http://" + mark + "\x1b\\", "clipboard": "\x1b]52;c;" + mark + "\x07", "DCS": "\x1bP" + mark + "\x1b\\", "APC": "\x1b_" + mark + "\x1b\\",
		"8-bit clipboard": "\u009d52;c;" + mark + "\u009c", "raw 8-bit clipboard": "\x9d52;c;" + mark + "\x9c",
		"reset": "\x1bc", "asks for the cursor": "\x1b[6n", "8-bit CSI": "\u009b2J", "bell": "\x07", "a string without an end": "\x1b]", "direction": "\u202e\u2066",
		"new lines": "a\r\nb\tc",
	} {
		synctest.Test(t, func(t *testing.T) {
			m := sentTo(t, &faulty{
				status: 503, reason: evil + "still here", body: evil,
				header: http.Header{"Retry-After": {evil}, "X-Request-Id": {evil + "behind"}, "Date": {evil}},
			}, lab.Request{URL: "http://h.test/"})
			frames := everywhere(t, m)
			for at, frame := range frames {
				if strings.Contains(frame, mark) || strings.Contains(frame, "52;c;") {
					t.Errorf("%s, %s:\n%s", name, at, frame)
				}
			}
			if answer := frames["120x40 4 z"]; !strings.Contains(answer, "still here") || !strings.Contains(answer, "behind") {
				t.Errorf("%s swallows what follows it:\n%s", name, answer)
			}
			if title := m.View().WindowTitle; title != "" {
				t.Errorf("%s: title %q", name, title)
			}
		})
	}
	m := newScreen(t, 80, 24, func(o *Options) {
		o.PolicyName = "mine\x07\x1b]0;" + mark + "\x07"
		o.Live = &fakeLive{}
		o.Request.URL = "http://h.test/\x07\x1b]2;" + mark + "\x07"
	})
	if title := m.View().WindowTitle; title != "" {
		t.Errorf("title %q", title)
	}
	screen(t, m)
}

// LG-06, RA-15, RA-06: a wait that cannot be read is told as unreadable, one that is blank as none; neither a negative
// figure nor a server's 0s is shown.
func TestCaseWaitsThatAreNone(t *testing.T) {
	t.Parallel()
	for hint, word := range map[string]string{`-5`: "neither seconds nor a date", `-1`: "neither seconds nor a date", `""`: "blank", `"   "`: "blank", "1.5": "neither seconds nor a date"} {
		m := newScreen(t, 80, 24, func(o *Options) { o.Script, o.Draw = "503 latency=100ms after="+hint+", 200", 1 })
		press(m, "1", "g", ".") // in the wait
		wants(t, m, "waiting 0.20s for attempt 2")
		wantsNot(t, m, "the server asked", "waiting -")
		press(m, "G")
		for at, frame := range everywhere(t, m) {
			for _, bad := range []string{"server asked", "Retry-After 0s", "-5s", "-5.0", "-1s", "-0", "waits -", "waited -", "wait         -", "in -"} {
				if strings.Contains(frame, bad) {
					t.Errorf("after=%s, %s: %q in\n%s", hint, at, bad, frame)
				}
			}
		}
		press(m, "1", "up", "up", "up", "4", "z")
		wants(t, m, word)
	}
}

// LG-05: the wait that is shown is the wait that is waited, and whose it is.
func TestCaseTheWaitShownIsTheWaitTaken(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) {
		o.Script, o.Draw = "503 latency=100ms after=60, 200", 1
		o.Policy.Base, o.Policy.Ceiling = time.Second, time.Hour
	})
	wants(t, m, "Retry-After 1m", "waited 1m")
	press(m, "1", "g", ".")
	if at, _ := m.now(); at != 100*time.Millisecond {
		t.Fatalf("the cursor is at %v", at)
	}
	wants(t, m, "waiting 1m", "for attempt 2", "Retry-After 1m (own 1s)", "max(own 1s, 1m)")
	wantsNot(t, m, "waiting 1s", "waiting 1.0")
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	wants(t, m, "the server asked for it", "1m, server")
}

// CT-05, TO-08: the figure behind "of" is the most that may be sent, however the count was given.
func TestCaseTheMostThatMayBeSent(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) {
		o.Policy = o.Policy.WithRetries(6)
		o.Script = "503"
		o.Policy.Base = 0
	})
	wants(t, m, "7 attempts of 7", "‹ 7 ›  (6 retries)")
	m = newScreen(t, 80, 24, func(o *Options) {
		o.Policy = o.Policy.WithRetries(10)
		o.Script, o.Policy.Timeout, o.Policy.Base, o.Policy.Cap = "503", 10*time.Second, time.Second, engine.NoCap
		o.Policy.Jitter = engine.Jitter{}
	})
	wants(t, m, "timed out after 7.00s", "not begun: 8s would pass timeout 10s", "attempt 4 of 11")
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	wants(t, m, "4 attempts of 11")
}

// TU-15: an address of 2000 characters is shortened in the middle, no line is wider than the screen, and the request has
// all of it.
func TestCaseLongAddress(t *testing.T) {
	t.Parallel()
	long := "https://begin.test/" + strings.Repeat("segment/", 250) + "the-end"
	m := newScreen(t, 80, 24, func(o *Options) { o.Live, o.Request.URL = &fakeLive{}, long })
	for at, frame := range everywhere(t, m) {
		if head, _, _ := strings.Cut(frame, "\n"); !strings.Contains(head, "https://beg") || !strings.Contains(head, "…") || !strings.Contains(head, "end") {
			t.Errorf("%s: %q", at, head)
		}
	}
	press(m, "i", "down", "home")
	wants(t, m, "https://begin.test/segment/")
	press(m, "end")
	wants(t, m, "segment/the-end")
}

// TU-16: what is shown after the screen became a cell smaller and larger again is what a new screen shows.
func TestCaseNothingIsLeftOverOfAnotherSize(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	for _, w := range []int{80, 79, 80, 81, 80, 60, 20, 200, 80} {
		m.Update(tea.WindowSizeMsg{Width: w, Height: 24})
		if got, want := screen(t, m), screen(t, newScreen(t, w, 24)); got != want {
			t.Errorf("at %d cells:\n%s\nwant:\n%s", w, got, want)
		}
	}
}

// TU-25, TU-28: the terminal is not asked for the mouse unless somebody asks for it: no report of it can be torn, and
// none is left behind by a program that was killed.
func TestCaseNoMouseUnlessAskedFor(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	for _, keys := range []string{"1", "i", "esc", "e", "esc", "?", "esc", "space", "x", "p", "enter"} {
		press(m, keys)
		if mode := m.View().MouseMode; mode != tea.MouseModeNone {
			t.Errorf("after %s the mouse is asked for", keys)
		}
	}
}

// TU-26, TU-30, BO-15: runs that take no time, are of one length, or dwarf their attempts: each attempt and each wait of
// them can be seen, and no figure is off the pane.
func TestCaseScalesThatCollapse(t *testing.T) {
	t.Parallel()
	atOnce := func(o *Options) { o.CancelAt = 0 }
	for _, c := range []struct {
		name, script, policy string
		draw                 float64
		change               func(*Options)
		bars, draws          int // rows with an attempt that has a bar, with a drawn wait
	}{
		{"no attempt", "503", "", 1, atOnce, 0, 0},
		{"one of 0 ms", "200", "", 1, nil, 1, 0},
		{"all of 0 ms", "503", "base=0", 1, nil, 4, 3},
		{"draws of 0", "503", "base=1ms attempts=5", 0, nil, 5, 4},
		{"all equal", "503 latency=1s", "base=1s curve=constant jitter=none", 1, nil, 4, 3},
		{"an hour beside a millisecond", "503 latency=1ms after=3600, 200 latency=1ms", "ceiling=none", 1, nil, 2, 0},
		{"longer than any duration", "503", "attempts=70 base=1h cap=none jitter=none", 1, nil, 1, 0},
		{"a factor beyond all", "503", "attempts=5 base=1s cap=none factor=1e300 jitter=none", 1, nil, 1, 0},
	} {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {200, 60}} {
			m := newScreen(t, size[0], size[1], func(o *Options) {
				o.Script, o.Draw = c.script, c.draw
				p, err := engine.ParsePolicy(c.policy, engine.Default())
				if err != nil {
					t.Fatal(err)
				}
				o.Policy = p
				if c.change != nil {
					c.change(o)
				}
			})
			press(m, "1")
			frame := screen(t, m)
			bars, draws := 0, 0
			for _, a := range m.run.Attempts {
				row := rowOf(frame, a.N)
				if strings.ContainsAny(row, "█▏▎▍▌▋▊▉") {
					bars++
				}
				if strings.Contains(row, "◆") {
					draws++
				}
			}
			if bars < c.bars || draws < c.draws {
				t.Errorf("%s at %v: %d attempts and %d waits can be seen, want %d and %d:\n%s", c.name, size, bars, draws, c.bars, c.draws, frame)
			}
			if !m.run.Checks.OK() {
				t.Errorf("%s: %v", c.name, m.run.Broken)
			}
			for at, f := range everywhere(t, m) {
				if strings.Contains(f, "NaN") || strings.Contains(f, "Inf") || strings.Contains(f, "CHECK") || strings.Contains(f, "2562047") {
					t.Errorf("%s, %s:\n%s", c.name, at, f)
				}
			}
		}
	}
}

// A run that was cancelled before its first attempt says so, and does not speak of what it would have sent.
func TestCaseCancelledBeforeTheFirstAttempt(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) { o.CancelAt = 0 })
	wants(t, m, "cancelled by the caller at 0s", "0 attempts of 4", "attempt 1 is not made", "before anything")
	wantsNot(t, m, "is sent at once")
}

// BO-01, BO-03: a wait beyond every duration runs off the edge; nobody cut it.
func TestCaseEndlessWaitRunsOffTheEdge(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"attempts=5 base=1s cap=none jitter=none factor=1e300", "attempts=70 base=1h cap=none jitter=none"} {
		m := newScreen(t, 120, 40, func(o *Options) {
			p, err := engine.ParsePolicy(policy, engine.Default())
			if err != nil {
				t.Fatal(err)
			}
			o.Script, o.Policy = "503", p
		})
		wants(t, m, "never ends: the wait after attempt", "does not end")
		wantsNot(t, m, "⊗", "CHECK", "never answers", "ended at")
		// The second is within a duration itself, and is drawn to where it would end.
		if row := strings.TrimRight(rowOf(screen(t, m), m.run.Done.Attempts), " \n"); !strings.Contains(row, "━━━") || len(policy) > 50 && !strings.HasSuffix(row, "━") {
			t.Errorf("%s: %q", policy, row)
		}
	}
}

// rowOf is the line of an attempt in the timeline.
func rowOf(frame string, n int) string {
	for line := range strings.Lines(frame) {
		if f := strings.Fields(strings.TrimLeft(line, " ▸")); len(f) > 1 && f[0] == fmt.Sprint(n) {
			return line
		}
	}
	return ""
}
