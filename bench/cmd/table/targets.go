package main

// The units of go test, as benchfmt tidies them.
const (
	seconds = "sec/op"
	allocs  = "allocs/op"
	octets  = "B/op"
)

// targets is the table, top to bottom.
var targets = []target{
	{work: "Do, first try", bench: "FirstTry", unit: seconds, against: peersOnly, rule: timesBest, limit: 1.5},
	{work: "  against a loop by hand", bench: "FirstTry", unit: seconds, against: "floor", rule: shown},
	{work: "  allocations", bench: "FirstTry", unit: allocs, against: peersOnly, rule: atMost, limit: 0},
	{work: "  allocations, shared allowance", bench: "FirstTry", ours: "ours-shared", unit: allocs, against: peersOnly, rule: atMost, limit: 1},
	{work: "  time, shared allowance", bench: "FirstTry", ours: "ours-shared", unit: seconds, against: peersOnly, rule: shown},

	{work: "Do, three failures", bench: "ThreeFailures", unit: seconds, against: peersOnly, rule: belowBest},
	{work: "  against a loop with a new timer each", bench: "ThreeFailures", unit: seconds, against: "floor", rule: shown},
	{work: "  against a loop with one timer", bench: "ThreeFailures", unit: seconds, against: "floor-one-timer", rule: shown},
	{work: "  allocations", bench: "ThreeFailures", unit: allocs, against: peersOnly, rule: atMost, limit: 3},

	{work: "Delay", bench: "Delay", unit: seconds, against: "floor", rule: timesBest, limit: 1.5},
	{work: "  against shifts, factor 2 only", bench: "Delay", unit: seconds, against: "floor-shift", rule: shown},
	{work: "  factor 1.5", bench: "DelayAnyFactor", unit: seconds, against: "floor", rule: timesBest, limit: 1.5},
	{work: "  allocations", bench: "Delay", unit: allocs, against: "floor", rule: atMost, limit: 0},

	{work: "Retry-After, seconds", bench: "RetryAfterSeconds", unit: seconds, against: "floor", rule: timesBest, limit: 2},
	{work: "  allocations", bench: "RetryAfterSeconds", unit: allocs, against: "floor", rule: atMost, limit: 0},
	{work: "Retry-After, date", bench: "RetryAfterDate", unit: seconds, against: "floor", rule: timesBest, limit: 2},
	{work: "  allocations", bench: "RetryAfterDate", unit: allocs, against: "floor", rule: atMost, limit: 0},

	{work: "Next, all gates", bench: "Next", unit: seconds, against: "floor", rule: timesBest, limit: 10},
	{work: "  against shifts, factor 2 only", bench: "Next", unit: seconds, against: "floor-shift", rule: shown},
	{work: "  allocations", bench: "Next", unit: allocs, against: "floor", rule: atMost, limit: 0},
	{work: "  size of the state", bench: "Next", unit: "state-B", rule: atMost, limit: 48},

	{work: "Draw five attempts through Next", bench: "DistNext", unit: seconds, against: "floor", rule: timesBest, limit: 6},
	{work: "  against a generator in place of draws", bench: "DistNext", unit: seconds, against: "floor-generator", rule: shown},
	{work: "  allocations", bench: "DistNext", unit: allocs, against: "floor", rule: atMost, limit: 0},
	{work: "  the waits alone, through Delay", bench: "DistDelay", unit: seconds, against: "floor", rule: timesBest, limit: 2},
	{work: "Count a wait in a histogram", bench: "HistAdd", unit: seconds, against: "floor", rule: timesBest, limit: 2.5},
	{work: "Distribution, 20,000 calls of ten attempts", bench: "Dist", unit: seconds, against: "ours-closed", rule: shown},
	{work: "  in closed form", bench: "Dist", ours: "ours-closed", unit: seconds, rule: atMost, limit: 16e-3},
	{work: "  a first picture, drawn", bench: "Dist", ours: "ours-picture", unit: seconds, rule: atMost, limit: 16e-3},

	{work: "Transport on a client in memory, success", bench: "PipeSuccess", unit: seconds, against: "floor", rule: timesBest, limit: 1.15},
	{work: "  over loopback", bench: "LoopbackSuccess", unit: seconds, against: "floor", rule: shown},
	{work: "  on a bare RoundTripper", bench: "TransportSuccess", unit: seconds, against: "floor", rule: shown},
	{work: "  the same, and one that clones", bench: "TransportSuccess", unit: seconds, against: "floor-clone", rule: shown},
	{work: "  the same, and the best peer", bench: "TransportSuccess", unit: seconds, against: peersOnly, rule: shown},
	{work: "  the same, with a timeout of 10s each", bench: "TransportSuccessTimeout", unit: seconds, against: "floor", rule: shown},
	{work: "Transport in memory, 503 x3, 200", bench: "TransportThreeFailures", unit: seconds, against: "retryablehttp", rule: timesBest, limit: 0.8},
	{work: "  against failsafehttp", bench: "TransportThreeFailures", unit: seconds, against: "failsafehttp", rule: shown},
	{work: "  against a loop by hand", bench: "TransportThreeFailures", unit: seconds, against: "floor", rule: shown},
	{work: "Transport over loopback, 503 x3, 200", bench: "LoopbackThreeFailures", unit: seconds, against: "floor", rule: timesBest, limit: 1.1},
	{work: "Transport, 1 MiB body sent four times", bench: "TransportLargeBody", unit: octets, against: "floor", rule: overBest, limit: 64 << 10},
	{work: "  time", bench: "TransportLargeBody", unit: seconds, against: "floor", rule: shown},

	{work: "Herd of a million clients", bench: "Herd", unit: seconds, against: "floor", rule: timesBest, limit: 1.3},
	{work: "  bytes a client, the queue included", bench: "Herd", unit: "client-B", rule: atMost, limit: 96},
	{work: "  an event at 10,000 clients, against 1,000", bench: "HerdSize", ours: "ours-10k", unit: "nanosec", against: "ours-1k", rule: shown},
	{work: "  at 100,000", bench: "HerdSize", ours: "ours-100k", unit: "nanosec", against: "ours-1k", rule: shown},
	{work: "  at 1,000,000 (n log n: 2)", bench: "HerdSize", ours: "ours-1M", unit: "nanosec", against: "ours-1k", rule: timesBest, limit: 2},
	{work: "AWS simulator, against CPython", bench: "OCC", unit: seconds, against: "cpython", rule: timesBest, limit: 1.0 / 30},

	{work: "Key to next frame, 20 attempts, 200x60", bench: "KnobToFrame", unit: seconds, rule: atMost, limit: 1e-3},
	{work: "View, 500 attempts, 200x60", bench: "View", unit: seconds, rule: atMost, limit: 0.25e-3},
	{work: "  allocations", bench: "View", unit: allocs, rule: atMost, limit: 150},
	{work: "Idle for 10 s, CPU", bench: "Idle", unit: "cpu-sec", rule: atMost, limit: 0.1},
	{work: "  against an empty screen", bench: "Idle", unit: "cpu-sec", against: "floor", rule: shown},
	{work: "  bytes written", bench: "Idle", unit: "written-B", rule: atMost, limit: 0},
}
