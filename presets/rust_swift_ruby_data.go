package presets

// rustRows are Rust libraries.
var rustRows = []row{
	{
		id: "again", name: "again", library: "again", version: "0.1.2",
		source: "softprops/again src/lib.rs RetryPolicy, BackoffIter",
		policy: "attempts=6 base=1s cap=none cap-stage=after jitter=none retry-after=ignore" + anyFailure,
		notes:  "Five retries, 31s in all, no jitter unless asked for. Retries a 404 or a decoding failure like any Err.",
		cannot: []string{sayNoHTTP},
	},
	{
		id: "backon", name: "backon ExponentialBuilder", library: "backon", version: "1.5.2",
		source: "Xuanwo/backon backon/src/backoff/exponential.rs",
		policy: "attempts=4 base=1s cap=1m jitter=none retry-after=ignore" + anyFailure,
		notes:  "No jitter unless asked for; with it a wait reaches twice the cap. Retries a 404 or a decoding failure unless when() says otherwise.",
		cannot: []string{sayNoHTTP, "total_delay bounds the sum of the sleeps, not the time.", "A first delay above max_delay is kept; here it is cut."},
	},
	{
		id: "reqwest", name: "reqwest, built in", library: "reqwest", version: "0.13.4",
		source: "seanmonstar/reqwest src/retry.rs Builder, into_policy, is_retryable_error; async_impl/client.rs",
		policy: "attempts=3 base=0s curve=none jitter=none retry-after=ignore" + noTime + " retry-on=http2 methods=any",
		notes:  "Only what HTTP/2 says was not worked on is retried, at once, any method. A policy of one's own takes the place of this one, and its classifier says never by default.",
		cannot: []string{"A timeout of HTTP/3 is retried as well.", "A body that cannot be cloned is not sent again."},
	},
	{
		id: "reqwest-retry", name: "reqwest-retry", library: "reqwest-retry", version: "0.9.1",
		source: "TrueLayer/retry-policies src/policies/exponential_backoff.rs, retry_policy.rs; TrueLayer/reqwest-middleware reqwest-retry/src/middleware.rs, retryable_strategy.rs",
		policy: "attempts=4 base=1s cap=30m cap-stage=both jitter=full retry-after=ignore" + noTime + " retry-on=timeout,refused,unreachable,dns,tls,closed,reset,408,429,5xx methods=any",
		notes:  "The count has no default: here 3 retries. The cap is half an hour. Any method is retried, POST too, and every 5xx; Retry-After is not heard.",
		cannot: []string{"A body that is a stream fails before the first attempt."},
	},
	{
		id: "tower-backoff", name: "tower ExponentialBackoff", library: "tower", version: "0.5.3",
		source: "tower-rs/tower tower/src/retry/backoff.rs ExponentialBackoffMaker; util/rng.rs; budget/tps_budget.rs",
		policy: "attempts=4 base=50ms cap=none cap-stage=after jitter=scale:1..1.99 retry-after=ignore budget=ratio:20%/10" + anyFailure,
		notes:  "The policy around it is the caller's: here 4 attempts of whatever fails, a 404 or a decoding failure too, and the default budget. Every request from one maker draws the same jitter: its generator is copied, not moved on.",
		cannot: []string{sayNoHTTP, "All requests draw alike; here each draws its own."},
	},
}

// swiftRows are Swift libraries.
var swiftRows = []row{
	{
		id: "alamofire", name: "Alamofire RetryPolicy", library: "Alamofire", version: "5.12.0",
		source: "Alamofire/Alamofire Source/Features/RetryPolicy.swift",
		policy: "attempts=3 base=500ms cap=none jitter=none retry-after=ignore" + noTime + " retry-on=transport,timeout,dns,tls,408,500,502-504 methods=idempotent unsent=listed",
		notes:  "429 is not retried, Retry-After is not heard, no jitter. A certificate that has run out is retried. Opt-in: there is no policy by default.",
		cannot: []string{"Eighteen codes of URLError are retried; here every failure of the connection."},
	},
	{
		id: "async-http-client", name: "AsyncHTTPClient pool", library: "async-http-client", version: "1.33.1",
		source: "swift-server/async-http-client HTTPConnectionPool+Backoff.swift calculateBackoff; HTTPClient.swift",
		policy: "attempts=unlimited base=100ms cap=1m factor=1.25 jitter=scale:0.97..1.03 retry-after=ignore timeout=10s attempt-timeout=none retry-on=refused,unreachable,dns,tls methods=any",
		notes:  "Only connecting is retried, for 10s, without an end by count; a status never. Three percent of jitter keep a fleet together.",
		cannot: []string{"The 10s are for the connection alone; here for the whole operation."},
	},
}

// rubyRows are Ruby libraries.
var rubyRows = []row{
	{
		id: "faraday-retry", name: "faraday-retry", library: "faraday-retry", version: "2.4.0",
		source: "lostisland/faraday-retry lib/faraday/retry/middleware.rb, retryable.rb",
		policy: "attempts=3 base=0s cap=none curve=none jitter=none retry-after=at-least reads=seconds,fraction,zero,date,old-date ceiling=none hints=ratelimit-reset" + noTime + " retry-on=timeout methods=DELETE,GET,HEAD,OPTIONS,PUT unsent=listed",
		notes:  "Retries at once by default, and only timeouts: no status, and no refused connection.",
		cannot: []string{"Of Retry-After and RateLimit-Reset the longer holds; here the second where it is there."},
	},
}
