package ui

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// A newcomer's first minute at 80x24.
func TestFirstMinute(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	wants(t, m, "✓ succeeded in", "at end", "default  seed 42", "▸ attempts       ‹ 4 ›")
	wantsNot(t, m, "if 4 fails")

	press(m, "right")
	wants(t, m, "▸ attempts       ‹ 5 ›", "(4 retries)", "5  if 4 fails", "default*", "4 attempts of 5")

	before := screen(t, m)
	press(m, "down", "right")
	after := screen(t, m)
	wants(t, m, "▸ base           ‹ 500ms ›", "0–0.5s → 0–1s")
	for i, line := range strings.Split(before, "\n")[3:9] {
		if line != "" && line == strings.Split(after, "\n")[3+i] {
			t.Errorf("base turned, and line %d stands still: %q", 3+i, line)
		}
	}

	press(m, "u")
	if got := screen(t, m); !strings.Contains(got, "taken back: base") || !strings.Contains(got, "‹ 200ms ›") {
		t.Errorf("undo:\n%s", got)
	}
	press(m, "u", "u")
	wants(t, m, "nothing to take back", "default  seed 42")
	press(m, "ctrl+r")
	wants(t, m, "attempts         5", "done again: attempts")
}

func TestCancelAtTheCursor(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "1", "g", ".")
	at, atEnd := m.now()
	if atEnd || at != 120*time.Millisecond {
		t.Fatalf("one event on, the cursor is at %v", at)
	}
	press(m, ".", "L")
	at, _ = m.now()
	press(m, "x")
	wants(t, m, "⊗", "cancelled by the caller at", "u brings it back")
	if m.run.Done == nil || m.run.Done.Result != engine.ResultCancelled || m.run.Done.At != at {
		t.Errorf("cancelled at %v, the run says %+v", at, m.run.Done)
	}
	press(m, "u")
	wants(t, m, "taken back: cancel")
	wantsNot(t, m, "⊗")
	press(m, "G")
	wants(t, m, "✓ succeeded")

	// At the end there is nothing to cancel: the latest moment at which it makes a difference is taken, and said.
	press(m, "x")
	wants(t, m, "⊗", "half of the last wait: u brings it back")
	if a := m.run.Last(); !a.Wait.Cut || a.N != 3 {
		t.Errorf("the wait after attempt %d was not cut", a.N)
	}
	press(m, "x")
	wants(t, m, "cut short already")
}

func TestSignOutFromTheList(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "?")
	typeText(m, "sign")
	wants(t, m, "Everything", "sign out")
	press(m, "enter")
	if m.run.Done.Reason != engine.ReasonStaleGeneration {
		t.Errorf("the run ended for %v", m.run.Done.Reason)
	}
	press(m, ":")
	typeText(m, "neither")
	press(m, "enter")
	wants(t, m, "✓ succeeded")
}

func TestPresetsAreTriedOut(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	before := screen(t, m)
	press(m, "p", "down", "down")
	wants(t, m, "▸ carom", "✗ failed", "not retryable", "carom  seed 42")
	press(m, "esc")
	if after := screen(t, m); after != before {
		t.Errorf("esc does not restore:\n%s", after)
	}
	press(m, "p", "down", "down", "enter")
	wants(t, m, "carom  seed 42", "✗ failed")
	if len(m.hist.past) != 1 {
		t.Errorf("%d changes to take back", len(m.hist.past))
	}
	press(m, "u")
	wants(t, m, "✓ succeeded")
}

func TestRequestShowsWhetherItMayBeRetried(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "i")
	wants(t, m, "✓ may be sent again: GET", "no body")
	press(m, "right")
	wants(t, m, "‹ POST ›", "✗ is sent once", "not idempotent", "1 attempt of 4")
	press(m, "down", "down")
	typeText(m, "order-7")
	wants(t, m, "✓ may be sent again: POST with an idempotency key", "4 attempts of 4")
	press(m, "down")
	typeText(m, "q=1")
	wants(t, m, "the body can be made again")
	press(m, "down", "space")
	wants(t, m, "✗ is sent once: the body can be read only once", "body cannot be sent again")
	press(m, "space", "enter")
	wants(t, m, "✓ succeeded", "POST + idem. key")
	r := m.doc.request
	if r.Method != "POST" || r.Key != "order-7" || string(r.Body) != "q=1" || !r.HasBody || r.BodyOnce {
		t.Errorf("the request is %+v", r)
	}
	press(m, "u")
	wants(t, m, "GET")
	// A letter goes to the method that begins with it.
	press(m, "i", "p", "enter")
	wants(t, m, "not idempotent", "1 attempt of 4")
}

