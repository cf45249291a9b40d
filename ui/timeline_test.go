package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// pictures are the runs whose pictures are kept.
func pictures() map[string]runOf {
	s503 := status(503, 100*ms)
	return map[string]runOf{
		"exhausted":       {answers: []answer{s503}},
		"equal":           {policy: "jitter=equal attempts=5", seed: 3, answers: []answer{s503}},
		"no-jitter":       {policy: "jitter=none attempts=5", answers: []answer{s503}},
		"decorrelated":    {policy: "jitter=decorrelated attempts=6", seed: 9, answers: []answer{s503, s503, s503, status(200, 80*ms)}},
		"first-try":       {answers: []answer{status(200, 30*ms)}},
		"not-found":       {answers: []answer{status(404, 30*ms)}},
		"not-idempotent":  {method: "POST", answers: []answer{broken(engine.CauseReset, 30*ms)}},
		"deferred":        {answers: []answer{s503, asks(429, 80*ms, time.Hour)}},
		"broken-axis":     {answers: []answer{s503, asks(429, 80*ms, 24*time.Second), status(200, 80*ms)}},
		"own-over-server": {policy: "base=2s", draw: .9, answers: []answer{asks(503, 100*ms, time.Second), status(200, 80*ms)}},
		"spread":          {policy: "spread=1s retry-after=replace", draw: .4, answers: []answer{asks(503, 100*ms, time.Second), status(200, 80*ms)}},
		"cancel-in-wait":  {policy: "attempts=5", draw: .9, cancel: 900 * ms, answers: []answer{s503}},
		"cancel-in-try":   {policy: "attempts=5", draw: .9, cancel: 350 * ms, answers: []answer{s503}},
		"signed-out":      {policy: "attempts=5", draw: .9, signOut: 900 * ms, answers: []answer{s503}},
		"too-late":        {policy: "attempts=6 timeout=2s", draw: .9, answers: []answer{s503}},
		"timed-out":       {policy: "attempts=4 timeout=2s", draw: .9, answers: []answer{s503, status(200, 5*time.Second)}},
		"hang":            {policy: "attempt-timeout=0s", answers: []answer{s503, {engine.Forever, engine.Outcome{}}}},
		"no-time-at-all":  {policy: "base=0s attempts=3", answers: []answer{status(503, 0)}},
		"many":            {policy: "attempts=500 cap=200ms", answers: []answer{s503}},
		"unlimited":       {policy: "attempts=unlimited", answers: []answer{s503, status(200, 80*ms)}},
		"late":            {policy: "attempts=3 timeout=1s base=1s jitter=equal", draw: .3, answers: []answer{s503, status(503, 300*ms), status(200, 30*ms)}},
		"endless":         {policy: "attempts=unlimited", endless: true, answers: []answer{s503}},
		"phases":          {phases: true, answers: []answer{status(503, 900*ms), asks(429, 400*ms, 2*time.Second), status(200, 300*ms)}},
		"long-words":      {answers: []answer{broken(engine.CauseUnreachable, 90*ms), broken(engine.CauseRefused, 90*ms), {90 * ms, engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseMalformed}}, {50 * ms, engine.Outcome{Kind: engine.KindDecoding}}}},
	}
}

// drawn is the built-in script with the draws of the picture in the documentation: 0.14s, 0.31s and 0.66s.
func drawn(t testing.TB) *trace.Trace {
	t.Helper()
	r := builtIn()
	p := parsePolicy(t, r.policy)
	tr := &trace.Trace{Head: trace.Head{Method: r.method, Keyed: r.keyed, Policy: p}, Checks: trace.Checks{NoEarlyRetry: true, WithinLimits: true, CancelIsNotFailure: true, NothingUnreplayed: true}}
	var s engine.State
	var at, waited time.Duration
	for i, u := range []float64{0.7, 0.775, 0.825, 0.5} {
		a := trace.Attempt{N: i + 1, Start: at, Ended: true, Decided: true, Outcome: r.answers[i].o, Policy: p}
		at += r.answers[i].after
		a.End = at
		a.Facts = engine.Facts{Elapsed: at, Allowance: engine.NoLimit, Sends: engine.NoLimit, Safety: engine.SafeKey}
		s, a.Decision = p.Next(s, &a.Outcome, &a.Facts, u)
		if w := a.Decision.Wait; a.Decision.Verdict == engine.Retry {
			a.Wait = trace.Wait{Begun: true, Start: at, For: w, Source: a.Decision.Source, Ended: true, End: at + w}
			at += w
			waited += w
		}
		tr.Attempts = append(tr.Attempts, a)
	}
	tr.Done = &trace.Done{At: at, Attempts: 4, Status: 200, Waited: waited}
	return tr
}

