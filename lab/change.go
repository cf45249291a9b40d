package lab

import (
	"fmt"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// change is what was made of the policy while an operation ran: all knobs turned before it counted, as one.
type change struct {
	from, to engine.Policy
	at       time.Duration
	after    int // the attempt whose decision is the first it counts for
}

// counts finds from where the change counts: the decision after the attempt under way, or after the next one.
func (c *change) counts(t *trace.Trace) {
	a := t.Last()
	switch {
	case a == nil:
		c.after = 1
	case a.Decided:
		c.after = a.N + 1
	default:
		c.after = a.N
	}
}

func (c *change) note() trace.Note {
	return trace.Note{At: c.at, Text: c.text(), After: c.after}
}

// text says what changed, when, and from where it counts.
func (c *change) text() string {
	var knobs []string
	for _, name := range engine.Fields() {
		old, _ := c.from.Get(name)
		now, _ := c.to.Get(name)
		if old != now {
			knobs = append(knobs, fmt.Sprintf("%s changed %s → %s", name, old, now))
		}
	}
	return fmt.Sprintf("%s at %s: counts from the decision after attempt %d", strings.Join(knobs, ", "), rounded(c.at), c.after)
}

func rounded(d time.Duration) string {
	if d >= time.Second {
		return engine.FormatDuration(d.Round(100 * time.Millisecond))
	}
	return engine.FormatDuration(d.Round(time.Millisecond))
}
