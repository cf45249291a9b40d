package ui

// The smallest screen, and the smallest that shows several panes at once.
const (
	leastW, leastH = 60, 15
	wholeW, wholeH = 80, 24
	threeW         = 110 // from here the answer has a column of its own
	eventsH        = 34  // from here the events have a place
	oneCostW       = 180 // from here the two lines of costs are one
)

// layout is where everything stands, in cells.
type layout struct {
	w, h   int
	small  bool // smaller than the smallest
	single bool // one pane at a time
	// panes are the insides of the panes; W is 0 where one does not show. The heading is the line above.
	panes [numPanes]Rect
	// rules are lines across; cols are the lines down between panes, from the second rule to the third.
	rules []int
	cols  []int
	// cost is the first of costH lines, note the first of noteH; foot is the last line.
	cost, costH int
	// parts are those of a view of many calls; read is the line between its picture and its knobs.
	parts       [numParts]Rect
	read        int
	note, noteH int
	foot        int
	// modal is where a dialog may be; one of at most modalLow lines leaves the costs in sight. tall is where one may be that
	// covers the timeline too.
	modal    Rect
	modalLow int
	tall     Rect
}

// wanted is how many lines a timeline and a list of events have to show, 0 for any number.
type wanted struct{ line, events int }

// lineStep is the step in which a timeline grows: what is below it stands still while a knob adds an attempt or two.
const lineStep = 4

// layoutFor puts everything into w by h cells. focus fills the screen where full is set or there is no room for more.
func layoutFor(w, h int, focus pane, full bool, want wanted) layout {
	l := layout{w: w, h: h, note: h - 2, noteH: 1, foot: h - 1}
	switch {
	case w < leastW || h < leastH:
		l.small = true
	case full || w < wholeW || h < wholeH:
		l.one(focus)
	default:
		l.whole(want)
	}
	return l
}

func (l *layout) one(focus pane) {
	l.single = true
	l.rules = []int{2}
	if focus == panePolicy && l.w >= wholeW && l.h >= wholeH {
		// Beside the knobs there is more to say than fits elsewhere.
		l.costH, l.noteH = 2, 3
		if l.w >= oneCostW {
			l.costH = 1
		}
		l.note = l.foot - l.noteH
		l.cost = l.note - l.costH
		l.rules = append(l.rules, l.cost-1)
	}
	bottom := l.note
	if l.costH > 0 {
		bottom = l.cost - 1
	}
	l.panes[focus] = Rect{0, 3, l.w, bottom - 3}
	l.modal = Rect{0, 3, min(l.w, modalW), l.h - 4} // a line above shows what is tried out
	l.modal.X = (l.w - l.modal.W) / 2
	l.tall = l.modal
}

const modalW = 120

// whole puts the timeline on top, policy, why and answer beside each other, the costs, and the events.
func (l *layout) whole(want wanted) {
	l.costH = 2
	if l.w >= oneCostW {
		l.costH = 1
	}
	// Header, result, three rules, costs, note and foot stand still; what is left is shared.
	body := l.h - 7 - l.costH
	events := 0
	if l.h >= eventsH {
		events = 4 + (l.h-eventsH)/4
		body -= events + 1
	}
	mid := min(8+(body-15)*3/5, int(numKnobs))
	top := body - mid
	if need := (want.line + lineStep - 1) / lineStep * lineStep; want.line > 0 && need < top && l.h > wholeH {
		// What a timeline leaves blank the events take, as far as there are any, and the knobs.
		spare := top - need
		if events > 0 {
			more := min(spare, max(want.events-events, 0))
			events, spare = events+more, spare-more
		}
		mid = min(mid+spare, int(numKnobs))
		top = l.h - 7 - l.costH - mid
		if events > 0 {
			top -= events + 1
		}
	}
	l.panes[paneTimeline] = Rect{0, 3, l.w, top}
	y := 3 + top
	l.rules = []int{2, y, y + 1 + mid}
	l.columns(y+1, mid)
	l.cost = y + 2 + mid
	l.note = l.cost + l.costH
	if events > 0 {
		l.rules = append(l.rules, l.note+1)
		l.panes[paneEvents] = Rect{0, l.note + 2, l.w, events}
	}
	l.modalLow = mid + 2
	l.modal = Rect{0, y, min(l.w, modalW), l.foot - y}
	l.modal.X = (l.w - l.modal.W) / 2
	l.tall = Rect{l.modal.X, 2, l.modal.W, l.foot - 2}
}

func (l *layout) columns(y, h int) {
	policy := 38 + (l.w-wholeW)/5
	if l.w < threeW {
		l.panes[panePolicy] = Rect{0, y, policy, h}
		l.panes[paneWhy] = Rect{policy + 1, y, l.w - policy - 1, h}
		l.cols = []int{policy}
		return
	}
	answer := l.w * 7 / 24
	l.panes[panePolicy] = Rect{0, y, policy, h}
	l.panes[paneWhy] = Rect{policy + 1, y, l.w - policy - answer - 2, h}
	l.panes[paneAnswer] = Rect{l.w - answer, y, answer, h}
	l.cols = []int{policy, l.w - answer - 1}
}