const documented = `
 attempt      0s       1s       2s       3s       4s      timeout 6s╎        7s
 1  503     ↻ █╌◆ 0.14s                                             ╎
 2  429     ↻   ▊══◇═══════════════▶ Retry-After 2s (own 0.31s)     ╎
 3  reset   ↻                      ▍╌╌╌╌╌◆░ 0.66s                   ╎
 4  200     ✓                            ▊ done 3.13s               ╎
 5  if 4 fails                            ▏░░░░░░░░░░░░░░ in 0–1.6s ╎
 6  if 5 fails                            ▏░░░░░░░░░░░░░░░░░░░░░░░░░╎38% late`

func TestTimelineOfTheDocumentation(t *testing.T) {
	t.Parallel()
	in := inputOf(drawn(t))
	g := NewGrid(80, 7)
	l := DrawTimeline(g, &in)
	if got := "\n" + g.Plain(); got != documented {
		t.Errorf("got%s\nwant%s", got, documented)
	}
	if l.Name != "linear 0–7s" {
		t.Errorf("the axis is %q", l.Name)
	}
	r := ResultLine(&in)
	if got, want := r.String(Unicode()), "✓ succeeded in 3.13s  ·  4 attempts of 6  ·  waited 2.80s  ·  POST + idem. key"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

var widths = []int{20, 60, 80, 100, 120, 200}

// keep compares with a file of testdata, or writes it where UPDATE_PICTURES is set.
func keep(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "timeline", name+".txt")
	if os.Getenv("UPDATE_PICTURES") != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil { //nolint:gosec // a picture
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n%s\nwant:\n%s", file, got, want)
	}
}

func TestTimelinePictures(t *testing.T) {
	t.Parallel()
	for name, r := range pictures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := r.do(t)
			in := inputOf(tr)
			var b strings.Builder
			for _, w := range widths {
				g := NewGrid(w, 9)
				l := DrawTimeline(g, &in)
				checkGrid(t, g, NewTheme(ThemeDark, false, ProfileTrue))
				fmt.Fprintf(&b, "-- %d, %s\n%s\n", w, l.Name, g.Plain())
			}
			in.Glyphs = ASCII()
			b.WriteString("-- 80, ASCII\n" + draw(t, 80, 9, &in) + "\n")
			for _, r := range b.String()[strings.Index(b.String(), "ASCII"):] {
				if r > '~' {
					t.Errorf("%q is not ASCII", r)
				}
			}
			keep(t, name, b.String())
		})
	}
}

// What comes after the cursor is drawn as not yet; the axis and what came before it stand still.
func TestTimelineCursor(t *testing.T) {
	t.Parallel()
	tr := drawn(t)
	in := inputOf(tr)
	whole := NewGrid(80, 8)
	end := DrawTimeline(whole, &in)
	var b strings.Builder
	in.AtEnd = false
	for _, now := range []time.Duration{0, 60 * ms, 200 * ms, 1200 * ms, 2500 * ms, 3100 * ms, 3130 * ms} {
		in.Now = now
		g := NewGrid(80, 8)
		l := DrawTimeline(g, &in)
		if l.Axis != end.Axis {
			t.Errorf("the axis moved at %v: %+v, at the end %+v", now, l.Axis, end.Axis)
		}
		r := ResultLine(&in)
		fmt.Fprintf(&b, "-- %v\n%s\n%s\n", now, r.String(Unicode()), g.Plain())
		for i, row := range l.Rows {
			if made := i < len(tr.Attempts) && tr.Attempts[i].Start <= now; made != row.Made || row.Attempt != i+1 {
				t.Errorf("at %v row %d is %+v", now, i, row)
			}
		}
	}
	keep(t, "cursor", b.String())
}