func TestClassifier(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "c")
	wants(t, m, "[x] transport", "retry-on=transport,timeout")
	press(m, "space")
	wants(t, m, "✗ failed", "not retryable", "last failure reset")
	press(m, "tab", "right", "right", "right", "space")
	wants(t, m, "[+] reset", "✓ succeeded", "named in")
	press(m, "space")
	wants(t, m, "[-] reset", "✗ failed")
	press(m, "enter")
	if got := m.doc.policy.RetryOn.String(); !strings.Contains(got, "-reset") || strings.Contains(got, "transport") {
		t.Errorf("retry-on is %s", got)
	}
	press(m, "u", "c")
	for range 60 {
		press(m, "right")
	}
	press(m, "left", "space", "enter")
	if got := m.doc.policy.Methods; !strings.Contains(got, "POST") {
		t.Errorf("methods are %s", got)
	}
}

func TestScriptEditor(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "e", "ctrl+u")
	typeText(m, "503 x2, 20")
	wants(t, m, "step 2, column 9", "Script")
	press(m, "enter")
	wants(t, m, "step 2, column 9") // a wrong script is not taken
	press(m, "end")
	typeText(m, "0")
	wants(t, m, "2 steps", "3 attempts of 4") // tried out as it is typed
	press(m, "enter")
	wants(t, m, "script: 503 x2, 200", "✓ succeeded")
	wantsNot(t, m, "step 2")
	press(m, "u")
	wants(t, m, "429 after=2")
	press(m, "e", "ctrl+k", "alt+enter")
	typeText(m, "q")
	press(m, "esc")
	wants(t, m, "429 after=2")
}

func TestTypeAValue(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "enter", "ctrl+u")
	typeText(m, "0")
	press(m, "enter")
	wants(t, m, "Type attempts", "attempts=0: 1 or more")
	press(m, "backspace")
	typeText(m, "7")
	press(m, "enter")
	wants(t, m, "‹ 7 ›", "4 attempts of 7")
	press(m, "down", "=", "ctrl+u")
	typeText(m, "20s")
	press(m, "enter")
	wants(t, m, "‹ 20s ›", "base is above the cap")
	press(m, "=")
	typeText(m, "xyz")
	press(m, "esc")
	wants(t, m, "‹ 20s ›")
}

func TestKnobsThatDoNotCount(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 120, 40)
	wants(t, m, "10s  never reached")
	press(m, "j", "j", "j", "l", "l", "l", "l")
	wants(t, m, "‹ decorrelated ›", "own growth")
	m = newScreen(t, 80, 24)
	press(m, "j", "j", "H", "h", "h")
	wants(t, m, "‹ 200ms ›")
	wantsNot(t, m, "never reached")
	press(m, "=", "ctrl+u")
	typeText(m, "none")
	press(m, "enter")
	wants(t, m, "‹ none ›")
	wantsNot(t, m, "never reached") // where there is no cap, nobody misses it
	press(m, "g", "H")
	wants(t, m, "‹ 1 ›  (no retry)", "200ms  no retry")
}

func TestTimeoutThatComesTooSoon(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) {
		o.Policy.Timeout, o.Policy.AttemptTimeout, o.Policy.Attempts = 6*time.Second, time.Second, 6
	})
	wants(t, m, "! attempt", "may never be sent", "27% late", "6s   whole call")
}

