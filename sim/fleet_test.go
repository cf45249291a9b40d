package sim_test

import (
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

func policy(t testing.TB, text string) engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy(text, engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func herd(t testing.TB, text string, clients int, seed uint64) sim.Config {
	t.Helper()
	return sim.Config{
		Policy: policy(t, text),
		Load:   sim.Load{Kind: sim.Herd, Clients: clients},
		Server: sim.Server{Limit: float64(clients) / 5, Refusal: 429},
		Faults: []sim.Fault{{Kind: sim.Down, To: 10 * time.Second}},
		Seed:   seed,
		Method: "GET",
	}
}

const endless = "attempts=unlimited base=100ms factor=2 cap=10s retry-after=ignore timeout=none attempt-timeout=none"

func BenchmarkHerd(b *testing.B) {
	for b.Loop() {
		f, err := sim.NewFleet(herd(b, endless+" jitter=full", 1_000_000, 1))
		if err != nil {
			b.Fatal(err)
		}
		f.Run(time.Hour)
		r := f.Result()
		b.ReportMetric(float64(r.Events), "events")
		b.ReportMetric(float64(r.Total.Sent()), "sent")
	}
}
