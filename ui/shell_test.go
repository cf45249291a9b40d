package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// What the screen says of a cause that nobody named is what the engine does with it.
func TestCausesAsTheirKindHasThem(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"refused", "dns", "tls", "reset", "eof", "cut", "garbage"} {
		s, err := script.Parse(word)
		if err != nil {
			t.Fatal(err)
		}
		for _, retryOn := range []string{"transport,invalid-response", "transport", "invalid-response", "503"} {
			p := parsePolicy(t, "attempts=2 retry-on="+retryOn)
			a := lab.Scripted(lab.Config{Policy: p, Script: s, Draw: -1, CancelAt: never, SignOutAt: never}).Attempts[0]
			kind, permanent := natureOf(a.Outcome.Cause)
			if a.Outcome.Cause == engine.CauseNone || kind != a.Outcome.Kind || permanent != a.Outcome.Permanent {
				t.Errorf("%s: %v, permanent %v; the run has %+v", word, kind, permanent, a.Outcome)
			}
			d := newClassifier(p)
			mark := "[ ]"
			if a.Decision.Verdict == engine.Retry {
				mark = "[x]"
			}
			for _, c := range d.cells {
				if c.cause == a.Outcome.Cause && d.mark(c) != mark {
					t.Errorf("%s under %s: %s, and its verdict is %v", word, retryOn, d.mark(c), a.Decision.Verdict)
				}
			}
		}
	}
	m := newScreen(t, 80, 24)
	press(m, "c", "tab")
	wants(t, m, "what does not heal by itself")
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 50})
	wants(t, m, "[x] idempotent  [ ] any")
	press(m, "right")
	wants(t, m, "not named: retried, for it is of the kind transport")
	press(m, "space", "space")
	wants(t, m, "[-] refused", "named out: it is not retried")
}

// A Retry-After that no client reads is told while it is typed, and by one word everywhere else.
func TestUnreadableRetryAfterIsTold(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "e", "ctrl+u")
	typeText(m, "503 after=1h, 200")
	wants(t, m, "✓ 2 steps", `! step 1: after="1h" is neither seconds nor an HTTP date`, "own wait")
	press(m, "enter", "1", "up", "up", "up")
	wants(t, m, "Retry-After unreadable")
	press(m, "5")
	wants(t, m, "Retry-After 1h (unreadable)")
	press(m, "4")
	wants(t, m, "unreadable, neither seconds nor a date")
	press(m, "z", "e", "ctrl+u")
	typeText(m, "503 after=, 429 after=-5")
	wants(t, m, `after=""`, "! step 2: after=")
	press(m, "ctrl+u")
	typeText(m, "503 after=2")
	wantsNot(t, m, "neither seconds")
}

// A body of a failure is as long as it says.
func TestBodyOfAFailure(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 120, 40, func(o *Options) { o.Script, o.Policy.Attempts = "503 body=hello, 200 body=no", 2 })
	press(m, "1", "up", "up")
	wants(t, m, "body 5 bytes, not kept")
	press(m, "down")
	wants(t, m, "body 2 bytes, not kept")
	m = newScreen(t, 120, 40, func(o *Options) { o.Script = "503" })
	wants(t, m, "no body")
}

// What a decision comes to is seen at any height, whatever stands above it.
func TestVerdictIsAlwaysSeen(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) { o.Request.Method = "POST" })
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 40}} {
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		wants(t, m, "→ stops", "✗ POST is not idempotent")
	}
	m.Update(tea.WindowSizeMsg{Width: 60, Height: 15})
	press(m, "3")
	wants(t, m, "→ stops")
	press(m, "end")
	wants(t, m, "→ stops")
	press(m, "home")
	wants(t, m, "→ stops", "503 after")
}

// The pane in focus has a sign of its own, not only a color.
func TestFocusHasASign(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}} {
			m := newScreen(t, size[0], size[1], func(o *Options) { o.ASCII = ascii })
			for _, c := range [][2]string{{"1", "1 Timeline"}, {"2", "2 Policy"}, {"3", "3 Why"}} {
				press(m, c[0])
				wants(t, m, string(m.paint.glyphs.Pointer)+" "+c[1])
			}
		}
	}
}

// Values and what surrounds them do not run into each other at the smallest whole screen, and no figure is cut.
func TestKnobsHaveRoom(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	screen(t, m)
	for range 4 {
		press(m, "down")
	}
	wants(t, m, "‹ at least, max 30s ›")
	press(m, "right")
	wants(t, m, "‹ replace, max 30s ›")
	press(m, "down", "down")
	wants(t, m, "attempt timeout ‹10s›")
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	press(m, "up", "up")
	wants(t, m, "‹ replace, up to 30s ›")
}

// Long scripts are broken between words, and what is wrong with them ends in an ellipsis where there is more.
func TestScriptIsBrokenBetweenWords(t *testing.T) {
	t.Parallel()
	text := []rune("503 latency=1s, refused\n" + strings.Repeat("x", 12) + ",y")
	for _, c := range []struct{ from, w, want int }{{0, 10, 4}, {4, 10, 14}, {4, 12, 16}, {16, 10, 23}, {24, 5, 29}, {24, 13, 37}, {24, 99, 38}} {
		if got := rowEnd(text, c.from, c.w); got != c.want {
			t.Errorf("a row of %d from %d ends at %d, want %d", c.w, c.from, got, c.want)
		}
	}
	m := newScreen(t, 60, 15)
	press(m, "e", "ctrl+u")
	typeText(m, strings.Repeat("503, refused, ", 6)+"200")
	wants(t, m, "503, refused,  │", "503, refused, 200  ")
	press(m, "ctrl+u")
	typeText(m, "flaky, again, nope, 5")
	wants(t, m, "…")
}