func TestPlayback(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	if cmd := press(m, "down"); cmd != nil {
		t.Error("nothing moves, and there is a command")
	}
	if cmd := press(m, "space"); cmd == nil || !m.cursor.playing {
		t.Fatal("space does not play")
	}
	wants(t, m, "playing 0s")
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	tick := func(d time.Duration) tea.Cmd {
		clock = clock.Add(d)
		_, cmd := m.Update(frameMsg{gen: m.cursor.gen, at: clock})
		return cmd
	}
	tick(0)
	if cmd := tick(time.Second); cmd == nil {
		t.Error("it plays, and no tick follows")
	}
	if at, _ := m.now(); at < time.Second || at > 1100*time.Millisecond {
		t.Errorf("after a second the cursor is at %v", at)
	}
	wants(t, m, "waiting 1.2", "for attempt 3", "│")
	// A second key asks for no second chain, and a tick of another generation is dropped.
	if cmd := press(m, ">"); cmd != nil {
		t.Error("a second chain of ticks")
	}
	at, _ := m.now()
	if _, cmd := m.Update(frameMsg{gen: m.cursor.gen - 1, at: clock.Add(time.Hour)}); cmd != nil {
		t.Error("a stale tick goes on")
	}
	if now, _ := m.now(); now != at {
		t.Error("a stale tick moves the cursor")
	}
	if cmd := tick(time.Minute); cmd != nil {
		t.Error("at the end a tick is asked for")
	}
	wants(t, m, "at end", "✓ succeeded")
	// Pause stops the ticks.
	press(m, "space")
	tick(0)
	press(m, "space")
	if cmd := tick(time.Second); cmd != nil || m.cursor.playing {
		t.Error("paused, and a tick follows")
	}
	// Coming back from the shell begins a new chain.
	press(m, "space")
	gen := m.cursor.gen
	_, cmd := m.Update(tea.ResumeMsg{})
	if cmd == nil || m.cursor.gen == gen {
		t.Error("no new chain after a resume")
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "1")
	screen(t, m)
	last := m.run.Done.At
	for range 70 {
		press(m, "left")
		at, _ := m.now()
		if at >= last && at > 0 {
			t.Fatalf("left from %v to %v", last, at)
		}
		last = at
		screen(t, m)
	}
	if last != 0 {
		t.Errorf("never at the start: %v", last)
	}
	for range 100 {
		press(m, "right")
		screen(t, m)
	}
	if _, atEnd := m.now(); !atEnd {
		t.Error("never at the end")
	}
	press(m, "up")
	wants(t, m, "▸2  429", "Why: attempt 2 is retried")
	press(m, "up", "up", "up")
	wants(t, m, "▸1  503", "Why: attempt 1 is retried")
	press(m, "esc")
	wants(t, m, "Why: attempt 3")
	press(m, "g", "+", "+", "right", "right")
	screen(t, m)
	press(m, "0", "A", "A")
	wants(t, m, "log")
}

func TestFiles(t *testing.T) {
	t.Parallel()
	var saved, copied string
	m := newScreen(t, 80, 24, func(o *Options) {
		o.Save = func(name string, p engine.Policy, over bool) (string, error) {
			switch {
			case name == "full":
				return "", errTest
			case name == "there" && !over:
				return "", fmt.Errorf("/home/there.toml: %w", fs.ErrExist)
			}
			saved = name + ": " + p.String()
			return "/home/" + name + ".toml", nil
		}
		o.List = func() ([]string, error) { return []string{"mine", "yours"}, nil }
		o.Open = func(name string) (engine.Policy, error) {
			if name != "yours" {
				return engine.Policy{}, errTest
			}
			return engine.ParsePolicy("attempts=9", engine.Default())
		}
		o.Copy = func(text string) (string, error) {
			copied = text
			return "/state/copied.txt", nil
		}
	})
	press(m, "right", "w")
	wants(t, m, "Save the policy", "name my-default") // a name that is taken
	press(m, "ctrl+u")
	typeText(m, "there")
	settle(m, press(m, "enter"))
	wants(t, m, "Replace it?", "/home/there.toml")
	settle(m, press(m, "n"))
	if saved != "" {
		t.Error("replaced after a no")
	}
	wants(t, m, "Save the policy", "name there")
	settle(m, press(m, "enter"))
	settle(m, press(m, "y"))
	wants(t, m, "the policy is in /home/there.toml", "there  seed 42")
	if !strings.HasPrefix(saved, "there: attempts=5 ") {
		t.Errorf("saved %q", saved)
	}
	press(m, "w", "ctrl+u")
	typeText(m, "full")
	settle(m, press(m, "enter"))
	wants(t, m, "Save the policy", "the disk is full")
	press(m, "ctrl+u")
	typeText(m, "five")
	settle(m, press(m, "enter"))
	wants(t, m, "the policy is in /home/five.toml", "five  seed 42")
	if !strings.HasPrefix(saved, "five: attempts=5 ") {
		t.Errorf("saved %q", saved)
	}
	settle(m, press(m, "o"))
	wants(t, m, "Open a policy", "mine", "yours")
	settle(m, press(m, "enter"))
	wants(t, m, "the disk is full", "Open a policy")
	typeText(m, "you")
	settle(m, press(m, "enter"))
	wants(t, m, "opened yours", "yours  seed 42", "‹ 9 ›")
	settle(m, press(m, "y"))
	wants(t, m, "copied to the clipboard", "/state/copied.txt")
	if p, err := engine.ParsePolicy(strings.Trim(copied, "'"), engine.Default()); err != nil || p != m.doc.policy {
		t.Errorf("copied %s: %v", copied, err)
	}
}

