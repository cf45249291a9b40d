package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/retryscope/retryscope/sim"
)

// fleetHead is what becomes of the policies of a fleet, the gravest first and those that recover last, the one that saves
// most calls at their head.
type fleetHead struct{ groups []headGroup }

// headGroup is the policies of one verdict: what is said of them in full, and with fewer words.
type headGroup struct {
	glyph rune
	style Style
	texts [headForms]headText
}

// headForms are how many forms there are, the fullest first.
const headForms = 6

// atOnce is a time to recover of nothing.
const atOnce = "at once"

// headText is a text whose lead says the most.
type headText struct{ lead, rest string }

// draw writes the fullest form that fits into w cells; the last is cut.
func (h *fleetHead) draw(g *Grid, x, y, w int, gl *Glyphs) {
	form := 0
	for form < headForms-1 && h.width(form, gl) > w {
		form++
	}
	line := g.sub(x, y, w, 1)
	at := 0
	for i := range h.groups {
		group := &h.groups[i]
		if i > 0 {
			at = line.Text(at, 0, Dim, headDot(form, gl))
		}
		line.Set(at, 0, group.glyph, group.style)
		t := &group.texts[form]
		at = line.TextCut(at+2, 0, max(w-at-2, 0), group.style, t.lead, gl.Ellipsis)
		at = line.TextCut(at, 0, max(w-at, 0), Plain, t.rest, gl.Ellipsis)
	}
}

func (h *fleetHead) width(form int, gl *Glyphs) int {
	w := 0
	for i := range h.groups {
		t := &h.groups[i].texts[form]
		if i > 0 {
			w += TextWidth(headDot(form, gl))
		}
		w += 2 + TextWidth(t.lead) + TextWidth(t.rest)
	}
	return w
}

func headDot(form int, gl *Glyphs) string {
	if form <= 1 {
		return "  " + gl.Dot + "  "
	}
	return " " + gl.Dot + " "
}

// headItem is what is said of some policies at once: those of which it is the same.
type headItem struct {
	letters string
	ok      string // the share of the calls that succeeded
	pending string // how many were under way at the end, "" for no more than there always are
	after   string // how long it took to recover, "" where there is nothing to say
}

// headOf makes the headline of some runs.
func headOf(r *fleetRuns, gl *Glyphs) fleetHead {
	var h fleetHead
	kinds := [...]struct {
		verdict sim.Verdict
		glyph   rune
		style   Style
	}{
		{sim.Stuck, gl.Final, FinalBold},
		{sim.GivesUp, gl.Warn, RetryBold},
		{sim.Vulnerable, gl.Warn, RetryBold},
		{sim.Unknown, '?', RetryBold},
		{sim.Recovers, gl.OK, OKBold},
	}
	for _, kind := range kinds {
		var lanes []int
		for i := range r.lanes {
			if s := r.lanes[i].sum; s != nil && s.Seeds > 0 && s.Verdict == kind.verdict {
				lanes = append(lanes, i)
			}
		}
		if len(lanes) > 0 {
			slices.SortStableFunc(lanes, func(a, b int) int { return better(r.lanes[a].sum, r.lanes[b].sum) })
			h.groups = append(h.groups, headGroup{kind.glyph, kind.style, headTexts(kind.verdict, r, lanes)})
		}
	}
	if slices.ContainsFunc(r.lanes, func(l laneRun) bool { return l.sum == nil || l.sum.Seeds == 0 }) {
		g := headGroup{glyph: gl.Due, style: Neutral}
		for i := range g.texts {
			g.texts[i].rest = "still simulating"
		}
		h.groups = append(h.groups, g)
	}
	return h
}

// better orders policies of the same verdict: by the calls that succeed, then the time to recover, then the load. What
// reads the same is the same.
func better(a, b *sim.Summary) int {
	if a.Drained > 0 || b.Drained > 0 {
		return cmp.Compare(a.Drained, b.Drained)
	}
	percent := func(s *sim.Summary) float64 { return float64(int(100*succeeded(s) + .5)) }
	return cmp.Or(cmp.Compare(percent(b), percent(a)), afterOrder(a, b), cmp.Compare(a.Amplification.Mean, b.Amplification.Mean))
}

func afterOrder(a, b *sim.Summary) int {
	if FleetTime(a.Recover.Mean) == FleetTime(b.Recover.Mean) {
		return 0
	}
	return cmp.Compare(a.Recover.Mean, b.Recover.Mean)
}

// succeeded is the share of the calls that succeed; what is left pending does not.
func succeeded(s *sim.Summary) float64 {
	ended := s.First.Total.Useful + s.First.Total.Failed
	if left := pending(s); left > 0 {
		return s.Success.Mean * float64(ended) / float64(ended+left)
	}
	return s.Success.Mean
}

// headItems are what is said of some lanes, in their order.
func headItems(r *fleetRuns, lanes []int) []headItem {
	var out []headItem
	for _, i := range lanes {
		s := r.lanes[i].sum
		letter := laneLetter(i)
		if r.lanes[i].small {
			letter += "?"
		}
		item := headItem{ok: fleetPercent(s.Success.Mean) + " ok"}
		if n := pending(s); n > 0 {
			item.pending = fleetNumber(float64(n)) + " pending"
		}
		if s.Recover.N > 0 {
			item.after = afterWords(s)
		}
		if n := len(out); n > 0 && out[n-1].ok == item.ok && out[n-1].pending == item.pending && out[n-1].after == item.after {
			out[n-1].letters += ", " + letter
			continue
		}
		item.letters = letter
		out = append(out, item)
	}
	return out
}

