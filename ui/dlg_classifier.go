package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
)

// classifierDialog switches what may be tried again: kinds, causes, statuses and methods.
type classifierDialog struct {
	policy engine.Policy
	cells  []classCell
	at     int
	cols   int // columns of the last drawing, for the arrow keys
	top    int
}

// classCell is one switch.
type classCell struct {
	group  string
	label  string
	kind   engine.Kind
	cause  engine.Cause
	lo, hi int    // statuses
	method string // a method, or one of the two words
}

var (
	classStatuses = []int{
		408, 409, 412, 421, 423, 424, 425, 429, 500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 522, 524, 529,
	}
	classMethods = []string{"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "POST", "PATCH"}
)

func newClassifier(p engine.Policy) *classifierDialog {
	d := &classifierDialog{policy: p, cols: 1}
	for _, k := range engine.RetryKinds() {
		d.cells = append(d.cells, classCell{group: "kinds", label: k.String(), kind: k})
	}
	for _, c := range engine.Causes() {
		d.cells = append(d.cells, classCell{group: "causes", label: c.String(), cause: c})
	}
	d.cells = append(d.cells,
		classCell{group: "statuses", label: "all 4xx", lo: 400, hi: 499}, classCell{group: "statuses", label: "all 5xx", lo: 500, hi: 599})
	for _, s := range d.statuses() {
		d.cells = append(d.cells, classCell{group: "statuses", label: strconv.Itoa(s), lo: s, hi: s})
	}
	for _, w := range []string{engine.MethodsIdempotent, engine.MethodsAny} {
		d.cells = append(d.cells, classCell{group: "methods", label: w, method: w})
	}
	for _, w := range classMethods {
		d.cells = append(d.cells, classCell{group: "methods", label: w, method: w})
	}
	return d
}

// statuses are the usual ones, and those of the policy outside of the two classes.
func (d *classifierDialog) statuses() []int {
	out := slices.Clone(classStatuses)
	for s := 100; s < 400; s++ {
		if d.policy.RetryOn.Statuses.Has(s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

func (d *classifierDialog) title() string { return "What is retried" }

func (d *classifierDialog) foot() string {
	return "arrows  space switches  enter takes it  esc leaves"
}

func (d *classifierDialog) rows(width int) int { return d.lines(width) + 2 }

// key moves among the switches and turns them.
func (d *classifierDialog) key(k tea.KeyPressMsg) reply {
	switch k.Keystroke() {
	case "esc":
		return closed{}
	case "enter":
		return takes{policyEdit{d.policy, "what is retried"}}
	case "left", "h":
		d.at--
	case "right", "l":
		d.at++
	case "tab":
		d.nextGroup()
	case "up", "k":
		d.vertical(-1)
	case "down", "j":
		d.vertical(1)
	case "home", "g":
		d.at = 0
	case "end", "G", "shift+g":
		d.at = len(d.cells) - 1
	case "space":
		d.turn(d.cells[d.at])
		return shows{policyEdit{d.policy, ""}}
	}
	d.at = max(min(d.at, len(d.cells)-1), 0)
	return nil
}

func (d *classifierDialog) paste(string) reply { return nil }

func (d *classifierDialog) nextGroup() {
	now := d.cells[d.at].group
	for i := range d.cells {
		at := (d.at + i) % len(d.cells)
		if d.cells[at].group != now {
			d.at = at
			return
		}
	}
}

// vertical moves a line up or down, to the switch nearest in column.
func (d *classifierDialog) vertical(by int) {
	col, row := d.spot(d.at)
	best := d.at
	for i := range d.cells {
		c, r := d.spot(i)
		if r != row+by {
			continue
		}
		if _, br := d.spot(best); br != row+by {
			best = i
		} else if bc, _ := d.spot(best); abs(c-col) < abs(bc-col) {
			best = i
		}
	}
	d.at = best
}

func abs(n int) int { return max(n, -n) }

// turn switches one cell. A cause has three ways: in, out, and as its kind has it.
func (d *classifierDialog) turn(c classCell) {
	r := &d.policy.RetryOn
	switch {
	case c.method != "":
		d.turnMethod(c.method)
	case c.cause != engine.CauseNone:
		switch {
		case r.HasCause(c.cause):
			r.SetCause(c.cause, -1)
		case r.LacksCause(c.cause):
			r.SetCause(c.cause, 0)
		default:
			r.SetCause(c.cause, 1)
		}
	case c.lo > 0 && d.on(c):
		r.Statuses.RemoveRange(c.lo, c.hi)
	case c.lo > 0:
		r.Statuses.AddRange(c.lo, c.hi)
	default:
		r.SetKind(c.kind, !r.HasKind(c.kind))
	}
}

// turnMethod chooses one of the two words, or switches a method in a list of its own.
func (d *classifierDialog) turnMethod(m string) {
	if m == engine.MethodsIdempotent || m == engine.MethodsAny {
		d.policy.Methods = m
		return
	}
	var list []string
	for _, w := range classMethods {
		if d.hasMethod(w) != (w == m) {
			list = append(list, w)
		}
	}
	if len(list) == 0 {
		return // a policy with no method at all is one with attempts=1
	}
	q := d.policy
	if q.Set("methods", strings.Join(list, ",")) == nil {
		d.policy = q
	}
}

// hasMethod asks the engine whether a request with that method may be sent again.
func (d *classifierDialog) hasMethod(m string) bool { return d.policy.Safety(m, false).Repeatable() }

// on tells whether a switch is on; all of a class, for a class.
func (d *classifierDialog) on(c classCell) bool {
	r := &d.policy.RetryOn
	switch {
	case c.method == engine.MethodsIdempotent || c.method == engine.MethodsAny:
		return d.policy.Methods == c.method
	case c.method != "":
		return d.hasMethod(c.method)
	case c.cause != engine.CauseNone:
		return r.HasCause(c.cause)
	case c.lo > 0:
		for s := c.lo; s <= c.hi; s++ {
			if !r.Statuses.Has(s) {
				return false
			}
		}
		return true
	default:
		return r.HasKind(c.kind)
	}
}

// inherits tells whether a cause that is not named is retried, as its kind has it: unless it does not heal.
func (d *classifierDialog) inherits(c engine.Cause) bool {
	kind, permanent := natureOf(c)
	return !permanent && d.policy.RetryOn.HasKind(kind)
}

// natureOf is the kind a cause comes under, and whether it is taken not to heal: a certificate that does not verify, a
// name that nobody has.
func natureOf(c engine.Cause) (kind engine.Kind, permanent bool) {
	switch c {
	case engine.CauseDNS, engine.CauseTLS, engine.CauseRequest, engine.CauseBody, engine.CauseProxy:
		return engine.KindTransport, true
	case engine.CauseRedirectLoop:
		return engine.KindInvalidResponse, true
	case engine.CauseCut, engine.CauseMalformed:
		return engine.KindInvalidResponse, false
	case engine.CauseNone, engine.CauseRefused, engine.CauseReset, engine.CauseClosed, engine.CauseUnreachable, engine.CauseHTTP2:
	}
	return engine.KindTransport, false
}

// someMark is the sign of a class of which some statuses are in.
const someMark = "[.]"

// mark is the sign of a switch: on or off, named in or out, and a dot for a class that is partly in. A cause that is not
// named is what its kind makes of it.
func (d *classifierDialog) mark(c classCell) string {
	r := &d.policy.RetryOn
	switch {
	case c.cause != engine.CauseNone && r.HasCause(c.cause):
		return "[+]"
	case c.cause != engine.CauseNone && r.LacksCause(c.cause):
		return "[-]"
	case d.on(c), c.cause != engine.CauseNone && d.inherits(c.cause):
		return "[x]"
	case c.hi > c.lo:
		for s := c.lo; s <= c.hi; s++ {
			if r.Statuses.Has(s) {
				return someMark
			}
		}
	}
	return "[ ]"
}