func TestPasteIsOneEdit(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	m.Update(tea.PasteMsg{Content: "q\nx\n"})
	wants(t, m, "a paste goes into a field", "✓ succeeded")
	press(m, "i", "down")
	m.Update(tea.PasteMsg{Content: "http://a.test/\x1b[2J\nq\nx\n"})
	if m.dialog() == nil {
		t.Fatal("a paste ended the dialog")
	}
	if got := m.tried.request.URL; strings.ContainsAny(got, "\n\x1b") || !strings.HasPrefix(got, "http://a.test/") {
		t.Errorf("pasted %q", got)
	}
	press(m, "esc", "e", "ctrl+u", "ctrl+k")
	m.Update(tea.PasteMsg{Content: "503\r\n200\r\n"})
	wants(t, m, "2 steps")
	press(m, "enter")
	wants(t, m, "script: 503, 200")
}

func TestTypedTextIsNoCommand(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "i", "down")
	typeText(m, "qx?Sn u")
	if d, ok := m.dialog().(*requestDialog); !ok || d.request.URL != "qx?Sn u" {
		t.Errorf("in the dialog is %v", d)
	}
	wants(t, m, "not tried out yet: ", "✓ succeeded")
}

func TestQuitAndStop(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "ctrl+c"} {
		m := newScreen(t, 80, 24)
		cmd := press(m, key)
		if cmd == nil {
			t.Fatalf("%s does nothing", key)
		}
		if _, ok := cmd().(tea.QuitMsg); !ok {
			t.Errorf("%s does not quit", key)
		}
	}
	m := newScreen(t, 80, 24)
	if _, ok := press(m, "e", "ctrl+c")().(tea.QuitMsg); !ok {
		t.Error("ctrl+c does not quit from a dialog")
	}
	if _, ok := press(m, "ctrl+z")().(tea.SuspendMsg); !ok {
		t.Error("ctrl+z does not suspend")
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	broken := func(c lab.Config) *trace.Trace {
		tr := lab.Scripted(c)
		tr.Checks.NoEarlyRetry = false
		return tr
	}
	m := newScreen(t, 80, 24, func(o *Options) { o.Run = broken })
	wants(t, m, "! CHECK FAILED: an attempt began before its wait was over")
	press(m, "j", "j", "left")
	wants(t, m, "CHECK FAILED", "2 z: 1 more")
	press(m, "z")
	wants(t, m, "! CHECK FAILED", "! the cap is never reached by any own wait")

	m = newScreen(t, 80, 24, func(o *Options) {
		if err := o.Policy.Set("jitter", "decorrelated"); err != nil {
			t.Fatal(err)
		}
		o.Base = o.Policy
		o.Policy.Factor = 3
	})
	wants(t, m, "! factor does not count here: own growth")
}

// A gate that is shut says so in the engine's own words, on a line of its own.
func TestShutGate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(*Options)
		want   []string
	}{
		{func(o *Options) { o.Request.Method = "POST" }, []string{"✗ POST is not idempotent", "has no", "key", "Why: attempt 1 is not retried"}},
		{func(o *Options) { o.Script = "404" }, []string{"✗ 404 is not in retry-on", "Not Found"}},
		{func(o *Options) { o.Script = "429 after=60" }, []string{"✗ server asked 1m", "Why: attempt 1 is deferred"}},
		{func(o *Options) { o.Policy.Attempts = 1 }, []string{"✗ attempt 1 of 1", "is not retried"}},
		{func(o *Options) { o.Script, o.Policy.Timeout = "503 latency=900ms", time.Second }, []string{"✗ the next attempt would begin"}},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			m := newScreen(t, size[0], size[1], c.change)
			wants(t, m, c.want...)
		}
	}
}

func TestEventsFollowTheCursor(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 120, 40, func(o *Options) { o.Script, o.Policy.Attempts = "503", 9 })
	wants(t, m, "failed: attempts-exhausted")
	press(m, "5", "g")
	screen(t, m)
	wants(t, m, "start", "end follows")
	wantsNot(t, m, "failed: attempts-exhausted")
	press(m, "G")
	wants(t, m, "failed: attempts-exhausted")
	press(m, "1", "g", ".", ".")
	wants(t, m, "0.16s  attempt 3    sent")
}

// A number of attempts that no machine can make does not hang the screen.
func TestABillionAttempts(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) { o.Script = "503" })
	press(m, "=", "ctrl+u")
	typeText(m, "1000000000")
	press(m, "enter")
	wants(t, m, "no sends left", "the screen gives a run up after 10000 sends")
}
