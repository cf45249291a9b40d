package ui

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
	"github.com/retryscope/retryscope/trace"
)

// An address that is not whole yet is not tried out, at no point of typing it; what is typed besides is.
func TestHalfTypedURL(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{false, true} {
		m := newScreen(t, 80, 24, func(o *Options) {
			if live {
				o.Live, o.Scripted = &cannedLive{}, true
			}
		})
		press(m, "i", "down")
		for _, r := range "http://a.test:8080/x?y=1" {
			typeText(m, string(r))
			wantsNot(t, m, "ended", "cannot be sent as it is")
			if !strings.Contains(screen(t, m), "LIVE") {
				wants(t, m, "✓ succeeded")
			}
		}
		press(m, "ctrl+u")
		typeText(m, "htt")
		press(m, "up", "right")
		wants(t, m, "not tried out yet: ", "not idempotent", "1 attempt of 4")
		press(m, "down", "enter")
		wants(t, m, "┌─ Request", "scheme")
		wantsNot(t, m, "not tried out yet")
	}
}

// A failure has one name, in its row, in its line and at the end.
func TestAFailureHasOneName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ script, what, name string }{
		{"badjson latency=30ms", "answer", "decoding"}, {"garbage latency=30ms", "failure", "malformed"}, {"reset latency=30ms", "failure", "reset"},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			m := newScreen(t, size[0], size[1], func(o *Options) { o.Script, o.Policy.Attempts = c.script, 1 })
			wants(t, m, "▸1  "+c.name+" ", "last "+c.what+" "+c.name, c.name+" after 0.03s")
			wantsNot(t, m, "malform ", "decode ")
		}
	}
	// Where there is no room for it, its beginning stands in the row.
	m := newScreen(t, 60, 15, func(o *Options) { o.Script, o.Policy.Attempts = "badjson", 1 })
	press(m, "1")
	wants(t, m, "decode  ✗")
	for k := engine.KindSuccess; k <= engine.KindUnknown; k++ {
		for _, cause := range append(engine.Causes(), engine.CauseNone) {
			o := engine.Outcome{Kind: k, Cause: cause}
			if w := wholeWord(&o); len(w) > mostWord {
				t.Errorf("%v %v is %q, longer than the widest column", k, cause, w)
			}
		}
	}
}

// The answers of a live run that was ended from outside make a script that is ended there too, and goes on when told.
func TestReplayOfACancelledRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys, at string
		cut      func(*trace.Done) bool
	}{
		{"x", "cancelled at ", func(d *trace.Done) bool { return d.Result == engine.ResultCancelled }},
		{"sign out", "signed out at ", func(d *trace.Done) bool { return d.Reason == engine.ReasonStaleGeneration }},
	} {
		synctest.Test(t, func(t *testing.T) {
			m, _ := liveScreen(t, 503, 429, 200)
			cmd := runTicks(m, press(m, "S"), 700*time.Millisecond)
			if c.keys == "x" {
				press(m, "x")
			} else {
				press(m, "?")
				typeText(m, c.keys)
				press(m, "enter")
			}
			runTicks(m, cmd, time.Minute)
			at := m.live.trace.Done.At
			press(m, "f")
			wants(t, m, "a script, "+c.at, "'neither' in the list (?) lets it go on", "⊗")
			if d := m.run.Done; !c.cut(d) || d.At != at {
				t.Errorf("the script ends with %+v, the run ended at %v", d, at)
			}
			press(m, "?")
			typeText(m, "neither")
			press(m, "enter")
			if c.cut(m.run.Done) {
				t.Error("it does not go on")
			}
			press(m, "u", "u")
			wants(t, m, "LIVE")
		})
	}
}

func TestPartOfAClassIsExplained(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "c", "tab", "tab")
	wants(t, m, "[.] all 4xx", "[.] some of them are retried, not all: space takes all in")
	press(m, "space")
	wants(t, m, "[x] all 4xx", "statuses are named one by one")
}

