package ui

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// checkAxis holds an axis to its laws: columns grow with time, are finite, and lead back to their time.
func checkAxis(t *testing.T, a *Axis, in *AxisInput) {
	t.Helper()
	last := math.Inf(-1)
	step := max(in.End, time.Second)/97 + 1
	for at := time.Duration(0); at <= later(in.End, in.End/2) && at >= 0; at += step {
		x := a.X(at)
		if math.IsNaN(x) || math.IsInf(x, 0) || x < last {
			t.Fatalf("%+v: X(%v) is %v after %v", in, at, x, last)
		}
		last = x
		if at > math.MaxInt64/2 {
			break
		}
	}
	if in.Zoom == 0 {
		if x := a.X(a.From); x != 0 || in.Start == 0 && a.From != 0 || in.Kind != ScaleLog && a.From != in.Start {
			t.Fatalf("%+v: X(%v) is %v", in, a.From, x)
		}
		if x := a.X(in.End); x > float64(a.W)+1e-6 {
			t.Fatalf("%+v: the end is at %v of %d", in, x, a.W)
		}
	}
	for c := range a.W {
		at := a.Time(c)
		if at < 0 {
			t.Fatalf("%+v: column %d is at %v", in, c, at)
		}
		// A column of less than a nanosecond has no time of its own.
		if next := a.Time(c + 1); next > at+1 && at < math.MaxInt64/4 && c > 0 {
			if got := a.Col(at); got < c-1 || got > c {
				t.Fatalf("%+v: column %d is at %v, which is in column %d", in, c, at, got)
			}
		}
	}
	ticks, before, latest := 0, time.Duration(-1), ""
	a.eachTick(func(at time.Duration) {
		if at <= before || a.Col(at) < 0 || a.Col(at) >= a.W {
			t.Fatalf("%+v: a tick at %v after %v, column %d", in, at, before, a.Col(at))
		}
		if a.breakW > 0 && at > a.Broken.From && at < a.Broken.To {
			t.Fatalf("%+v: a tick at %v, in what is left out", in, at)
		}
		before = at
		text := string(a.appendTick(nil, at))
		if text == latest || strings.Contains(text, "<") {
			t.Fatalf("%+v: the ticks at %v and before read %q", in, at, text)
		}
		latest = text
		ticks++
	})
	if name := a.Name(Unicode()); TextWidth(name) > len("linear from ")+20 || strings.Contains(name, "for ever") {
		t.Fatalf("%+v: name %q", in, name)
	}
	if ticks == 0 && in.Zoom == 0 && in.Start == 0 || in.Kind != ScaleLog && ticks > a.W+1 || ticks > 60+a.W {
		t.Fatalf("%+v: %d ticks", in, ticks)
	}
}

func TestAxisLaws(t *testing.T) {
	t.Parallel()
	ends := []time.Duration{-5, 0, 1, 999, time.Microsecond, 3 * ms, 120 * ms, time.Second, 6 * time.Second, 61 * time.Second, 2 * time.Hour, 400 * day, 30_000 * day, engine.Forever / 2, engine.Forever}
	for _, end := range ends {
		for _, w := range []int{-3, 0, 1, 2, 7, 13, 40, 67, 107, 186} {
			for kind := ScaleAuto; kind <= ScaleLog; kind++ {
				for zoom := range 3 {
					in := AxisInput{Kind: kind, W: w, End: end, Room: min(w/7, 12), Zoom: zoom * 9, From: end / 3}
					if end > 0 {
						in.Longest = Span{end / 50, end - end/50}
					}
					a := NewAxis(in)
					checkAxis(t, &a, &in)
					in.Start = max(end-end/7, 0)
					a = NewAxis(in)
					checkAxis(t, &a, &in)
				}
			}
		}
	}
}

func TestAxisTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w    int
		end  time.Duration
		kind ScaleKind
		wait Span
		name string
		want string
	}{
		{67, 6 * time.Second, ScaleAuto, Span{}, "linear 0–7s", "0s 1s 2s 3s 4s 5s 6s 7s"},
		{67, 90 * time.Second, ScaleLinear, Span{}, "linear 0–1m 40s", "0s 20s 40s 1m 1m 20s 1m 40s"},
		{67, 300 * time.Microsecond, ScaleLinear, Span{}, "linear 0–0.35ms", "0s 0.05ms 0.10ms 0.15ms 0.20ms 0.25ms 0.30ms 0.35ms"},
		{67, 12 * time.Second, ScaleLog, Span{}, "log 0–20s", "0s 0.001s 0.002s 0.005s 0.01s 0.02s 0.05s 0.1s 0.2s 0.5s 1s 2s 5s 10s 20s"},
		{67, 25 * time.Second, ScaleAuto, Span{500 * ms, 24500 * ms}, "broken 0–25.2s", "0s 0.2s 0.4s 24.6s 24.8s 25.0s 25.2s"},
		{67, 25 * time.Second, ScaleLinear, Span{500 * ms, 24500 * ms}, "linear 0–30s", "0s 5s 10s 15s 20s 25s 30s"},
		{67, 25 * time.Second, ScaleAuto, Span{500 * ms, 20500 * ms}, "linear 0–30s", "0s 5s 10s 15s 20s 25s 30s"},
		{67, 1050 * ms, ScaleAuto, Span{20 * ms, 1020 * ms}, "linear 0–1.2s", "0s 0.2s 0.4s 0.6s 0.8s 1.0s 1.2s"},
		{67, time.Hour + time.Second, ScaleAuto, Span{500 * ms, time.Hour + 500*ms}, "broken 0–1h", "0s 0.2s 0.4s 1h 0.6s 1h 0.8s 1h 1.0s 1h 1.2s"},
		{67, engine.Forever, ScaleLinear, Span{}, "linear 0–100000d", "0s 20000d 40000d 60000d 80000d 100000d"},
	} {
		in := AxisInput{Kind: c.kind, W: c.w, End: c.end, Longest: c.wait, Room: 9}
		a := NewAxis(in)
		got := ""
		a.eachTick(func(at time.Duration) { got += " " + string(a.appendTick(nil, at)) })
		if len(got) == 0 || got[1:] != c.want || a.Name(Unicode()) != c.name {
			t.Errorf("%v %v: %q, ticks %q", c.end, c.kind, a.Name(Unicode()), got)
		}
	}
}

// The break takes 12 to 16 columns, however long the wait is.
func TestAxisBreak(t *testing.T) {
	t.Parallel()
	for _, wait := range []time.Duration{30 * time.Second, time.Hour, 400 * day} {
		in := AxisInput{W: 67, End: wait + time.Second, Longest: Span{500 * ms, wait + 500*ms}, Room: 9}
		a := NewAxis(in)
		if w := a.X(in.Longest.To) - a.X(in.Longest.From); w < 12-1e-6 || w > 16+1e-6 || a.Kind != ScaleAuto {
			t.Errorf("a wait of %v takes %.1f columns, kind %v", wait, w, a.Kind)
		}
		if w := a.X(500*ms) - a.X(0); w < 10 {
			t.Errorf("a wait of %v leaves %.1f columns to what was before it", wait, w)
		}
	}
}

// Zoomed, the left edge is where it is asked for and a column is that much shorter.
func TestAxisZoom(t *testing.T) {
	t.Parallel()
	in := AxisInput{W: 60, End: 6 * time.Second, Room: 8}
	plain := NewAxis(in)
	in.Zoom, in.From = 3, 2*time.Second
	a := NewAxis(in)
	if a.Col(2*time.Second) != 0 || a.Col(1900*ms) != -1 || a.Time(0) != 2*time.Second {
		t.Errorf("2s is in column %d, 1.9s in %d, column 0 at %v", a.Col(2*time.Second), a.Col(1900*ms), a.Time(0))
	}
	if r := plain.perCell / a.perCell; r < 6 || r > 10 {
		t.Errorf("three steps of zoom are %.1f times", r)
	}
}

