package ui

import (
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// never is the moment of a cancel or a sign-out that does not take place.
const never time.Duration = -1

// doc is everything that makes a run: the same doc makes the same run. It is a value; the maps and slices in its
// request are never written to.
type doc struct {
	policy engine.Policy
	// name is what the policy was called when it was taken, base what that name means.
	name string
	base engine.Policy

	request lab.Request
	text    string // the script as it was typed
	script  *script.Script
	seed    uint64
	cancel  time.Duration
	signOut time.Duration
	// live says that the answers come from the live source: the request's URL.
	live bool
	// fleet is what many calls are tried in; nil for the one that is there at first.
	fleet *fleetDoc
	// dist is what many calls meet; nil for what is there at first.
	dist *distDoc
}

// label is the policy's name, with a star where it is no longer what the name means.
func (d *doc) label() string {
	if d.policy != d.base {
		return d.name + "*"
	}
	return d.name
}

// config is the run of the doc.
func (d *doc) config(o *Options, giveUp int) lab.Config {
	return lab.Config{
		Policy: d.policy, Request: d.request, Script: d.script, Seed: d.seed, Draw: o.Draw, Wall: o.Wall,
		CancelAt: d.cancel, SignOutAt: d.signOut, MaxSends: o.MaxSends, GiveUp: giveUp,
	}
}

// head is what is known of a live run before it is sent.
func (d *doc) head() trace.Head {
	r := &d.request
	address := trace.RedactURL(r.URL)
	return trace.Head{
		Method: methodOf(r), URL: address, Source: address, Policy: d.policy, Seed: d.seed, Keyed: keyed(r), Body: bodyOf(r), Live: true,
	}
}

// keyed tells whether a request carries an idempotency key, by itself or among its headers.
func keyed(r *lab.Request) bool { return r.Key != "" || r.Header.Get("Idempotency-Key") != "" }

// historyDepth is how many changes can be taken back.
const historyDepth = 500

// change is a doc and what was done to it.
type change struct {
	doc  doc
	what string
}

// history holds what can be taken back and what can be done again.
type history struct {
	past, future []change
}

// push notes the doc as it was before a change.
func (h *history) push(before *doc, what string) {
	if len(h.past) == historyDepth {
		h.past = append(h.past[:0], h.past[1:]...)
	}
	h.past = append(h.past, change{*before, what})
	h.future = h.future[:0]
}

// crosses tells whether the next change to be taken back, or to be done again, goes between a live source and a script.
func (h *history) crosses(again bool, now *doc) bool {
	list := h.past
	if again {
		list = h.future
	}
	return len(list) > 0 && list[len(list)-1].doc.live != now.live
}

// undo gives the doc before the latest change, and what the change was.
func (h *history) undo(now *doc) (doc, string, bool) {
	return shift(&h.past, &h.future, now)
}

// redo gives the doc after the change that was taken back last.
func (h *history) redo(now *doc) (doc, string, bool) {
	return shift(&h.future, &h.past, now)
}

func shift(from, to *[]change, now *doc) (doc, string, bool) {
	n := len(*from) - 1
	if n < 0 {
		return doc{}, "", false
	}
	c := (*from)[n]
	*from = (*from)[:n]
	*to = append(*to, change{*now, c.what})
	return c.doc, c.what, true
}