func TestTimelineLive(t *testing.T) {
	t.Parallel()
	r := pictures()["phases"]
	tr := r.do(t)
	var b strings.Builder
	for _, now := range []time.Duration{0, 500 * ms, 950 * ms, 1300 * ms, 2 * time.Second, 3600 * ms} {
		cut := cutAt(tr, now)
		in := TimelineInput{Trace: cut, Policy: tr.Head.Policy, Now: now, Live: true}
		if now == 950*ms {
			cut.Notes = []trace.Note{{At: now, Text: "cap changed 30s → 10s", After: 1}}
		}
		r := ResultLine(&in)
		fmt.Fprintf(&b, "-- %v\n%s\n%s\n", now, r.String(Unicode()), draw(t, 120, 6, &in))
	}
	keep(t, "live", b.String())
}

// cutAt is what a live run would have recorded by then.
func cutAt(tr *trace.Trace, now time.Duration) *trace.Trace {
	c := *tr
	c.Attempts = nil
	for _, a := range tr.Attempts {
		if a.Start > now {
			break
		}
		if a.End > now {
			a = trace.Attempt{N: a.N, Start: a.Start}
		}
		if a.Wait.End > now {
			a.Wait.Ended, a.Wait.End = false, 0
		}
		c.Attempts = append(c.Attempts, a)
	}
	if c.Done != nil && c.Done.At > now {
		c.Done = nil
	}
	return &c
}

// A label is whole or not there, at every width: what is left of a row without its marks is one of its labels.
func TestTimelineLabelsAreWhole(t *testing.T) {
	t.Parallel()
	in := inputOf(drawn(t))
	labels := map[int][]string{
		1: {"", "0.14s"},
		2: {"", "Retry-After 2s (own 0.31s)", "Retry-After 2s", "2s"},
		3: {"", "0.66s"},
		4: {"", "done 3.13s", "3.13s"},
		5: {"", "in 0–1.6s", "0–1.6s"},
		6: {"", "38% late", "38%", "in 0–3.2s, last"},
	}
	seen := map[string]bool{}
	marks := strings.NewReplacer("╎", " ", "░", " ", "█", " ", "▏", " ", "▎", " ", "▍", " ", "▌", " ", "▋", " ", "▊", " ", "▉", " ", "◆", " ", "◇", " ", "╌", " ", "═", " ", "▶", " ", "›", " ")
	for w := 20; w <= 220; w++ {
		g := NewGrid(w, 7)
		l := DrawTimeline(g, &in)
		for _, row := range l.Rows {
			from := l.PlotX
			if row.Attempt > 4 {
				from = wordsEnd(g, row.Y) // they may reach into the plot, and the label out of it
			}
			var cells []rune
			for x := from; x < w; x++ {
				r, _ := g.At(x, row.Y)
				cells = append(cells, r)
			}
			text := strings.TrimSpace(marks.Replace(string(cells)))
			if !slices.Contains(labels[row.Attempt], text) {
				t.Errorf("width %d, row %d: %q is none of its labels\n%s", w, row.Attempt, text, g.Plain())
			}
			seen[text] = true
		}
	}
	for _, want := range []string{"0.14s", "Retry-After 2s (own 0.31s)", "Retry-After 2s", "0.66s", "done 3.13s", "in 0–1.6s", "38% late"} {
		if !seen[want] {
			t.Errorf("%q was never shown", want)
		}
	}
}

// wordsEnd is the end of the words in the left column of a row ahead.
func wordsEnd(g *Grid, y int) int {
	end := 0
	for x := range g.W {
		if _, s := g.At(x, y); s == Neutral {
			end = x + 1
		}
	}
	return end
}

