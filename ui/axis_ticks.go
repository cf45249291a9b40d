package ui

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
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

// nameW is how wide the name of an axis may be before its end is left to the ticks.
const nameW = 20

// Name is the axis in words for a heading: "linear 0–7s", "broken 0–26s", "log 0–5s"; of a late piece of a long run only
// where it begins: "linear from 13h 53m 20s".
func (a *Axis) Name(g *Glyphs) string {
	word := "linear"
	switch a.Kind {
	case ScaleLog:
		word = "log"
	case ScaleAuto:
		word = "broken"
	case ScaleLinear:
	}
	first, last := a.From, a.From
	a.eachTick(func(t time.Duration) { last = t })
	if first == 0 && a.Step > 0 && a.Step < time.Millisecond && last < time.Second {
		return word + " 0" + g.To + strings.Replace(string(a.appendTick(nil, last)), ".0ms", "ms", 1) // as on the ticks
	}
	if first == 0 {
		return string(appendRange([]byte(word+" "), 0, last, g.To))
	}
	if a.Step > 0 {
		first = roundUp(first, a.Step)
	}
	from, to := string(a.appendTick(nil, first)), string(a.appendTick(nil, last))
	name := word + " " + from + g.To + to
	if cut := len(from) - 1; last < time.Minute && cut > 0 && from[cut] == 's' && from[cut-1] != 'm' {
		name = word + " " + from[:cut] + g.To + to // the unit stands once
	}
	if first >= last || TextWidth(name) > nameW {
		return word + " from " + from
	}
	return name
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
		if t = later(t, a.Step); t == engine.Forever {
			return // as late as it gets
		}
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

// appendTick prints the time of a tick with as many places as the step has, so that two ticks never read the same.
func (a *Axis) appendTick(b []byte, t time.Duration) []byte {
	switch {
	case t == 0:
		return append(b, "0s"...)
	case a.Kind == ScaleLog || a.Step <= 0:
		return appendTime(b, t)
	case t < time.Second && a.Step < time.Millisecond:
		return appendPlaces(b, t, a.Step, time.Millisecond, "ms")
	case t < time.Minute:
		return appendPlaces(b, t, a.Step, time.Second, "s")
	}
	from := len(b)
	for _, u := range tickUnits {
		if n := t / u.d; n > 0 {
			if len(b) > from {
				b = append(b, ' ')
			}
			b = append(strconv.AppendInt(b, int64(n), 10), u.name)
			t %= u.d
		}
		if u.d <= a.Step {
			return b // a tick is a whole number of steps: nothing is left
		}
	}
	if t > 0 {
		b = appendPlaces(append(b, ' '), t, a.Step, time.Second, "s")
	}
	return b
}

var tickUnits = [...]struct {
	d    time.Duration
	name byte
}{{day, 'd'}, {time.Hour, 'h'}, {time.Minute, 'm'}}

// appendPlaces prints t in a unit, with the places that a step has in it.
func appendPlaces(b []byte, t, step, unit time.Duration, name string) []byte {
	places := 0
	for s := step; s%unit != 0 && places < 9; s *= 10 {
		places++
	}
	return append(strconv.AppendFloat(b, float64(t)/float64(unit), 'f', places, 64), name...)
}
