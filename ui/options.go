package ui

import (
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// Options is all that the screen is handed. What the screen cannot do itself (files, the network, chance) is a function
// here; one that is nil is said to be missing when somebody asks for it.
type Options struct {
	// Script is the text of the scripted server; it has to be a right one.
	Script string
	// Live sends real requests; nil where that is not possible. It is the source to begin with, unless Scripted: then the
	// script is, until the request is given a URL. Nothing is sent before the key that asks for it, unless SendAtOnce.
	Live       Live
	Scripted   bool
	SendAtOnce bool

	// Policy is the policy to start with; PolicyName the preset or file it is called by, whose own policy is Base.
	Policy     engine.Policy
	PolicyName string
	Base       engine.Policy

	// Request is what is sent, or what the script is asked.
	Request lab.Request

	// Seed makes all chance of a scripted run; Draw is every draw of jitter, or below 0 for the seed's.
	Seed uint64
	Draw float64
	// Wall is the wall clock of a scripted run; CancelAt and SignOutAt are from its start, below 0 for never.
	Wall      time.Time
	CancelAt  time.Duration
	SignOutAt time.Duration
	MaxSends  int

	// Theme, ASCII and Mouse are how the screen begins; all three are in the list of commands. Profile is what the
	// terminal can show. Ask says that the terminal may be asked for its background, for ThemeAuto.
	Theme   ThemeName
	Profile Profile
	Ask     bool
	ASCII   bool
	Mouse   bool

	// Run makes the trace of a scripted run; lab.Scripted where it is nil.
	Run func(lab.Config) *trace.Trace
	// Save writes a policy under a name and gives the path; Open reads one by a name of List or by a path; their errors
	// are shown. They may take their time: they are called outside of the model. Save and SaveRun replace what is there
	// only with over; without it their error matches fs.ErrExist, and somebody is asked.
	Save func(name string, p engine.Policy, over bool) (path string, err error)
	Open func(name string) (p engine.Policy, err error)
	List func() ([]string, error)
	// SaveRun writes a run and gives the path.
	SaveRun func(name string, t *trace.Trace, over bool) (path string, err error)
	// SaveText writes a text to a file, whole or not at all, under the conditions of Save; Read gives what is in one, and
	// TOML reads a policy file's text.
	SaveText func(path, text string, over bool) (at string, err error)
	Read     func(path string) (text string, err error)
	TOML     func(text string) (engine.Policy, error)
	// Copy writes what was copied to a file too, and gives its path: a terminal may drop what is put on its clipboard.
	Copy func(text string) (path string, err error)
}

// Live sends real requests. None of its methods may block: they are called from the model.
type Live interface {
	// Start begins an operation; it is refused with an error while one runs, and where the request cannot be sent.
	Start(policy engine.Policy, request lab.Request) error
	// Snapshot is a copy of the trace of the operation begun last, nil before the first Start. Done is set in it once the
	// operation ended, whatever ended it.
	Snapshot() *trace.Trace
	// Elapsed is the time since that operation began, 0 before.
	Elapsed() time.Duration
	// SetPolicy changes the policy of the operation that runs: it counts from the next decision.
	SetPolicy(policy engine.Policy) error
	// Cancel ends the operation at once; SignOut moves the session's generation on.
	Cancel()
	SignOut()
	// Sends are the sends used in this session and the most there may be, 0 for no limit.
	Sends() (used, most int)
}