// The mark of a wait stands in its window, at the column of the next attempt, and moves to the right with the draw; the
// window is drawn whole.
func TestTimelineMarks(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"attempts=5", "attempts=5 jitter=equal", "attempts=5 jitter=additive:300ms", "attempts=5 jitter=scale:0.5..1.5"} {
		for _, w := range []int{40, 60, 80, 120, 200} {
			last := make([]time.Duration, 6)
			for u := 0.1; u < 1; u += 0.2 {
				tr := runOf{policy: policy, draw: u, answers: []answer{status(503, 120*ms)}}.do(t)
				in := inputOf(tr)
				g := NewGrid(w, 8)
				l := DrawTimeline(g, &in)
				for _, row := range l.Rows[:4] {
					a := &tr.Attempts[row.Attempt-1]
					at := find(g, row.Y, l.PlotX, '◆')
					if at < 0 {
						t.Fatalf("%s %d %.1f: no mark in row %d\n%s", policy, w, u, row.Attempt, g.Plain())
					}
					bar := l.PlotX + max(l.Axis.clamp(l.Axis.X(a.End)-1e-3), l.Axis.Col(a.Start))
					lo, hi := l.PlotX+l.Axis.Col(a.End+a.Decision.Lo), l.PlotX+l.Axis.Col(a.End+a.Decision.Hi)
					if at < max(lo, bar) || at > max(hi, bar+2) {
						t.Errorf("%s %d %.1f row %d: the mark is at %d, its window from %d to %d\n%s", policy, w, u, row.Attempt, at, lo, hi, g.Plain())
					}
					for x := max(lo, bar+2); x <= min(hi, w-1); x++ {
						if r, _ := g.At(x, row.Y); !strings.ContainsRune("░◆╌━›", r) {
							t.Errorf("%s %d %.1f row %d: %q at %d, in the window\n%s", policy, w, u, row.Attempt, r, x, g.Plain())
						}
					}
					if next := find(g, row.Y+1, l.PlotX, '█'); next >= 0 && (next < at-2 || next > at+1) {
						t.Errorf("%s %d %.1f row %d: the mark is at %d, the next attempt at %d\n%s", policy, w, u, row.Attempt, at, next, g.Plain())
					}
					if d := a.Decision.Wait; d <= last[row.Attempt] {
						t.Errorf("the wait %v does not grow with the draw", d)
					} else {
						last[row.Attempt] = d
					}
				}
			}
		}
	}
}

func find(g *Grid, y, from int, r rune) int {
	for x := from; x < g.W; x++ {
		if c, _ := g.At(x, y); c == r {
			return x
		}
	}
	return -1
}

// The rows ahead move as a knob is turned.
func TestTimelineAheadMovesWithAKnob(t *testing.T) {
	t.Parallel()
	tr := drawn(t)
	for _, c := range []struct {
		knob   string
		values []string
	}{
		{"base", []string{"50ms", "100ms", "200ms", "400ms", "800ms"}},
		{"factor", []string{"1", "1.2", "1.5", "2", "3"}},
		{"cap", []string{"100ms", "400ms", "1s", "2s"}},
	} {
		var last time.Duration
		pictures := map[string]bool{}
		for _, v := range c.values {
			in := inputOf(tr)
			if err := in.Policy.Set(c.knob, v); err != nil {
				t.Fatal(err)
			}
			g := NewGrid(80, 7)
			l := DrawTimeline(g, &in)
			d := timeline{in: &in, t: tr}
			view := viewRun(tr, &in, true)
			rows := d.bounds(&view)
			if rows[1].hi <= last {
				t.Errorf("%s=%s: the last window ends at %v, before it was %v", c.knob, v, rows[1].hi, last)
			}
			last = rows[1].hi
			pictures[g.Plain()] = true
			if want := min(l.Axis.Col(rows[0].hi), l.Axis.W-1); rows[0].hi < in.Policy.Timeout {
				if r, _ := g.At(l.PlotX+want, l.Rows[4].Y); r != '░' && r != '▏' && r != '›' {
					t.Errorf("%s=%s: %q at the end of the window\n%s", c.knob, v, r, g.Plain())
				}
			}
		}
		if len(pictures) != len(c.values) {
			t.Errorf("%s: %d pictures of %d values", c.knob, len(pictures), len(c.values))
		}
	}
}

