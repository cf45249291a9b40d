package ui

import (
	"strconv"

	"github.com/retryscope/retryscope/engine"
)

// forms are one thing to say in shorter and shorter words: each has its figures.
type forms []string

// in is the longest form of at most w cells, the shortest where none is.
func (f forms) in(w int) string {
	for _, text := range f {
		if TextWidth(text) <= w {
			return text
		}
	}
	if len(f) == 0 {
		return ""
	}
	return f[len(f)-1]
}

// Warnings say which attempts may never be sent, and why; none where all may.
func (c *Cost) Warnings(g *Glyphs) []string {
	var out []string
	for _, f := range c.warnings(g) {
		out = append(out, f[0])
	}
	return out
}

func (c *Cost) warnings(g *Glyphs) []forms {
	var out []forms
	p := c.policy
	if c.Once {
		out = append(out, c.onceWhy())
	}
	if c.Paid < p.Attempts-1 {
		retries := strconv.Itoa(c.Paid) + " retries"
		switch c.Paid {
		case 0:
			retries = "no retry"
		case 1:
			retries = "1 retry"
		}
		who, short, are := attemptsFrom(c.Paid+2, p.Attempts, g)
		out = append(out, forms{
			who + are + " never sent: the budget pays for " + retries + " of one call",
			who + are + " never sent: budget for " + retries,
			short + are + " never sent: budget for " + retries,
			short + " never sent: budget " + retries,
		})
	}
	if c.Unsure > 0 {
		out = append(out, c.unsureForms(g))
	}
	return out
}

// unsureForms name the attempts that the timeout may come before, and both figures.
func (c *Cost) unsureForms(g *Glyphs) forms {
	p := c.policy
	last := p.Attempts
	if c.Retries < p.Attempts {
		last = c.Retries + 1
	}
	who, short, _ := attemptsFrom(c.Unsure, last, g)
	limit := FormatTime(p.Timeout)
	if c.Free == NoBound {
		return forms{
			who + " may never be sent: a whole run can take any time, timeout is " + limit,
			who + " may never be sent: timeout is " + limit,
			who + " may be too late: timeout " + limit,
			short + " may be too late: timeout " + limit,
		}
	}
	take := FormatTime(c.Free)
	return forms{
		who + " may never be sent: a whole run can take " + take + ", timeout is " + limit,
		who + " may never be sent: up to " + take + ", timeout " + limit,
		who + " may be too late: " + take + " > timeout " + limit,
		short + " may be too late: " + take + " > timeout " + limit,
		short + " may be too late: " + take + " > " + limit,
	}
}

// attemptsFrom names the attempts from one to the last, in full and by their numbers, and the verb that goes with them.
func attemptsFrom(from, last int, g *Glyphs) (who, short, are string) {
	short = strconv.Itoa(from)
	switch {
	case from >= last:
		return "attempt " + short, "attempt " + short, " is"
	case last == engine.Unlimited:
		return "attempt " + short + " and later", short + " and on", " are"
	default:
		short += g.To + strconv.Itoa(last)
		return "attempts " + short, short, " are"
	}
}

// onceWhy says why a request is not sent again.
func (c *Cost) onceWhy() forms {
	switch c.safety {
	case engine.Unsafe:
		return forms{"sent once: the method is not idempotent and there is no key", "sent once: not idempotent, no key"}
	case engine.Unlisted:
		return forms{"sent once: the method is not in methods"}
	case engine.SafeMethod, engine.SafeKey, engine.SafeListed, engine.SafeAny:
	}
	return forms{"sent once: the body can be read only once", "sent once: body read only once"}
}
