package presets

// What many rows say in the same way.
const (
	// anyFailure is the tail of a policy for a library that repeats a function: whatever it returns as an error.
	anyFailure = " timeout=none attempt-timeout=none methods=any" +
		" retry-on=transport,timeout,invalid-response,decoding,unknown,dns,tls,proxy,redirect-loop,bad-request,4xx,5xx"
	// noTime is the part of a policy without clocks.
	noTime = " timeout=none attempt-timeout=none"

	sayNoHTTP   = "It knows no HTTP: which answers count as errors, and which methods are wrapped, is up to the calling code. Here every error and every status from 400 is one."
	sayForever  = "A Retry-After beyond every duration is waited for; here it defers the operation."
	sayOverflow = "A Retry-After above 24.8 days overflows the timer of Node and means at once; here it is waited for, or defers the operation where no duration holds it."
	sayFetch    = "The fetch of Node makes a failed connection of a 407, and sends once more by itself after a 421; here both are final."
	sayBroken   = "A failed connection is retried for any method, POST and TRACE too; here by the list."
	sayOverride = "A header of the answer (x-should-retry) has the last word over the status; no policy can say that."
	sayLimiter  = "Past the first throttled answer a send limiter (cubic, at least one in 2s) also delays first attempts. The waits of that limiter are not here."
	sayCodes    = "Error codes inside the body (throttling, clock skew) decide as well; here the status alone."
)