func TestTimelineScrolls(t *testing.T) {
	t.Parallel()
	tr := pictures()["many"].do(t)
	for _, c := range []struct{ scroll, selected, h, first, rows int }{
		{0, 0, 10, 0, 8},
		{200, 0, 10, 200, 8},
		{9999, 0, 10, 492, 8},
		{-5, 0, 10, 0, 8},
		{0, 300, 10, 292, 8},
		{400, 300, 10, 299, 8},
		{0, 500, 2, 499, 1},
		{0, 7, 1, 6, 1},
		{0, 0, 3, 0, 2},
		{0, 0, 1000, 0, 500},
		{0, 9999, 10, 0, 8},
		{0, 3, 0, 0, 0},
	} {
		in := inputOf(tr)
		in.Scroll, in.Selected, in.Focused = c.scroll, c.selected, true
		g := NewGrid(80, c.h)
		l := DrawTimeline(g, &in)
		if l.First != c.first || len(l.Rows) != c.rows || l.Total != 500 {
			if c.h > 0 {
				t.Errorf("%+v: first %d, %d rows of %d", c, l.First, len(l.Rows), l.Total)
			}
			continue
		}
		for i, row := range l.Rows {
			if row.Attempt != c.first+i+1 || l.AttemptAt(row.Y) != row.Attempt {
				t.Errorf("%+v: row %d is %+v", c, i, row)
			}
		}
		if want := c.h > 3 && c.h < 501; (l.Strip.W > 0) != want {
			t.Errorf("%+v: strip %+v", c, l.Strip)
		}
		checkGrid(t, g, NewTheme(ThemeLight, false, Profile256))
	}
}

// However far a run without end went, the axis shows the rows that are seen: each has its bar in the plot, and each tick
// reads differently.
func TestTimelineOfARunGivenUp(t *testing.T) {
	t.Parallel()
	tr := runOf{policy: "attempts=unlimited", endless: true, answers: []answer{status(503, 100*ms)}}.do(t)
	last := len(tr.Attempts)
	for _, w := range []int{60, 80, 120, 200} {
		for _, sel := range []int{1, 15, last / 2, last} {
			in := inputOf(tr)
			in.Selected = sel
			g := NewGrid(w, 10)
			l := DrawTimeline(g, &in)
			for _, row := range l.Rows {
				a := &tr.Attempts[row.Attempt-1]
				if from, to := l.Axis.Col(a.Start), l.Axis.Col(a.End); from < 0 || to >= l.Axis.W {
					t.Errorf("%d, attempt %d: from column %d to %d of %d\n%s", w, row.Attempt, from, to, l.Axis.W, g.Plain())
				}
			}
			in.Scale = ScaleLog
			if l := DrawTimeline(NewGrid(w, 10), &in); l.Axis.From != 0 || l.Axis.To() < tr.Done.At {
				t.Errorf("%d: the logarithmic axis is %s", w, l.Name)
			}
		}
	}
	long := TimelineText(tr, 80, false)
	if last > textHead+textTail && strings.Count(long, " attempt  ") != 2 {
		t.Errorf("the tail has no axis of its own:\n%s", long)
	}
}

// What may follow widens the axis to two and a half times the run; no wait of a short run is left out.
func TestTimelineLeavesTheRunToBeSeen(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"attempts=8", "attempts=8 base=2s", "attempts=3 base=1s", "attempts=20 factor=3", "attempts=unlimited", "attempts=8 jitter=decorrelated"} {
		for _, draw := range []float64{.05, .5, .95} {
			r := runOf{policy: policy, draw: draw, answers: []answer{status(503, 10*ms), status(503, 10*ms), status(200, 10*ms)}}
			tr := r.do(t)
			in := inputOf(tr)
			v := viewRun(tr, &in, true)
			d := timeline{in: &in, t: tr}
			if end, most := d.span(&v), tr.Done.At*5/2; end > most {
				t.Errorf("%s %v: a run of %v is shown up to %v", policy, draw, tr.Done.At, end)
			}
			if l := DrawTimeline(NewGrid(100, 9), &in); l.Axis.breakW > 0 {
				t.Errorf("%s %v: %s", policy, draw, l.Name)
			}
		}
	}
}