// Late and close together, ticks have as many places as it takes to tell them apart.
func TestAxisTicksLateInARun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in         AxisInput
		name, tick string
	}{
		{AxisInput{W: 67, End: 13*time.Hour + 51*time.Minute + 30*time.Second, Start: 13*time.Hour + 51*time.Minute, Room: 9}, "linear from 13h 51m", "13h 51m 5s"},
		{AxisInput{W: 67, End: 14 * time.Hour, Zoom: 16, From: 13*time.Hour + 51*time.Minute, Room: 9}, "linear from 13h 51m", "13h 51m 0.2s"},
		{AxisInput{W: 67, End: 3 * time.Second, Zoom: 12, From: 2990 * ms, Room: 9}, "linear from 2.9900s", "2.9902s"},
		{AxisInput{W: 67, End: 3 * time.Second, Zoom: 2, From: 2 * time.Second, Room: 9}, "linear 2.0–2.8s", "2.2s"},
		{AxisInput{W: 67, End: 3 * time.Second, Kind: ScaleLog, Zoom: 2, From: 2 * time.Second, Room: 9}, "log 2–10s", "5s"},
	} {
		a := NewAxis(c.in)
		var ticks []string
		a.eachTick(func(at time.Duration) { ticks = append(ticks, string(a.appendTick(nil, at))) })
		if got := a.Name(Unicode()); got != c.name || len(ticks) == 0 || ticks[min(1, len(ticks)-1)] != c.tick {
			t.Errorf("%+v: name %q, ticks %q, want %q and %q", c.in, got, ticks, c.name, c.tick)
		}
	}
}

func TestTickSteps(t *testing.T) {
	t.Parallel()
	last := time.Duration(0)
	for i := range 60 {
		s := tickStep(i)
		if s <= last && s != maxStep {
			t.Errorf("step %d is %v after %v", i, s, last)
		}
		last = s
	}
	if last != maxStep {
		t.Errorf("the steps end at %v", last)
	}
}

// Of two waits that are even on [0, 1.6s] and [0, 3.2s], 37.8 % together are 2.79s or more.
func TestForecast(t *testing.T) {
	t.Parallel()
	p := parsePolicy(t, "attempts=6 timeout=6s")
	f := newForecast(&p.Backoff, p.Timeout, 3130*ms, 0, samplesFor(2))
	if got := f.step(4, 80*ms); got != 0 {
		t.Errorf("attempt 5 is late in %.3f of all cases", got)
	}
	if got := f.step(5, 80*ms); math.Abs(got-0.378) > 0.004 {
		t.Errorf("attempt 6 is late in %.4f of all cases, want 0.378", got)
	}
	// Against chance, with waits that depend on each other and attempts that take time.
	for _, text := range []string{"attempts=9 timeout=6s", "attempts=9 timeout=6s jitter=decorrelated", "attempts=9 timeout=4s jitter=equal factor=1.7", "attempts=9 timeout=9s cap=1s cap-stage=after jitter=scale:0.5..1.5"} {
		p := parsePolicy(t, text)
		f := newForecast(&p.Backoff, p.Timeout, 300*ms, 0, samplesFor(7))
		rng := rand.New(rand.NewPCG(1, 2))
		const runs = 20000
		var late [9]int
		for range runs {
			at, prev := 300*ms, time.Duration(0)
			for k := 1; k <= 7; k++ {
				prev = p.Delay(k, prev, rng.Float64())
				if at += prev; at >= p.Timeout {
					for ; k <= 7; k++ {
						late[k]++
					}
					break
				}
				at += 150 * ms
			}
		}
		for k := 1; k <= 7; k++ {
			want := float64(late[k]) / runs
			if got := f.step(k, 150*ms); math.Abs(got-want) > 0.03 {
				t.Errorf("%s: wait %d is late in %.3f of all cases, by chance %.3f", text, k, got, want)
			}
		}
	}
}
