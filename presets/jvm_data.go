package presets

// jvmRows are Java and Kotlin libraries.
var jvmRows = []row{
	{
		id: "apache-httpclient5", name: "Apache HttpClient 5", library: "httpclient5", version: "5.7-alpha2",
		source: "apache/httpcomponents-client DefaultHttpRequestRetryStrategy.java; classic/HttpRequestRetryExec.java",
		policy: "attempts=2 base=1s cap=none curve=constant jitter=none retry-after=replace reads=seconds,date,old-date ceiling=none" + noTime + " retry-on=transport,-dns,-refused,-unreachable,-tls,-closed,429,503 methods=any",
		notes:  "One retry, 1s later, no jitter. A 429 or 503 is retried for any method, POST too: that path never asks for the method. A Retry-After of a day is waited for.",
		cannot: []string{"A broken connection is retried at once and for idempotent methods only; here after 1s, for any.", "A Retry-After above the response timeout ends the operation."},
	},
	{
		id: "failsafe-java", name: "Failsafe ofDefaults", library: "failsafe", version: "3.3.2",
		source: "failsafe-lib/failsafe RetryPolicyBuilder.java; internal/RetryPolicyExecutor.java onFailure",
		policy: "attempts=3 base=0s curve=none jitter=none retry-after=ignore" + anyFailure,
		notes:  "No wait at all by default. With a backoff the cap comes before jitter: waits of 1.5 times maxDelay were seen. Retries a 404 or a decoding failure like any exception.",
		cannot: []string{sayNoHTTP},
	},
	{
		id: "kafka-producer", name: "Kafka producer", library: "kafka-clients", version: "4.3.1",
		source: "apache/kafka clients ExponentialBackoff.java; CommonClientConfigs; ProducerConfig",
		policy: "attempts=unlimited base=100ms cap=1s cap-stage=both jitter=scale:0.8..1.2 retry-after=ignore timeout=2m attempt-timeout=30s retry-on=transport,timeout,unknown,5xx methods=any",
		notes:  "Two thousand million retries: the end is delivery.timeout.ms, two minutes. At the cap half of the draws are exactly 1s. Where the base is above the cap there is no jitter. There is no Retry-After in its protocol; statuses from 500 stand for retriable errors.",
		cannot: []string{"It does not speak HTTP: which errors are retriable is in its protocol.", "A broker may ask for a pause (throttle time).", "Its waits are whole milliseconds."},
	},
	{
		id: "okhttp", name: "OkHttp", library: "okhttp", version: "5.4.0",
		source: "square/okhttp RetryAndFollowUpInterceptor.kt recover, isRecoverable, followUpRequest, retryAfter",
		policy: "attempts=2 base=0s curve=none jitter=none retry-after=replace required-on=503 reads=seconds,zero ceiling=0s timeout=none attempt-timeout=10s retry-on=transport,dns,-tls,408,503 methods=any",
		notes:  "Never sleeps: a Retry-After above 0 ends it. A POST on a connection gone stale is sent again without a word.",
		cannot: []string{"A connection is tried once for each further address; here once.", "Its 10s are for each step, here for the whole attempt.", "421 on a shared connection is retried."},
	},
	{
		id: "resilience4j", name: "resilience4j Retry.ofDefaults", library: "resilience4j", version: "2.4.0",
		source: "resilience4j/resilience4j resilience4j-retry RetryConfig; internal/RetryImpl",
		policy: "attempts=3 base=500ms cap=none curve=constant jitter=none retry-after=ignore" + anyFailure,
		notes:  "maxAttempts counts all calls. Half a second each time, no jitter. Retries a 404 or a decoding failure like any Throwable. A result judged bad is handed out as good once attempts are used up.",
		cannot: []string{sayNoHTTP},
	},
	{
		id: "resilience4j-exp-random", name: "ofExponentialRandomBackoff", library: "resilience4j", version: "2.4.0",
		source: "resilience4j/resilience4j resilience4j-core IntervalFunction; IntervalFunctionCompanion.randomize",
		policy: "attempts=3 base=500ms cap=none cap-stage=after factor=1.5 jitter=scale:0.5..1.5 retry-after=ignore" + anyFailure,
		notes:  "With a cap many draws land on exactly the cap. Retries a 404 or a decoding failure like any Throwable.",
		cannot: []string{sayNoHTTP, "Its waits are whole milliseconds, each step of the curve rounded down, and the upper end is 1ms higher."},
	},
	{
		id: "spring-framework-7", name: "Spring Framework 7 RetryPolicy", library: "spring-core", version: "7.1.0-SNAPSHOT",
		source: "spring-projects/spring-framework core/retry/RetryPolicy.java, RetryTemplate.java; util/backoff/ExponentialBackOff.java",
		policy: "attempts=4 base=1s cap=none curve=constant jitter=none retry-after=ignore" + anyFailure,
		notes:  "maxRetries=3 makes four calls, where Spring Retry's maxAttempts=3 makes three. 1s each time, no jitter. Retries a 404 or a decoding failure like any Throwable.",
		cannot: []string{sayNoHTTP, "With a jitter the wait never falls below the first delay, so that the first is only lengthened."},
	},
	{
		id: "spring-retry-exp-random", name: "Spring Retry ExponentialRandom", library: "spring-retry", version: "2.0.13-SNAPSHOT",
		source: "spring-projects/spring-retry backoff/ExponentialRandomBackOffPolicy.java, ExponentialBackOffPolicy.java",
		policy: "attempts=3 base=100ms cap=30s cap-stage=both jitter=scale:1..2 retry-after=ignore" + anyFailure,
		notes:  "Jitter only lengthens, and at the cap it is gone. Retries a 404 or a decoding failure like any exception.",
		cannot: []string{sayNoHTTP, "Its waits are whole milliseconds."},
	},
	{
		id: "spring-retry-template", name: "Spring Retry RetryTemplate", library: "spring-retry", version: "2.0.13-SNAPSHOT",
		source: "spring-projects/spring-retry support/RetryTemplate.java; policy/SimpleRetryPolicy.java",
		policy: "attempts=3 base=0s curve=none jitter=none retry-after=ignore" + anyFailure,
		notes:  "Three calls without any wait. Retries a 404 or a decoding failure like any exception.",
		cannot: []string{sayNoHTTP},
	},
	{
		id: "spring-retryable", name: "Spring Retry @Retryable", library: "spring-retry", version: "2.0.13-SNAPSHOT",
		source: "spring-projects/spring-retry annotation/Retryable.java, Backoff.java; BackOffPolicyBuilder.build",
		policy: "attempts=3 base=1s cap=none curve=constant jitter=none retry-after=ignore" + anyFailure,
		notes:  "1s each time, no jitter; a maxDelay without a multiplier makes it U[delay, maxDelay]. Retries a 404 or a decoding failure like any exception.",
		cannot: []string{sayNoHTTP},
	},
}
