// Package ui is the screen: it shows a run on a timeline, and every key that turns a knob runs it again. It holds no rule
// of retrying: what is decided, and why, is the engine's, and it is asked.
//
// DrawTimeline, ResultLine and CostOf are pure functions of a trace and a policy, drawn into a Grid; New makes the
// interactive model of Bubble Tea around them. The package calls no clock and touches no file and no network: what has
// to be done in the world is a function in Options.
package ui
