package lab

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
	"github.com/retryscope/retryscope/script"
)

// Warnings says, a line a step, what a right script asks for in vain: a Retry-After that no client can read. wall is the
// wall clock of the run, against which dates are read.
func Warnings(s *script.Script, wall time.Time) []string {
	var out []string
	for i := range s.Len() {
		step := s.Step(i)
		if n := lines(&step); n > 1 {
			out = append(out, fmt.Sprintf("step %d: %d lines of Retry-After that differ: the client takes its own wait", i+1, n))
			continue
		}
		h := httpretry.ParseRetryAfter(step.After.Text, step.After.Set, time.Time{}, false, wall)
		if h.State == engine.HintUnreadable {
			out = append(out, fmt.Sprintf("step %d: after=%s is neither seconds nor an HTTP date: the client takes its own wait", i+1, strconv.Quote(step.After.Text)))
		}
	}
	return out
}

// lines is in how many lines a step's Retry-After is; 1 where they all say the same.
func lines(step *script.Step) int {
	var said []string
	if step.After.Set {
		said = append(said, step.After.Text)
	}
	for _, h := range step.Headers {
		if strings.EqualFold(h.Name, engine.HeaderRetryAfter.Name()) {
			said = append(said, h.Value)
		}
	}
	for _, one := range said {
		if strings.Trim(one, " \t") != strings.Trim(said[0], " \t") {
			return len(said)
		}
	}
	return min(len(said), 1)
}