// A hint that is of no use is not given, and a size is named on the smallest screens.
func TestHintsAndSizes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, _ := liveScreen(t, 200)
		wants(t, m, "S send")
		wantsNot(t, m, "replay as script", "write run")
		m.opts.Save = func(string, engine.Policy, bool) (string, error) { return "", errTest }
		m.opts.SaveRun = func(string, *trace.Trace, bool) (string, error) { return "", errTest }
		runTicks(m, press(m, "S"), time.Minute)
		wants(t, m, "f replay as script", "w write run")
		press(m, "w")
		wants(t, m, "Write the run", "path run.jsonl")
		press(m, "tab")
		wants(t, m, "Save the policy", "name my-default")
	})
	m := newScreen(t, 10, 5)
	wants(t, m, "60x15")
	m = newScreen(t, 80, 24)
	press(m, "?")
	if got := screen(t, m); strings.Index(got, "presets") > strings.Index(got, "play, pause") {
		t.Errorf("the list does not begin with what one does:\n%s", got)
	}
}

// Of a long note the end stays: it says from where a change counts.
func TestLongNotesKeepTheirEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, _ := liveScreen(t, 503)
		m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		cmd := runTicks(m, press(m, "S"), 150*time.Millisecond)
		press(m, "p", "down", "enter")
		wants(t, m, " more at 200ms: counts after attempt 2  ")
		runTicks(m, cmd, time.Minute)
	})
}

// After a while in the shell the screen says that a live run went on.
func TestResumeSaysThatTimeWentOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, _ := liveScreen(t, 503)
		cmd := runTicks(m, press(m, "S"), 150*time.Millisecond)
		m.Update(tea.ResumeMsg{})
		wants(t, m, "the run went on meanwhile")
		press(m, "x")
		runTicks(m, cmd, time.Minute)
	})
}

// What is said of an end is said once, and of a wait that was cut how much of it passed.
func TestEventsSayThingsOnce(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 120, 40, func(o *Options) {
		o.Script, o.CancelAt, o.Policy.Jitter, o.Policy.Base = "503 latency=100ms", 600*time.Millisecond, engine.Jitter{}, time.Second
	})
	press(m, "5", "z")
	wants(t, m, "wait cut     after 0.5s of 1s", "done         cancelled, ")
	wantsNot(t, m, "cancelled: cancelled", "cut short")
}

// A window that the cap makes says so, and does not multiply what it is not made of.
func TestFormulaOfACappedWindow(t *testing.T) {
	t.Parallel()
	g := Unicode()
	for _, c := range []struct {
		policy string
		retry  int
		want   string
	}{
		{"base=1h cap=10s", 3, "full, cap 10s"},
		{"base=200ms cap=10s", 3, "full, 200ms·2²"},
		{"base=200ms cap=800ms", 3, "full, 200ms·2²"},
		{"base=200ms cap=800ms", 4, "full, cap 800ms"},
		{"base=200ms cap=none", 40, "full, 200ms·2³⁹"},
		{"base=20s cap=10s curve=constant jitter=none", 1, "cap 10s"},
		{"base=1h cap=10s first=immediate", 1, "the first at once"},
	} {
		p := parsePolicy(t, c.policy)
		if got := formula(&p.Backoff, c.retry, 0, g); got != c.want {
			t.Errorf("%s, retry %d: %s, want %s", c.policy, c.retry, got, c.want)
		}
	}
}

// Ten gates, what came back and what it comes to fit beside the knobs at 80x24, whichever gate is shut.
func TestWhyFitsBesideTheKnobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ policy, script, method, want string }{
		{"", "503", "", "✗ attempt 4 of 4"},
		{"retry-after=ignore", "503 after=1h", "", "– Retry-After unreadable"},
		{"retry-after=ignore jitter=full budget=tokens:500/14/1", "503 after=2, 429 after=2, 200", "", "– Retry-After ignored"},
		{"", "503 after=60", "", "✗ server asked 1m, ceiling 30s"},
		{"", "tls", "", "✗ transport (tls) does not heal unless"},
		{"", "503", "POST", "✗ POST is not idempotent"},
		{"budget=tokens:2/1/1 attempts=10", "503", "", "✗ 0 left, a retry costs 1"},
		{"timeout=2s jitter=decorrelated", "503 after=1", "", "to timeout"},
	} {
		m := newScreen(t, 80, 24, func(o *Options) {
			o.Policy, o.Script, o.Request.Method = parsePolicy(t, c.policy), c.script, c.method
		})
		frame := screen(t, m)
		pane := inBox(strings.Join(strings.Split(frame, "\n")[11:19], "\n"), 39, 80)
		if !strings.Contains(pane, c.want) || !strings.Contains(pane, "→ ") || strings.Contains(pane, "↓") {
			t.Errorf("%s, %s: no %q, or something is out of sight\n%s", c.policy, c.script, c.want, frame)
		}
	}
}

// A wait that was cut is not told as one that was waited.
func TestWhyOfACutWait(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "1", "g", ".", "L", "x")
	wants(t, m, "Why: attempt 2's wait was cut", "no cancel yet", "→ cut 0.35s into 2.00s  cancelled")
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	wants(t, m, "Why: attempt 2's wait was cut ─", "→ cut 0.35s into 2.00s  cancelled")
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	press(m, "u")
	wants(t, m, "is retried")
	wantsNot(t, m, "cut 0.35s", "no cancel yet")
	press(m, "?")
	typeText(m, "sign out")
	press(m, "enter")
	wants(t, m, "not signed out yet", "→ cut 0.15s into 0.30s  signed out")
	wantsNot(t, m, "no cancel yet")
}
