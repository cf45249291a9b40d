package presets

// dotnetRows are .NET libraries.
var dotnetRows = []row{
	{
		id: "aws-net-legacy", name: "AWS for .NET v3, legacy", library: "AWSSDK.Core", version: "v3",
		source: "aws/aws-sdk-net DefaultRetryPolicy.cs CalculateRetryDelay",
		policy: "attempts=5 base=100ms shift=1 cap=30s factor=4 jitter=none retry-after=ignore" + noTime + " retry-on=transport,timeout,500,502-504 methods=any budget=tokens:500/5/1",
		notes:  "The older of two: 0.4s, 1.6s, 6.4s, 25.6s, no jitter. The number of retries was not found in its source. Any method is retried; Retry-After is not heard.",
		cannot: []string{sayCodes},
	},
	{
		id: "aws-net-standard", name: "AWS for .NET v4, standard", library: "AWSSDK.Core", version: "v4",
		source: "aws/aws-sdk-net Amazon.Runtime/Pipeline/RetryHandler/StandardRetryPolicy.cs CalculateRetryDelay; RetryPolicy.cs; ClientConfig.cs",
		policy: "attempts=3 base=1s cap=20s cap-stage=after jitter=full retry-after=ignore" + noTime + " retry-on=transport,timeout,500,502-504 methods=any budget=tokens:500/5/1 timeout-cost=10",
		notes:  "A 429 is retried by its error code only. The cap comes after the draw, so that later waits pile up at 20s. Any method is retried; Retry-After is not heard.",
		cannot: []string{sayCodes},
	},
	{
		id: "carom-http", name: "Carom.Http handler", library: "Carom.Http", version: "v1.5.0",
		source: "BaryoDev/Carom src/Carom.Http/CaromHttpHandler.cs",
		policy: "attempts=4 base=100ms cap=30s jitter=decorrelated retry-after=ignore" + noTime + " retry-on=transport,dns,tls,proxy,408,429,502-504 methods=idempotent unsent=listed",
		notes:  "500 is not retried, Retry-After is not heard, and Bounce's own timeout is dropped on the way. The last 503 is thrown, not returned.",
		cannot: []string{"The cap is inside the draw: U(base, min(cap, 3×previous)), so that none pile up at the cap. The bounds are the same."},
	},
	{
		id: "carom-net", name: "Carom.Shot", library: "Carom", version: "v1.5.0",
		source: "BaryoDev/Carom src/Carom/JitterStrategy.cs, Bounce.cs, Carom.cs",
		policy: "attempts=4 base=100ms cap=30s jitter=decorrelated retry-after=ignore" + anyFailure,
		notes:  "Retries every exception, a 404 or a decoding failure too. No timeout unless asked for. The preset carom is a policy of retryscope's own.",
		cannot: []string{sayNoHTTP, "The cap is inside the draw: U(base, min(cap, 3×previous)), so that none pile up at the cap. The bounds are the same."},
	},
	{
		id: "ms-http-resilience", name: "AddStandardResilienceHandler", library: "Microsoft.Extensions.Http.Resilience", version: "10.8.0",
		source: "dotnet/extensions HttpRetryStrategyOptions.cs, HttpStandardResilienceOptions.cs, HttpClientResiliencePredicates.cs, RetryAfterHelper.cs",
		policy: "attempts=4 base=2s cap=none jitter=smooth retry-after=replace ceiling=none timeout=30s attempt-timeout=10s retry-on=transport,timeout,dns,tls,proxy,408,429,5xx methods=any",
		notes:  "Any method is retried, POST too, until DisableForUnsafeHttpMethods is called. Every 5xx, 501 among them. Of attempts that time out the third is cut short by the 30s, and the fourth never made.",
		cannot: []string{"A circuit breaker (10% of 100 calls in 30s) and a limiter of 1000 calls stand around it."},
	},
	{
		id: "polly-contrib-aws", name: "AwsDecorrelatedJitterBackoff", library: "Polly.Contrib.WaitAndRetry", version: "1.1.1",
		source: "Polly-Contrib/Polly.Contrib.WaitAndRetry Backoff.AwsDecorrelatedJitter.cs",
		policy: "attempts=6 base=10ms cap=100ms jitter=decorrelated retry-after=ignore" + anyFailure,
		notes:  "Figures are the caller's; these (10ms to 100ms, 5 retries) are those of its manual. Retries what the policy handles; here every failure, a 404 or a decoding failure too.",
		cannot: []string{sayNoHTTP, "The cap is inside the draw: U(base, min(cap, 3×previous)), so that none pile up at the cap. The bounds are the same."},
	},
	{
		id: "polly-contrib-djv2", name: "DecorrelatedJitterBackoffV2", library: "Polly.Contrib.WaitAndRetry", version: "1.1.1",
		source: "Polly-Contrib/Polly.Contrib.WaitAndRetry Backoff.DecorrelatedJitterV2.cs",
		policy: "attempts=6 base=1s cap=none jitter=smooth retry-after=ignore" + anyFailure,
		notes:  "Figures are the caller's: here a median of 1s and 5 retries. Retries what the policy handles; here every failure, a 404 or a decoding failure too.",
		cannot: []string{sayNoHTTP, "With fastFirst the first wait is 0 and the second longer than without."},
	},
	{
		id: "polly-v8", name: "Polly v8", library: "Polly.Core", version: "8.7.0",
		source: "App-vNext/Polly src/Polly.Core/Retry/RetryConstants.cs, RetryHelper.cs, RetryResilienceStrategy.cs",
		policy: "attempts=4 base=2s cap=none curve=constant jitter=none retry-after=ignore" + anyFailure,
		notes:  "MaxRetryAttempts counts retries. 2s each time, no jitter unless UseJitter is set. Retries a 404 or a decoding failure like any exception.",
		cannot: []string{sayNoHTTP},
	},
	{
		id: "polly-v8-exp-jitter", name: "Polly v8, exponential, jitter", library: "Polly.Core", version: "8.7.0",
		source: "App-vNext/Polly src/Polly.Core/Retry/RetryHelper.cs DecorrelatedJitterBackoffV2",
		policy: "attempts=4 base=2s cap=none jitter=smooth retry-after=ignore" + anyFailure,
		notes:  "On average half of what the curve without jitter would be from the second retry on, and any wait may be close to 0. Retries a 404 or a decoding failure like any exception.",
		cannot: []string{sayNoHTTP},
	},
}
