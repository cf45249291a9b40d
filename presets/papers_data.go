package presets

// paperRows are formulas from papers and posts, with figures to show them by.
var paperRows = []row{
	{
		id: "aws-decorrelated", name: "decorrelated jitter", library: "Exponential Backoff And Jitter", version: "2015",
		source: "aws-samples/aws-arch-backoff-simulator src/backoff_simulator.py ExpoBackoffDecorr",
		policy: "attempts=8 base=100ms cap=10s jitter=decorrelated retry-after=ignore" + noTime + " retry-on=transport,timeout,429,5xx methods=idempotent",
		notes:  "The cap comes after the draw, so that many waits are exactly the cap. The figures (8 attempts, 100ms to 10s) are only to show it by.",
	},
	{
		id: "aws-equal", name: "equal jitter", library: "Exponential Backoff And Jitter", version: "2015",
		source: "aws-samples/aws-arch-backoff-simulator src/backoff_simulator.py ExpoBackoffEqualJitter",
		policy: "attempts=8 base=100ms cap=10s jitter=equal retry-after=ignore" + noTime + " retry-on=transport,timeout,429,5xx methods=idempotent",
		notes:  "Half of each wait is certain. The figures (8 attempts, 100ms to 10s) are only to show it by.",
	},
	{
		id: "aws-full", name: "full jitter", library: "Exponential Backoff And Jitter", version: "2015",
		source: "aws-samples/aws-arch-backoff-simulator src/backoff_simulator.py ExpoBackoffFullJitter",
		policy: "attempts=8 base=100ms cap=10s jitter=full retry-after=ignore" + noTime + " retry-on=transport,timeout,429,5xx methods=idempotent",
		notes:  "The simulator counts its attempts from 1 before the first wait, the post from 0 as here. The figures (8 attempts, 100ms to 10s) are only to show it by.",
	},
}

// leftOut are clients that were looked at and have no preset.
var leftOut = []Missing{
	{Client: "Sidekiq 8.1.7 job retry", Why: "its curve is n⁴+15s, with a jitter that grows by 10s a retry: no curve here has a fourth power"},
	{Client: "swift-http-types", Why: "it has types for headers and no code that retries"},
	{Client: "Octokit retry plugin 8.1.1, built from source", Why: "the same figures as the published package: octokit-retry"},
	{Client: "Octokit throttling plugin 11.0.3, built from source", Why: "the same figures as the published package: octokit-throttling"},
	{Client: "Celery 5.6.2 with an explicit self.retry()", Why: "the same figures as autoretry_for: celery"},
}