// afterWords is how long a fleet took to recover.
func afterWords(s *sim.Summary) string {
	if after := FleetTime(s.Recover.Mean); after != FleetTime(0) {
		return after
	}
	return atOnce
}

// letters are all of some items, in the order of the lanes.
func letters(items []headItem) string {
	var all []string
	for i := range items {
		all = append(all, strings.Split(items[i].letters, ", ")...)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// headTexts are the forms in which a verdict is said of some lanes.
func headTexts(v sim.Verdict, r *fleetRuns, lanes []int) [headForms]headText {
	items := headItems(r, lanes)
	who, many := letters(items), len(lanes) > 1
	first := r.lanes[lanes[0]].sum
	switch v {
	case sim.Stuck:
		long := who + verb(many, " stays stuck, ", " stay stuck, ") + figures(items)
		out := headForm(headText{long, stuckWhy(first)}, headText{long, ""}, who+" stuck")
		out[3] = out[4] // the figures of those that are well are worth more
		return out
	case sim.Unknown:
		why := ": the run is too short to tell"
		if first.Drained > 0 && !many {
			why = ": at the end there is a queue, until about " + FleetTime(first.Drained.Seconds())
		}
		return headForm(headText{who + " unknown", why}, headText{who + " unknown", ""}, who+" unknown")
	case sim.GivesUp:
		up := who + verb(many, " gives up", " give up")
		out := headForm(headText{up + ", " + figures(items), ""}, headText{up + ", " + figures(items), ""}, up)
		if !many && first.Why != "" {
			out[0].rest = ": " + first.Why
		}
		return out
	case sim.Vulnerable:
		return headForm(listOf(items, "vulnerable", true), headText{who + " vulnerable, " + figures(items), ""}, who+" vulnerable")
	case sim.Recovers:
	}
	long := listOf(items, verb(many, "recovers", "recover"), true)
	out := headForm(long, listOf(items, "", true), "")
	out[0].rest += sendsMost(r, lanes)
	out[3], out[4], out[5] = out[2], out[2], listOf(items, "", false)
	return out
}

// headForm are the forms of a group that has a long, a shorter and a short one.
func headForm(long, shorter headText, short string) [headForms]headText {
	return [...]headText{long, long, shorter, shorter, {short, ""}, {short, ""}}
}

// sendsMost says which policy sends most, where they differ.
func sendsMost(r *fleetRuns, lanes []int) string {
	light, heavy := lanes[0], lanes[0]
	load := func(i int) float64 { return r.lanes[i].sum.Amplification.Mean }
	for _, i := range lanes {
		if load(i) < load(light) {
			light = i
		}
		if load(i) > load(heavy) {
			heavy = i
		}
	}
	if load(heavy) <= 1.2*load(light) {
		return ""
	}
	return fmt.Sprintf("; %s sends most, %.1f a call", laneLetter(heavy), load(heavy))
}

// figures are the shares that succeed, of several policies from the least to the most.
func figures(items []headItem) string {
	low, high := items[len(items)-1].ok, items[0].ok
	if low == high {
		return high
	}
	return strings.TrimSuffix(low, " ok") + " to " + high
}

// listOf are policies with their figures behind a word, and with their times or without. What is the same of all of them is
// said once.
func listOf(items []headItem, word string, times bool) headText {
	first := &items[0]
	sameOK, sameAfter := len(items) > 1 && times, len(items) > 1 && times && first.after != ""
	for i := range items {
		sameOK = sameOK && items[i].ok == first.ok && items[i].pending == "" && items[i].after != ""
		sameAfter = sameAfter && items[i].after == first.after
	}
	head := word
	switch {
	case sameAfter && first.after == atOnce:
		head += " " + atOnce
	case sameAfter:
		head += " in " + first.after
	case sameOK && word != "":
		head += ", " + first.ok
	case sameOK:
		head = first.ok
	}
	if head = strings.TrimSpace(head); head != "" {
		head += ": "
	}
	sameOK = sameOK && !sameAfter
	var out []string
	for i := range items {
		item := &items[i]
		var figures []string
		switch {
		case sameOK:
		case i == 0:
			figures = append(figures, item.ok)
		default: // of what the share is was said
			figures = append(figures, strings.TrimSuffix(item.ok, " ok"))
		}
		if item.pending != "" {
			figures = append(figures, item.pending)
		}
		if times && !sameAfter && item.after != "" {
			figures = append(figures, item.after)
		}
		out = append(out, item.letters+" "+strings.Join(figures, ", "))
	}
	if len(out) == 1 {
		return headText{head + out[0], ""}
	}
	return headText{head + out[0], "; " + strings.Join(out[1:], "; ")}
}

// stuckWhy is the reason of a verdict, behind it; that the trouble is over is seen.
func stuckWhy(s *sim.Summary) string {
	if s.Why == "" {
		return ""
	}
	return ": " + strings.TrimPrefix(s.Why, "the trouble is over, but ")
}

// verb is a form of a word for one or for several.
func verb(several bool, one, more string) string {
	if several {
		return more
	}
	return one
}
