package presets

import "github.com/retryscope/retryscope/engine"

// row is a preset as data: its policy is written in the text form, as what differs from the default policy.
type row struct {
	id, name, source, notes, policy string
}

var table = [...]row{
	{
		id: DefaultID, name: "the default policy", source: "engine.Default",
		notes: "Full jitter: of ten attempts over a 10 s outage .91 get through, with decorrelated jitter .50.",
	},
	{
		id: "first-principles", name: "only what can be told without a clock", source: "retryscope",
		notes:  "Three attempts with no waits: shows what retrying alone does, and what it does to a server that is down.",
		policy: "attempts=3 base=0s cap=10s curve=none jitter=none retry-after=ignore timeout=none attempt-timeout=none retry-on=transport,timeout,invalid-response,429,5xx methods=idempotent",
	},
	{
		id: "carom", name: "decorrelated jitter, anything goes", source: "retryscope",
		notes:  "Retries every kind of failure, any method, and does not hear Retry-After.",
		policy: "attempts=4 base=100ms cap=30s jitter=decorrelated retry-after=ignore timeout=none attempt-timeout=none retry-on=transport,timeout,invalid-response,decoding,unknown,5xx methods=any",
	},
	{
		id: "server-led", name: "the server says when", source: "retryscope",
		notes:  "Retries only 429 and 503, and waits at least as long as Retry-After asks, up to 30s.",
		policy: "attempts=4 base=1s cap=30s factor=2 jitter=equal retry-after=at-least ceiling=30s timeout=none attempt-timeout=none retry-on=429,503 methods=GET,HEAD",
	},
}

// preset reads the row; a row that does not read is found by the package's tests.
func (r *row) preset() Preset {
	p, err := engine.ParsePolicy(r.policy, engine.Default())
	if err != nil {
		p = engine.Default()
	}
	return Preset{ID: r.id, Name: r.name, Source: r.source, Notes: r.notes, Policy: p}
}
