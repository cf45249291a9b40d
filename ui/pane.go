package ui

// pane is one part of the screen.
type pane uint8

// The panes, in the order of tab and of the digits.
const (
	paneTimeline pane = iota
	panePolicy
	paneWhy
	paneAnswer
	paneEvents
	numPanes
)

// title is what a pane is called.
func (p pane) title() string {
	switch p {
	case paneTimeline:
		return "Timeline"
	case panePolicy:
		return "Policy"
	case paneWhy:
		return "Why"
	case paneAnswer:
		return "Answer"
	case paneEvents:
		return "Events"
	case numPanes:
	}
	return ""
}

// motion is a key that moves or changes, whatever the pane.
type motion uint8

// The motions.
const (
	moveUp motion = iota
	moveDown
	moveLeft
	moveRight
	moveFarLeft
	moveFarRight
	movePageUp
	movePageDown
	moveFirst
	moveLast
)

// sideways is the direction and the size of a motion to the left or right; by is 0 for another.
func (m motion) sideways() (by int, coarse bool) {
	switch m {
	case moveLeft:
		return -1, false
	case moveRight:
		return 1, false
	case moveFarLeft:
		return -1, true
	case moveFarRight:
		return 1, true
	case moveUp, moveDown, movePageUp, movePageDown, moveFirst, moveLast:
	}
	return 0, false
}

// intent is what a part wants to happen. The root makes it happen: parts know neither each other nor the run.
type intent interface{ isIntent() }

type (
	// turnKnob moves a knob by a step.
	turnKnob struct {
		knob   knob
		by     int
		coarse bool
	}
	// editKnob asks for a knob's own way of being set; typeKnob for its exact value.
	editKnob struct{ knob knob }
	typeKnob struct{ knob knob }
	// pickAttempt selects an attempt; stepAttempt the one that many rows on.
	pickAttempt struct{ attempt int }
	pickNext    struct{ by int }
	// scrub moves the cursor by columns of the timeline; toEdge to the start or the end.
	scrub struct {
		by     int
		coarse bool
	}
	toEdge struct{ end bool }
)

func (turnKnob) isIntent()    {}
func (editKnob) isIntent()    {}
func (typeKnob) isIntent()    {}
func (pickAttempt) isIntent() {}
func (pickNext) isIntent()    {}
func (scrub) isIntent()       {}
func (toEdge) isIntent()      {}

// list is a cursor in a list that scrolls.
type list struct{ at, top int }

// move moves the cursor in a list of n of which rows show.
func (l *list) move(m motion, n, rows int) {
	switch m {
	case moveUp:
		l.at--
	case moveDown:
		l.at++
	case movePageUp:
		l.at -= max(rows-1, 1)
	case movePageDown:
		l.at += max(rows-1, 1)
	case moveFirst:
		l.at = 0
	case moveLast:
		l.at = n - 1
	case moveLeft, moveRight, moveFarLeft, moveFarRight:
	}
	l.keep(n, rows)
}

// keep holds the cursor within the list and in sight.
func (l *list) keep(n, rows int) {
	l.at = max(min(l.at, n-1), 0)
	l.top = max(min(l.top, l.at), l.at-rows+1, 0)
	l.top = max(min(l.top, n-rows), 0)
}

// scroll is the place in a text that has no cursor.
type scroll struct{ top int }

func (s *scroll) move(m motion, n, rows int) {
	l := list{at: s.top}
	switch m {
	case movePageUp, movePageDown, moveUp, moveDown, moveFirst, moveLast:
		l.move(m, max(n-rows, 0)+1, rows)
		s.top = l.at
	case moveLeft, moveRight, moveFarLeft, moveFarRight:
	}
	s.keep(n, rows)
}

func (s *scroll) keep(n, rows int) { s.top = max(min(s.top, n-rows), 0) }
