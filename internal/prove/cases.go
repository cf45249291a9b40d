package prove

// GoStd are policies in milliseconds and the scripts they are run against, all of which are carried whole by Go's
// standard library.
func GoStd() []Case {
	return []Case{
		{"full", "attempts=4 base=20ms cap=60ms", "503 x9", "GET"},
		{"heals", "attempts=6 base=5ms jitter=equal curve=linear shift=1", "503 x2, 200", "GET"},
		{"final", "attempts=6 base=5ms jitter=none", "503, 404, 200", "GET"},
		{"decorrelated", "attempts=5 base=10ms cap=40ms jitter=decorrelated first=unjittered", "500 x9", "PUT"},
		{"scale", "attempts=5 base=10ms cap=30ms cap-stage=both jitter=scale:0.5..1.5 curve=fibonacci least=12ms", "500 x9", "GET"},
		{"additive", "attempts=4 base=10ms jitter=additive:15ms curve=quadratic first=immediate", "429 x9", "GET"},
		{"unsafe", "attempts=4 base=10ms", "503 x2, 200", "POST"},
		{"listed", "attempts=4 base=10ms methods=GET,POST jitter=none", "503 x2, 200", "POST"},
		{"server", "attempts=4 base=10ms retry-after=replace", "503 after=0, 503 after=1, 200", "GET"},
		{"longer", "attempts=4 base=10ms retry-after=at-least ceiling=1s jitter=none", "503 after=0, 503 after=2, 200", "GET"},
		{"required", "attempts=4 base=10ms retry-after=required", "503 after=0, 503, 200", "GET"},
		{"dated", "attempts=3 base=10ms retry-after=replace jitter=none", `503 after="Wed, 21 Oct 2015 07:28:01 GMT" date="Wed, 21 Oct 2015 07:28:00 GMT", 200`, "GET"},
		{"dated as of old", "attempts=4 base=10ms retry-after=replace jitter=none", `503 after="Wednesday, 21-Oct-15 07:28:01 GMT" date="Wed, 21 Oct 2015 07:28:00 GMT", 503 after="Wed Oct 21 07:28:01 2015" date="Wed, 21 Oct 2015 07:28:00 GMT", 200`, "GET"},
		{"no date of HTTP", "attempts=3 base=10ms retry-after=replace jitter=none", "503 after=2037-10-21T07:28:00Z, 200", "GET"},
		{"garbled", "attempts=3 base=10ms jitter=none", "garbage, 200", "GET"},
		{"dropped", "attempts=4 base=10ms jitter=none timeout=60s", "reset, eof, 200", "GET"},
		{"slow", "attempts=3 base=10ms attempt-timeout=400ms jitter=none", "hang, 200", "GET"},
		{"late", "attempts=9 base=500ms jitter=none curve=constant timeout=1900ms", "503 x9", "GET"},
	}
}

// More are policies whose waits are long enough to tell one from another, and policies of which most clients lose
// something: what they carry instead has to hold as well. A connection that is used again is never reset: net/http
// would send once more by itself.
func More() []Case {
	return []Case{
		{"doubling", "attempts=4 base=200ms cap=600ms jitter=none methods=any", "503 x9", "GET"},
		{"tripling", "attempts=4 base=60ms factor=3 jitter=none retry-after=ignore methods=any", "503 after=1 x9", "GET"},
		{"linear", "attempts=3 base=250ms curve=linear jitter=none", "429 x9", "GET"},
		{"constant", "attempts=4 base=250ms curve=constant jitter=none", "500, 502, 504, 200", "GET"},
		{"fibonacci", "attempts=5 base=80ms curve=fibonacci shift=1 jitter=none", "500 x9", "GET"},
		{"spread", "attempts=4 base=200ms cap=600ms jitter=scale:0.9..1.1 cap-stage=after", "503 x9", "GET"},
		{"unlimited", "attempts=unlimited base=5ms cap=20ms", "503 x11, 200", "GET"},
		{"once", "attempts=1", "503, 200", "GET"},
		{"statuses", "attempts=5 base=5ms retry-on=transport,timeout,404,409 jitter=none", "404, 409, 503, 200", "GET"},
		{"posted", "attempts=3 base=10ms methods=any jitter=none", "503 x9", "POST"},
		{"not asked to", "attempts=3 base=10ms retry-on=429,5xx jitter=none", "reset, 200", "GET"},
		{"timeouts alone", "attempts=3 base=10ms retry-on=timeout,503 attempt-timeout=400ms jitter=none", "reset, 200", "GET"},
		{"timeouts", "attempts=3 base=10ms retry-on=timeout,503 attempt-timeout=400ms jitter=none", "503, hang, 200", "GET"},
		{"clamped", "attempts=3 base=10ms retry-after=clamp:500ms jitter=none", "503 after=1, 200", "GET"},
		{"at least", "attempts=3 base=1500ms jitter=none curve=constant retry-after=at-least", "503 after=1, 200", "GET"},
		{"spread server", "attempts=3 base=10ms retry-after=replace spread=300ms jitter=none", "429 after=1, 200", "GET"},
		{"spread over the ceiling", "attempts=3 base=10ms retry-after=replace ceiling=1s spread=900ms jitter=none", "429 after=1, 200", "GET"},
		{"above the ceiling", "attempts=3 base=10ms retry-after=at-least ceiling=1s spread=900ms jitter=none", "429 after=2, 200", "GET"},
		{"clamped spread", "attempts=3 base=10ms retry-after=clamp:200ms ceiling=1s spread=900ms jitter=none", "429 after=1, 200", "GET"},
		{"longer than an attempt", "attempts=3 base=10ms retry-after=replace attempt-timeout=700ms jitter=none", "503 after=1, 200", "GET"},
		{"at once", "attempts=3 base=700ms curve=constant retry-after=replace jitter=none", "503 after=0, 200", "GET"},
		{"bounded", "attempts=3 base=10ms retry-after=bounded:200ms jitter=none", "429 after=1, 200", "GET"},
		{"unjittered", "attempts=4 base=150ms jitter=scale:0.1..0.5 first=unjittered curve=constant", "503 x9", "GET"},
		{"unjittered sum", "attempts=3 base=150ms jitter=additive:50ms first=unjittered curve=constant", "503 x9", "GET"},
		{"throttled", "attempts=3 base=20ms throttle-base=300ms jitter=none", "429, 503, 200", "GET"},
		{"tokens", "attempts=4 base=10ms budget=tokens:500/14/1 jitter=none", "503 x9", "GET"},
		{"ratio", "attempts=4 base=10ms budget=ratio:20%/10 jitter=none", "503 x9", "GET"},
		{"smooth", "attempts=4 base=20ms cap=200ms jitter=smooth", "503 x9", "GET"},
	}
}
