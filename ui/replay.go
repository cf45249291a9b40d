package ui

import (
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// recorded makes a script of the answers of a live run, and says what of them a script cannot give back.
func recorded(t *trace.Trace) (s *script.Script, inexact []string) {
	if t == nil {
		return nil, nil
	}
	if s, err := script.Parse(lab.ToScript(t)); err == nil {
		return s, lab.Inexact(t)
	}
	return nil, nil // there were no answers
}