// A key is a secret: it shows nowhere, and one that is not touched stays.
func TestIdempotencyKeyIsMasked(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		m := newScreen(t, 200, 60, func(o *Options) { o.Request.Method, o.Request.Key, o.ASCII = "POST", "hunter2", ascii })
		mask := "•••"
		if ascii {
			mask = "***"
		}
		press(m, "G")
		wants(t, m, mask)
		for _, key := range []string{"2", "i", "down", "down"} {
			press(m, key)
			wantsNot(t, m, "hunter2")
		}
		press(m, "up", "up", "left", "enter")
		if m.doc.request.Key != "hunter2" || m.doc.request.Method == "POST" {
			t.Errorf("%+v", m.doc.request)
		}
	}
	m := newScreen(t, 80, 24, func(o *Options) { o.Request.Key = "hunter2" })
	press(m, "i", "down", "down")
	typeText(m, "x")
	press(m, "enter")
	wants(t, m, "what is masked has to be typed again")
	press(m, "ctrl+u")
	typeText(m, "k2")
	press(m, "enter")
	if m.doc.request.Key != "k2" {
		t.Errorf("the key is %q", m.doc.request.Key)
	}
	press(m, "i", "down", "down", "ctrl+u", "enter")
	if m.doc.request.Key != "" {
		t.Errorf("the key is %q", m.doc.request.Key)
	}
}

func TestListEnds(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24)
	press(m, "?", "end")
	wants(t, m, "▸ 8")
	press(m, "home")
	wants(t, m, "▸ S")
}

// A base for a 429 that is not retried is in no wait: neither in the costs, nor on the timeline, nor in the why pane.
func TestBaseOfA429ThatIsNotRetried(t *testing.T) {
	t.Parallel()
	with := parsePolicy(t, "attempts=6 throttle-base=5s retry-on=503 jitter=none")
	without := parsePolicy(t, "attempts=6 retry-on=503 jitter=none")
	a, b := CostOf(&with, engine.SafeMethod, engine.BodyNone), CostOf(&without, engine.SafeMethod, engine.BodyNone)
	if a.Max != b.Max || a.Mean != b.Mean || a.Worst != b.Worst || a.Server != b.Server || a.OwnWaits(70, Unicode()) != b.OwnWaits(70, Unicode()) {
		t.Errorf("%+v, want %+v", a, b)
	}
	heard := parsePolicy(t, "attempts=6 throttle-base=5s retry-on=503,429 jitter=none")
	if c := CostOf(&heard, engine.SafeMethod, engine.BodyNone); c.Max <= b.Max {
		t.Errorf("where a 429 is retried its base counts: %v", c.Max)
	}
	frames := make([]string, 0, 2)
	for _, p := range []engine.Policy{with, without} {
		m := newScreen(t, 80, 24, func(o *Options) { o.Policy, o.Base, o.Script = p, p, "503, 200" })
		press(m, "1", "down", "down", "down")
		frames = append(frames, screen(t, m))
	}
	if frames[0] != frames[1] {
		t.Errorf("with the base\n%s\nwithout\n%s", frames[0], frames[1])
	}
}

// The findings have their key in sight whatever else there is to think about, and no warning is cut for it where it fits.
func TestFindingsBesideWarnings(t *testing.T) {
	t.Parallel()
	p := parsePolicy(t, "attempts=6 timeout=6s attempt-timeout=1s jitter=none retry-on=5xx,401")
	for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 60}} {
		m := newScreen(t, size[0], size[1], func(o *Options) { o.Policy, o.Script = p, "503" })
		n := 0
		for _, f := range findings(&m.doc) {
			if f.Severity > lint.Note {
				n++
			}
		}
		count := grouped(n)
		frame := screen(t, m)
		if !strings.Contains(frame, "!: "+count) || !strings.Contains(frame, "may be") && !strings.Contains(frame, "! attempt") {
			t.Errorf("%v: no count of %d findings beside the warning in\n%s", size, n, frame)
		}
		press(m, "2", "z")
		if frame := screen(t, m); !strings.Contains(frame, "!: "+count) {
			t.Errorf("%v, in full: no count in\n%s", size, frame)
		}
	}
}

// The known faults of a client stand on its page, the gravest first.
func TestPresetFindingsAreShown(t *testing.T) {
	t.Parallel()
	for _, p := range presets.All() {
		var said []string
		for _, l := range firesWords(p.Fires) {
			_, ids, _ := strings.Cut(l.text, ": ")
			said = append(said, strings.Split(ids, ", ")...)
		}
		slices.Sort(said)
		want := slices.Sorted(slices.Values(p.Fires))
		if !slices.Equal(said, want) {
			t.Errorf("%s: %v, want %v", p.ID, said, want)
		}
	}
	m := newScreen(t, 120, 40)
	press(m, "p")
	typeText(m, "carom")
	wants(t, m, "! findings (error): non-idempotent", "! findings (warning): ", "no-429", "findings (note): cap-never-reached")
}
