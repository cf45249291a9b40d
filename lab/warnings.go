package lab

import (
	"fmt"
	"strconv"
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
		h := httpretry.ParseRetryAfter(step.After.Text, step.After.Set, time.Time{}, false, wall)
		if h.State == engine.HintUnreadable {
			out = append(out, fmt.Sprintf("step %d: after=%s is neither seconds nor an HTTP date: the client takes its own wait", i+1, strconv.Quote(step.After.Text)))
		}
	}
	return out
}
