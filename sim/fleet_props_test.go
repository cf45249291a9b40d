package sim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// anyFleet is a fleet drawn from all that can be said.
func anyFleet(t testing.TB, r *rand.Rand) sim.Config {
	t.Helper()
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	c := sim.DefaultFleet()
	c.Policy = policy(t, fmt.Sprintf("attempts=%s base=%s cap=%s jitter=%s attempt-timeout=%s timeout=%s retry-after=%s spread=%s budget=%s",
		pick("1", "3", "5"), pick("0s", "10ms", "200ms"), pick("300ms", "5s"), pick("none", "full", "equal", "decorrelated"),
		pick("none", "30ms", "300ms"), pick("none", "1s"), pick("at-least", "ignore", "replace"), pick("0s", "100ms"),
		pick("none", "tokens:10/5/1", "ratio:20%/3")))
	sets := [][2]string{
		{"load", pick("herd", "stream", "population")},
		{"clients", pick("1", "7", "60")},
		{"stagger", pick("0s", "1s")},
		{"rate", pick("40", "0s:10 1s:80 2s:20", "0s:60 1s:0 1s:100")},
		{"think", pick("20ms", "300ms")},
		{"latency", pick("0s", "7ms", "80ms")},
		{"capacity", pick("0", "25", "60")},
		{"workers", pick("0", "1", "4")},
		{"service", pick("5ms", "40ms")},
		{"law", pick("constant", "exponential", "lognormal")},
		{"order", pick("fifo", "lifo")},
		{"drop-expired", pick("true", "false")},
		{"cancel", pick("true", "false")},
		{"refusal-cost", pick("0", "0.2")},
		{"refusal", pick("429", "503", "404")},
		{"retry-after", pick("0s", "1s")},
		{"fail", pick("0", "30%")},
		{"faults", pick("none", "down 1s-2s", "hole 500ms-1500ms", "brownout 0s-2s 60%; slow 1s-3s x4")},
		{"budget", pick("none", "policy", "aws:5/50", "grpc:0.1/10", "finagle:20/1", "envoy:20/3")},
		{"budget-shared", pick("0", "1", "5")},
		{"throttle", pick("none", "none", "adaptive:2", "breaker:3/500ms")},
		{"throttle-shared", pick("0", "1", "5")},
		{"layers", pick("1", "1", "3")},
		{"horizon", "4s"},
	}
	for _, s := range sets {
		if err := c.Set(s[0], s[1]); err != nil {
			t.Fatal(err)
		}
	}
	if c.Server.Workers > 0 {
		if err := c.Set("queue", pick("0", "5", "endless")); err != nil {
			t.Fatal(err)
		}
	}
	if c.Server.Limit > 0 && r.IntN(2) == 0 {
		c.Server.Burst = 10
	}
	if c.Server.RetryAfter > 0 {
		c.Server.RetryLaw = sim.ServiceLaw(r.IntN(3))
	}
	c.Seed = r.Uint64()
	return c
}

func fleet(t testing.TB, c *sim.Config) *sim.Fleet {
	t.Helper()
	f, err := sim.NewFleet(*c)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	return f
}

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The laws that hold in every bucket of every fleet.
func TestFlowsAddUp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range fewer(400) {
		c := anyFleet(t, r)
		f := fleet(t, &c)
		f.Run(time.Hour)
		flows(t, &c, f.Result())
	}
}

// Where and how often one looks changes nothing, and the same seed makes the same bytes.
func TestSteppingChangesNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range fewer(60) {
		c := anyFleet(t, r)
		whole := fleet(t, &c)
		whole.Run(time.Hour)
		want := asJSON(t, whole.Result())
		stepped := fleet(t, &c)
		for !stepped.Step(1 + r.IntN(50)) {
			stepped.Result()
		}
		if got := asJSON(t, stepped.Result()); !bytes.Equal(got, want) {
			t.Fatalf("%+v\nin steps:\n%s\nat once:\n%s", c, got, want)
		}
		timed := fleet(t, &c)
		for at := time.Duration(0); !timed.Run(at); at += time.Duration(r.Int64N(int64(300 * time.Millisecond))) {
			timed.Result()
		}
		if got := asJSON(t, timed.Result()); !bytes.Equal(got, want) {
			t.Fatalf("%+v\nby time:\n%s\nat once:\n%s", c, got, want)
		}
	}
}

// A policy changes no arrival of a stream.
func TestPolicyChangesNoArrival(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	begun := func(c *sim.Config) []int64 {
		f := fleet(t, c)
		f.Run(time.Hour)
		var out []int64
		for _, b := range f.Result().Buckets {
			out = append(out, b.Begun)
		}
		return out
	}
	for range fewer(30) {
		c := anyFleet(t, r)
		c.Load.Kind = sim.Open
		want := begun(&c)
		d := c
		d.Policy = policy(t, "attempts=7 base=1ms jitter=full attempt-timeout=50ms")
		d.Layers = 2
		if got := begun(&d); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%+v\n%v\n%v", c, got, want)
		}
	}
}

// The number of cores changes nothing.
func TestCoresChangeNothing(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 6 {
		c := anyFleet(t, r)
		var want []byte
		for _, cores := range []int{1, 2, 7} {
			s, err := sim.Runs(t.Context(), c, 5, sim.Options{Cores: cores})
			if err != nil {
				t.Fatal(err)
			}
			got := asJSON(t, s)
			if want == nil {
				want = got
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%+v\n%d cores:\n%s\none:\n%s", c, cores, got, want)
			}
		}
	}
}

func fewer(n int) int {
	if raced {
		return n / 10
	}
	return n
}

// flows checks the laws of every bucket of a run.
func flows(t *testing.T, c *sim.Config, res *sim.Result) {
	t.Helper()
	var before sim.Bucket
	for i := range res.Buckets {
		b := &res.Buckets[i]
		if in, out := b.First+b.Retries, b.Accepted+b.Refused+b.Dropped+b.Wire-before.Wire; in != out {
			t.Fatalf("%+v\nbucket %d: %d sent, %d accounted for: %+v", c, i, in, out, b)
		}
		if got, want := b.Calls-before.Calls, b.Begun-b.Useful-b.Failed; got != want {
			t.Fatalf("%+v\nbucket %d: %d more calls under way, must be %d: %+v", c, i, got, want, b)
		}
		if b.Serving > int64(c.Server.Workers) || c.Server.Queue >= 0 && b.QueueMax > int64(c.Server.Queue) {
			t.Fatalf("%+v\nbucket %d: %d served and %d queued", c, i, b.Serving, b.QueueMax)
		}
		if b.Queue < 0 || b.Waiting < 0 || b.Wire < 0 || b.Calls < b.Waiting {
			t.Fatalf("%+v\nbucket %d: levels %+v", c, i, b)
		}
		before = *b
	}
	total := &res.Total
	if total.Useful > total.First || res.Times.Count() != total.Useful {
		t.Fatalf("%+v\n%d useful of %d", c, total.Useful, total.First)
	}
	if waits := total.Accepted - total.Served - total.Expired - before.Queue - before.Serving; waits != 0 {
		t.Fatalf("%+v\n%d accepted, unaccounted for: %d: %+v", c, total.Accepted, waits, total)
	}
	var failed int64
	for _, n := range res.Reasons {
		failed += n
	}
	if failed+res.Held != total.Failed {
		t.Fatalf("%+v\n%d failed, %d with a reason, %d held", c, total.Failed, failed, res.Held)
	}
}
