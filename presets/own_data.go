package presets

// ownRows are the policies that belong to no library. Theirs is the first place in every list.
var ownRows = []row{
	{
		id: DefaultID, name: "the default policy", library: "retryscope", version: "built in", source: "engine/policy.go Default",
		policy: "",
		notes:  "Waits grow and are drawn by chance, so that clients that failed together do not come back together. With attempts=10, 98 of 100 calls outlast an outage of 10 s; with decorrelated jitter 75 do.",
	},
	{
		id: "first-principles", name: "only what needs no clock", library: "retryscope", version: "built in", source: "presets/own_data.go",
		policy: "attempts=3 base=0s cap=10s curve=none jitter=none retry-after=ignore timeout=none attempt-timeout=none retry-on=transport,timeout,invalid-response,429,5xx methods=idempotent",
		notes:  "Three attempts with no waits: shows what retrying alone does, and what it does to a server that is down.",
	},
	{
		id: "carom", name: "decorrelated, anything goes", library: "retryscope", version: "built in", source: "presets/own_data.go",
		policy: "attempts=4 base=100ms cap=30s jitter=decorrelated retry-after=ignore timeout=none attempt-timeout=none retry-on=transport,timeout,invalid-response,decoding,unknown,5xx methods=any",
		notes:  "Retries every kind of failure, any method, and does not hear Retry-After. Causes that are permanent unless named (dns, tls) stay so. The library of that name is carom-net.",
	},
	{
		id: "server-led", name: "the server says when", library: "retryscope", version: "built in", source: "presets/own_data.go",
		policy: "attempts=4 base=1s cap=30s factor=2 jitter=equal retry-after=at-least ceiling=30s timeout=none attempt-timeout=none retry-on=429,503 methods=GET,HEAD",
		notes:  "Retries only 429 and 503, and waits at least as long as Retry-After asks, up to 30s.",
	},
}
