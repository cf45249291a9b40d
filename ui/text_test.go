package ui

import (
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// checkText holds a text to its law: no line is too wide, none ends in a blank, nothing but line breaks is a control
// byte, and every line ends.
func checkText(t *testing.T, s string, width int, ascii bool) {
	t.Helper()
	if !strings.HasSuffix(s, "\n") {
		t.Errorf("the text does not end in a line break: %q", s)
	}
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "CHECK FAILED: ") {
			continue
		}
		if n := TextWidth(line); n > max(width, 20) || n != len([]rune(line)) {
			t.Errorf("a line of %d cells and %d runes, want %d at the most: %q", n, len([]rune(line)), width, line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("blanks at the end of %q", line)
		}
		for _, r := range line {
			if unicode.IsControl(r) || ascii && r > '~' {
				t.Errorf("%q in %q", r, line)
			}
		}
	}
}

func TestTimelineText(t *testing.T) {
	t.Parallel()
	tr := drawn(t)
	got := TimelineText(tr, 80, false)
	want := "✓ succeeded in 3.13s  ·  4 attempts of 6  ·  waited 2.80s  ·  POST + idem. key\n" + documented + "\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	ascii := `o succeeded in 3.13s  |  4 attempts of 6  |  waited 2.80s  |  POST + idem. key

 attempt      0s       1s       2s       3s       4s      timeout 6s!        7s
 1  503     r #-* 0.14s                                             !
 2  429     r   #==o===============> Retry-After 2s (own 0.31s)     !
 3  reset   r                      #-----*. 0.66s                   !
 4  200     o                            # done 3.13s               !
 5  if 4 fails                            ............... in 0-1.6s !
 6  if 5 fails                            ..........................!38% late
`
	if got := TimelineText(tr, 80, true); got != ascii {
		t.Errorf("ASCII:\n%s\nwant\n%s", got, ascii)
	}
	for name, r := range pictures() {
		tr := r.do(t)
		for _, w := range []int{-1, 0, 20, 33, 80, 200} {
			checkText(t, TimelineText(tr, w, false), w, false)
			checkText(t, TimelineText(tr, w, true), w, true)
		}
		if name == "many" {
			s := TimelineText(tr, 80, false)
			if n := strings.Count(s, "\n"); n != 64 || !strings.Contains(s, "⋮ 440 rows left out") || !strings.Contains(s, "\n   1  503") || !strings.Contains(s, "\n 500  503") {
				t.Errorf("%d lines:\n%s", n, s)
			}
		}
	}
	checkText(t, TimelineText(nil, 80, false), 80, false)
	checkText(t, TimelineText(&trace.Trace{}, 80, true), 80, true)
}

func TestTimelineTextNamesABrokenPromise(t *testing.T) {
	t.Parallel()
	tr := drawn(t)
	if s := TimelineText(tr, 80, false); strings.Contains(s, "CHECK") {
		t.Errorf("all promises were kept:\n%s", s)
	}
	tr.Checks.NoEarlyRetry = false
	if s := TimelineText(tr, 80, false); !strings.HasSuffix(s, "\nCHECK FAILED: no_early_retry\n") {
		t.Errorf("no word of it:\n%s", s)
	}
}

// A trace of whatever numbers is drawn at any size, in lines of the right width.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte("\x01\x02\x03retry\x80\xff some bytes that make times"), 80, 9, int64(time.Second), uint8(0))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 9}, 20, 5, int64(-1), uint8(0xff))
	f.Add([]byte{}, 0, 0, int64(0), uint8(3))
	f.Add(make([]byte, 400), 200, 60, int64(1)<<62, uint8(0x15))
	themes := []*Theme{NewTheme(ThemeDark, false, ProfileTrue), NewTheme(ThemeMono, false, Profile16), {}}
	f.Fuzz(func(t *testing.T, data []byte, w, h int, now int64, bits uint8) {
		w, h = w%260, h%80
		src := bytesOf{data}
		in := src.input()
		in.Now = time.Duration(now)
		in.AtEnd, in.Live, in.Focused = bits&1 != 0, bits&2 != 0, bits&4 != 0
		in.Scale, in.Zoom = ScaleKind(bits>>3%3), int(bits>>5)
		if bits&16 != 0 {
			in.Glyphs = ASCII()
		}
		g := NewGrid(w, h)
		l := DrawTimeline(g, &in)
		checkGrid(t, g, themes[bits%3])
		if len(l.Rows) > max(h, 0) || l.First < 0 || l.First+len(l.Rows) > l.Total {
			t.Fatalf("rows %d from %d of %d in %d lines", len(l.Rows), l.First, l.Total, h)
		}
		for i, r := range l.Rows {
			if r.Y < 0 || r.Y >= h || i > 0 && r.Y != l.Rows[i-1].Y+1 {
				t.Fatalf("row %d is on line %d of %d", i, r.Y, h)
			}
		}
		r := ResultLine(&in)
		r.Draw(g, 0, 0, w, Unicode())
		checkGrid(t, g, themes[0])
		checkText(t, TimelineText(in.Trace, w, bits&16 != 0), w, bits&16 != 0)
	})
}

// bytesOf reads numbers from the bytes of a fuzzer; past their end all are 0.
type bytesOf struct{ b []byte }

func (s *bytesOf) byte() byte {
	if len(s.b) == 0 {
		return 0
	}
	c := s.b[0]
	s.b = s.b[1:]
	return c
}

// time is any time, most often a usual one.
func (s *bytesOf) time() time.Duration {
	k := s.byte()
	d := time.Duration(s.byte()) << (k % 56)
	if k > 250 {
		return -d
	}
	if k > 245 {
		return engine.Forever
	}
	return d
}

func (s *bytesOf) input() TimelineInput {
	p := engine.Default()
	p.Attempts = 1 + int(s.byte())
	if p.Attempts == 256 {
		p.Attempts = engine.Unlimited
	}
	p.Base, p.Cap, p.Timeout, p.AttemptTimeout = max(s.time(), 0), max(s.time(), 1), max(s.time(), 0), max(s.time(), 0)
	p.Jitter.Kind = engine.JitterKind(s.byte() % 6)
	p.Curve = engine.Curve(s.byte() % 6)
	tr := &trace.Trace{Head: trace.Head{Policy: p, Keyed: s.byte()&1 != 0, Method: "POST"}}
	if s.byte() > 200 {
		tr.Dropped = int(s.byte())
	}
	in := TimelineInput{Trace: tr, Policy: p, Selected: int(s.byte()) - 3, Scroll: int(s.byte()) - 3, From: s.time()}
	n := 0
	for len(s.b) > 0 && len(tr.Attempts) < 50 {
		n += 1 + int(s.byte()/250)
		k := s.byte()
		a := trace.Attempt{N: n, Start: s.time(), End: s.time(), Ended: k&1 != 0, Decided: k&2 != 0, Policy: p}
		a.Outcome = engine.Outcome{Kind: engine.Kind(s.byte() % 9), Cause: engine.Cause(s.byte() % 15), Status: int(s.byte()) * 3}
		a.Decision = engine.Decision{
			Verdict: engine.Verdict(s.byte() % 5), Reason: engine.Reason(s.byte() % 14), Source: engine.Source(k >> 7),
			Wait: s.time(), Own: s.time(), Lo: s.time(), Hi: s.time(), Server: s.time(), Asked: k&8 != 0, Drawn: k&16 != 0,
		}
		a.Wait = trace.Wait{Begun: k&32 != 0, Start: a.End, For: a.Decision.Wait, Ended: k&64 != 0, End: s.time(), Cut: k&4 != 0}
		if a.Detail.HasPhases = k&8 != 0; a.Detail.HasPhases {
			a.Detail.Phases = trace.Phases{DNS: s.time(), TLS: s.time(), Wait: s.time()}
		}
		tr.Attempts = append(tr.Attempts, a)
	}
	if k := s.byte(); k > 100 || n%2 == 0 {
		tr.Done = &trace.Done{At: s.time(), Result: engine.Result(k % 7), Reason: engine.Reason(s.byte() % 14), Attempts: n}
	}
	return in
}