// The end of a run reads the same in the headline and beside its bar, though the last answer came a moment before.
func TestTimelineEndsWhenTheHeadlineSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		r    runOf
		late time.Duration
	}{
		"success": {runOf{answers: []answer{status(200, 7400*time.Microsecond)}}, 200 * time.Microsecond},
		"failure": {runOf{answers: []answer{status(404, 304400*time.Microsecond)}}, 300 * time.Microsecond},
		"timeout": {pictures()["late"], 0},
	} {
		tr := c.r.do(t)
		tr.Done.At += c.late
		in := inputOf(tr)
		r := ResultLine(&in)
		if frame, at := draw(t, 120, 7, &in), clockText(tr.Done.At); !strings.Contains(frame, at) || !strings.Contains(r.Parts[0], at) {
			t.Errorf("%s: no %q in %q and in\n%s", name, at, r.Parts[0], frame)
		}
	}
}

func TestTimelineOfNothing(t *testing.T) {
	t.Parallel()
	for _, in := range []TimelineInput{
		{},
		{Trace: &trace.Trace{}, Policy: engine.Default()},
		{Policy: engine.Default(), Live: true},
		{Trace: &trace.Trace{Done: &trace.Done{Result: engine.ResultCancelled, Reason: engine.ReasonCancelled}}, Policy: engine.Default(), AtEnd: true},
		{Trace: &trace.Trace{Attempts: make([]trace.Attempt, 3)}, Policy: engine.Default(), AtEnd: true, Now: -5},
	} {
		for _, size := range [][2]int{{0, 0}, {1, 1}, {10, 3}, {20, 5}, {80, 9}, {200, 60}} {
			g := NewGrid(size[0], size[1])
			DrawTimeline(g, &in)
			checkGrid(t, g, NewTheme(ThemeDark, false, ProfileTrue))
			r := ResultLine(&in)
			r.Draw(g, 0, 0, size[0], Unicode())
			checkGrid(t, g, &Theme{})
		}
	}
	in := TimelineInput{Policy: engine.Default(), Live: true}
	want := ` attempt      ▼0s     0.2s    0.4s    0.6s    0.8s    1.0s    1.2s    1.4s
 1  next      ▏ in 0s
 2  if 1 ✗    ▏░░░░░░░░ in 0–0.2s
 3  if 2 ✗    ▏░░░░░░░░░░░░░░░░░░░░░░░░ in 0–0.4s
 4  if 3 ✗    ▏░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0–0.8s`
	if got := draw(t, 80, 5, &in); got != want {
		t.Errorf("before the first attempt:\n%s\nwant:\n%s", got, want)
	}
}

// What a knob does to a long run has to be seen while it is turned.
func TestTimelineIsCheap(t *testing.T) {
	tr := pictures()["many"].do(t)
	in := inputOf(tr)
	in.Selected = 250
	g := NewGrid(200, 60)
	th := NewTheme(ThemeDark, false, ProfileTrue)
	n := testing.AllocsPerRun(20, func() {
		g.Reset(200, 60)
		DrawTimeline(g, &in)
		if g.String(th) == "" {
			t.Fatal("nothing")
		}
	})
	if n > 150 {
		t.Errorf("%.0f allocations, want 150 at the most", n)
	}
}

func BenchmarkDrawTimeline500(b *testing.B) {
	tr := pictures()["many"].do(b)
	in := inputOf(tr)
	in.Selected = 250
	g := NewGrid(200, 60)
	th := NewTheme(ThemeDark, false, ProfileTrue)
	b.ReportAllocs()
	for b.Loop() {
		g.Reset(200, 60)
		DrawTimeline(g, &in)
		if g.String(th) == "" {
			b.Fatal("nothing")
		}
	}
}

func BenchmarkDrawTimelineAhead(b *testing.B) {
	in := inputOf(drawn(b))
	in.Policy.Attempts = 500
	g := NewGrid(200, 60)
	b.ReportAllocs()
	for b.Loop() {
		g.Reset(200, 60)
		DrawTimeline(g, &in)
	}
}
