package presets

// What many rows say in the same way.
const (
	// anyFailure is the tail of a policy for a library that repeats a function: whatever it returns as an error.
	anyFailure = " timeout=none attempt-timeout=none methods=any" +
		" retry-on=transport,timeout,invalid-response,decoding,unknown,dns,tls,proxy,redirect-loop,bad-request,4xx,5xx"
	// noTime is the part of a policy without clocks.
	noTime = " timeout=none attempt-timeout=none"

	sayNoHTTP   = "It knows no HTTP: which answers count as errors, and which methods are wrapped, is up to the calling code. Here every error and every status from 400 is one."
	sayUnsent   = "A method off its list is not sent again even where nothing of it was sent; here a request that never left may be."
	sayOn429503 = "Only on 429 and 503 does it look for Retry-After; here on every status that is retried."
	sayOn413    = "Only on 413, 429 and 503 does it look for Retry-After, and a 413 without one is final; here each retried status is treated alike."
	sayFraction = "It reads Retry-After: 1.5 as a second and a half; here that is unreadable, and the own wait holds."
	sayOldDates = "It reads dates in the form of today only; here the two older forms are read too."
	sayForever  = "A Retry-After beyond every duration is waited for; here it defers the operation."
	sayOverflow = "A Retry-After above 24.8 days overflows the timer of Node and means at once; here it is waited for, or defers the operation where no duration holds it."
	sayFetch    = "The fetch of Node makes a failed connection of a 407, and sends once more by itself after a 421; here both are final."
	sayBroken   = "A failed connection is retried for any method, POST and TRACE too; here by the list."
	sayDigits   = "It reads whole seconds in Retry-After and no date; here a date is read too."
	sayZero     = "A Retry-After of 0, or a date gone by, is no hint to it and the own wait holds; here it means at once."
	sayOverride = "A header of the answer (x-should-retry) has the last word over the status; no policy can say that."
	sayLimiter  = "Past the first throttled answer a send limiter (cubic, at least one in 2s) also delays first attempts. The waits of that limiter are not here."
	sayCodes    = "Error codes inside the body (throttling, clock skew) decide as well; here the status alone."
	sayThrottle = "A retry of a throttled request costs 5 tokens; here each retry costs 14."
	sayCost     = "A timeout costs 10 tokens; here each retry costs 5."
)
