package ui

import (
	"math"
	"strconv"
	"time"
)

// longSteps are the steps from a minute on; below it is 1-2-5.
var longSteps = [...]time.Duration{
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute,
	time.Hour, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
}

const (
	day     = 24 * time.Hour
	maxStep = 100_000 * day
)

// tickStep is the i-th step between ticks, from 1µs up: 1, 2 and 5 of each decade of seconds, of minutes, of hours, of
// days. They end at maxStep.
func tickStep(i int) time.Duration {
	const shortSteps = 3*7 + 2 // 1µs to 20s
	switch {
	case i < shortSteps:
		return decade(time.Microsecond, i)
	case i < shortSteps+len(longSteps):
		return longSteps[i-shortSteps]
	default:
		return min(decade(day, i-shortSteps-len(longSteps)), maxStep)
	}
}

func decade(unit time.Duration, i int) time.Duration {
	d := unit * [...]time.Duration{1, 2, 5}[i%3]
	for range i / 3 {
		if d > maxStep/10 {
			return maxStep
		}
		d *= 10
	}
	return d
}

// Name is the axis in words for a heading: "linear 0–7s", "broken 0–26s", "log 0–5s".
func (a *Axis) Name(g *Glyphs) string {
	word := "linear"
	switch a.Kind {
	case ScaleLog:
		word = "log"
	case ScaleAuto:
		word = "broken"
	case ScaleLinear:
	}
	to := a.To()
	if a.Kind != ScaleLog && a.Step > 0 {
		to = to / a.Step * a.Step // the last tick
	}
	return string(appendRange([]byte(word+" "), a.From, to, g.To))
}

// eachTick calls f with the times that may carry a tick, from left to right, each within the plot.
func (a *Axis) eachTick(f func(t time.Duration)) {
	if a.Kind == ScaleLog {
		a.eachLogTick(f)
		return
	}
	if a.Step <= 0 {
		return
	}
	for n, t := 0, roundUp(a.From, a.Step); n <= a.W && a.Col(t) < a.W; n++ {
		if a.breakW > 0 && t > a.Broken.From && t < a.Broken.To {
			t = roundUp(a.Broken.To, a.Step)
			continue
		}
		f(t)
		if t == later(t, a.Step) {
			return // as late as it gets
		}
		t = later(t, a.Step)
	}
}

func (a *Axis) eachLogTick(f func(t time.Duration)) {
	if a.From == 0 {
		f(0)
	}
	first := int(3 * math.Floor(math.Log10(math.Max(a.unit/1000, 1))))
	for i := first; ; i++ {
		t := tickStep(i)
		if c := a.Col(t); c >= a.W || t >= maxStep {
			return
		} else if c >= 0 {
			f(t)
		}
	}
}

func roundUp(t, step time.Duration) time.Duration {
	if rest := t % step; rest != 0 {
		return later(t, step-rest)
	}
	return t
}

// appendTick prints the time of a tick with as many places as the step has.
func (a *Axis) appendTick(b []byte, t time.Duration) []byte {
	if a.Kind == ScaleLog || t >= time.Minute || a.Step >= time.Second || t == 0 {
		return appendTime(b, t)
	}
	unit, name, places := time.Second, "s", 0
	if a.Step < time.Millisecond {
		unit, name = time.Millisecond, "ms"
	}
	for s := a.Step; s%unit != 0 && places < 6; s *= 10 {
		places++
	}
	b = strconv.AppendFloat(b, float64(t)/float64(unit), 'f', places, 64)
	return append(b, name...)
}
