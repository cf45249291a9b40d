package bench

import (
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// herd is a herd at a server that is down for ten seconds and then lets in a fifth of the clients in each whole second.
func herd(tb *testing.B, clients int) sim.Config {
	tb.Helper()
	c := sim.DefaultFleet()
	c.Policy = policy(tb, "attempts=unlimited base=100ms cap=10s retry-after=ignore timeout=none attempt-timeout=none")
	c.Load.Clients = clients
	c.Server.Limit = float64(clients) / 5
	return c
}

func runFleet(tb *testing.B, c *sim.Config) *sim.Result {
	tb.Helper()
	f, err := sim.NewFleet(*c)
	if err != nil {
		tb.Fatal(err)
	}
	f.Run(time.Hour)
	return f.Result()
}

// bareEvent and bareHeap are a 4-ary heap by hand.
type bareEvent struct {
	at  int64
	who uint64
}

func (a bareEvent) before(b bareEvent) bool { return a.at < b.at || a.at == b.at && a.who < b.who }

type bareHeap []bareEvent

func (h *bareHeap) push(e bareEvent) {
	*h = append(*h, e)
	a := *h
	i := len(a) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(a[p]) {
			break
		}
		a[i] = a[p]
		i = p
	}
	a[i] = e
}

func (h *bareHeap) pop() bareEvent {
	a := *h
	top := a[0]
	n := len(a) - 1
	e := a[n]
	a = a[:n]
	*h = a
	i := 0
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for j := first + 1; j < min(first+4, n); j++ {
			if a[j].before(a[least]) {
				least = j
			}
		}
		if !a[least].before(e) {
			break
		}
		a[i] = a[least]
		i = least
	}
	if n > 0 {
		a[i] = e
	}
	return top
}

// herdWaits are the waits of a herd in the order in which they are drawn, −1 where a client is done: what the bare heap
// is fed with.
func herdWaits(tb *testing.B, c *sim.Config) []int64 {
	tb.Helper()
	type client struct{ sent int }
	var waits []int64
	clients := make([]client, c.Load.Clients)
	h := make(bareHeap, 0, len(clients))
	for i := range clients {
		h.push(bareEvent{0, uint64(i)})
	}
	down := int64(c.Faults[0].To)
	var second, used int64
	for len(h) > 0 {
		e := h.pop()
		o := &clients[e.who]
		o.sent++
		if sec := e.at / int64(time.Second); sec != second {
			second, used = sec, 0
		}
		if e.at >= down && used < int64(c.Server.Limit) {
			used++
			waits = append(waits, -1)
			continue
		}
		wait := int64(c.Policy.Delay(o.sent, 0, engine.Draw(c.Seed, engine.PurposeJitter, e.who, uint64(o.sent))))
		waits = append(waits, wait)
		h.push(bareEvent{e.at + wait, e.who})
	}
	return waits
}

// BenchmarkHerd simulates a million clients, and as a floor makes the same pushes and pops on a bare 4-ary heap.
func BenchmarkHerd(b *testing.B) {
	const clients = 1_000_000
	c := herd(b, clients)
	b.Run("by=ours", func(b *testing.B) {
		var r *sim.Result
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		n := 0
		for b.Loop() {
			r = runFleet(b, &c)
			n++
		}
		runtime.ReadMemStats(&after)
		if r.Total.Useful != clients {
			b.Fatalf("%d clients succeeded", r.Total.Useful)
		}
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(n)/clients, "client-B")
	})
	b.Run("by=floor", func(b *testing.B) {
		waits := herdWaits(b, &c)
		b.ResetTimer()
		for b.Loop() {
			h := make(bareHeap, 0, clients)
			for i := range uint64(clients) {
				h.push(bareEvent{0, i})
			}
			for i := 0; len(h) > 0; i++ {
				e := h.pop()
				if waits[i] >= 0 {
					h.push(bareEvent{e.at + waits[i], e.who})
				}
			}
		}
	})
}

// BenchmarkHerdSize shows how the cost of an event grows with the number of clients.
func BenchmarkHerdSize(b *testing.B) {
	for _, size := range []struct {
		by      string
		clients int
	}{{"ours-1k", 1_000}, {"ours-10k", 10_000}, {"ours-100k", 100_000}, {"ours-1M", 1_000_000}} {
		c := herd(b, size.clients)
		b.Run("by="+size.by, func(b *testing.B) {
			var events int64
			for b.Loop() {
				events += runFleet(b, &c).Total.Sent()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "nanosec")
		})
	}
}

// BenchmarkOCC runs the AWS backoff simulator's model with 100 clients under each of its five strategies, and the same in
// CPython.
func BenchmarkOCC(b *testing.B) {
	const clients = 100
	b.Run("by=ours", func(b *testing.B) {
		var all []sim.OCC
		for _, s := range []string{"curve=none jitter=none", "jitter=none", "jitter=equal", "jitter=full", "jitter=decorrelated"} {
			p := policy(b, "base=5ms cap=2s shift=1 "+s)
			all = append(all, sim.OCC{Backoff: p.Backoff, Clients: clients, HopMean: 10 * time.Millisecond, HopSD: 2 * time.Millisecond})
		}
		seed := uint64(0)
		for b.Loop() {
			for _, o := range all {
				seed++
				o.Seed = seed
				if r := o.Run(); r.Writes < clients {
					b.Fatalf("%d writes", r.Writes)
				}
			}
		}
	})
	b.Run("by=cpython", func(b *testing.B) {
		python, err := exec.LookPath("python3")
		if err != nil {
			b.Skip("there is no python3")
		}
		const runs = 10
		for b.Loop() {
			out, err := exec.CommandContext(b.Context(), python, "testdata/occ.py", strconv.Itoa(runs), strconv.Itoa(clients)).Output()
			if err != nil || strings.TrimSpace(string(out)) == "0" {
				b.Fatalf("%v: %s", err, out)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/runs, "ns/op")
	})
}
