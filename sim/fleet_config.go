package sim

import (
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Arrivals is how calls come to a fleet.
type Arrivals uint8

// The ways.
const (
	Herd   Arrivals = iota // every client makes one call, all at once
	Open                   // a Poisson stream that takes no notice of the answers
	Closed                 // a population: each client thinks, calls, and thinks again
)

// RatePoint is a corner of the arrival rate of an open fleet: between two corners the rate runs straight, after the last
// it stays.
type RatePoint struct {
	At   time.Duration
	Rate float64 // calls a second, 0 or more
}

// Load is who calls, and when.
type Load struct {
	Kind Arrivals
	// Clients is how many there are, 1 or more. An open stream deals its calls out among them (which matters to budgets
	// alone).
	Clients int
	// Stagger spreads the start of a herd, or the first calls of a population: each begins U[0, Stagger].
	Stagger time.Duration
	// Rate has the corners of an open stream's rate; one corner is a constant rate.
	Rate []RatePoint
	// Think is the mean of the exponential pause between two calls of a client of a closed population, above 0.
	Think time.Duration
}

// ServiceLaw is how service times are spread around their mean.
type ServiceLaw uint8

// The laws.
const (
	Constant    ServiceLaw = iota // every call takes the mean
	Exponential                   // memoryless
	Lognormal                     // exp of a normal with standard deviation 1: a long tail
)

// Order is which waiting call a worker takes next.
type Order uint8

// The orders.
const (
	FIFO Order = iota
	LIFO
)

// Endless is the length of a queue without a limit.
const Endless = -1

// Server is what answers. With neither a limit nor workers it answers everything at once.
type Server struct {
	// Limit is how many calls a second are let in, 0 for no limit: so many in each whole second, or, with Burst above 0,
	// from a bucket that holds Burst and fills steadily.
	Limit float64
	Burst float64
	// Workers is how many calls are served at the same time, 0 for all at once without a service time.
	Workers int
	// Service is the mean time a worker spends on a call, spread by Law.
	Service time.Duration
	Law     ServiceLaw
	// Queue is how many calls may wait for a worker: 0, a number, or Endless; Order is who is next.
	Queue int
	Order Order
	// DropExpired leaves out a waiting call whose client has given up; Cancel notices at once that a client has given up
	// and stops the work. Without either the work is done for nobody.
	DropExpired, Cancel bool
	// RefusalCost is what a refusal costs the server, as a share of a served call: 0 or more.
	RefusalCost float64
	// Refusal is the status of a refusal (503, or 429 for a limit); RetryAfter the mean wait it asks for, 0 for none, spread
	// by RetryLaw: a server may spread its clients by itself.
	Refusal    int
	RetryAfter time.Duration
	RetryLaw   ServiceLaw
	// Fail is the chance that a served call fails all the same, with a 503.
	Fail float64
}

// FaultKind is what is wrong with a server for a while.
type FaultKind uint8

// The faults.
const (
	Down      FaultKind = iota // connections are refused at once
	BlackHole                  // calls vanish: no answer ever
	Brownout                   // a share of the calls fails at once with a 503
	SlowDown                   // service takes longer by a factor, and a limit is lower by it
)

// Fault is one thing wrong from From up to, and not including, To.
type Fault struct {
	Kind     FaultKind
	From, To time.Duration
	// Amount is the share of a Brownout (0 to 1), or the factor of a SlowDown (1 or more).
	Amount float64
}

// GuardKind is what holds retries, or calls, back.
type GuardKind uint8

// The guards. PolicyBudget to EnvoyBudget ask before a retry; Adaptive and Breaker before each send.
const (
	NoGuard       GuardKind = iota
	PolicyBudget            // the policy's own budget rule (engine.Budget)
	TokenBudget             // AWS: a retry costs A of B tokens, given back by its success; a first success gives one
	GRPCThrottle            // gRPC A6: a failure takes one of B tokens, a success gives A; retries while above B/2
	FinagleBudget           // Finagle: A percent of calls and B a second, remembered for 10 s
	EnvoyBudget             // Envoy: retries in flight at most A percent of calls in flight, and B always
	Adaptive                // SRE book, chapter 21: a send is refused with probability (requests − A·accepts)/(requests + 1)
	Breaker                 // opens after B failures in a row for A seconds, then lets one call try
)

// Guard is a kind, its two figures, and how many clients share one.
type Guard struct {
	Kind   GuardKind
	A, B   float64
	Shared int // clients that share one: 1 or more; 0 for all of them
}

// Config is a fleet: one policy, many clients, one server.
type Config struct {
	Policy engine.Policy
	Load   Load
	Server Server
	Faults []Fault
	// Budget is asked before a retry, Throttle before each send.
	Budget, Throttle Guard
	// Latency is the way there and back, halved for each direction.
	Latency time.Duration
	// Layers is how many callers are stacked, each with the policy: 1 or more. Each attempt of an outer one is a whole
	// call of the next. The attempt timeout is the innermost layer's, the overall timeout the outermost's.
	Layers int
	// Method is the calls' method: it decides whether they may be repeated.
	Method string
	// Seed makes every chance.
	Seed uint64
	// Horizon ends the run, 0 for a herd that is run until all is over.
	Horizon time.Duration
	// Bucket is the width of a time bucket, 0 for 100ms. Results do not depend on it.
	Bucket time.Duration
}

// Capacity is how many calls the server can serve in a second, 0 for no limit.
func (s *Server) Capacity() float64 {
	c := s.Limit
	if s.Workers > 0 && s.Service > 0 {
		if w := float64(s.Workers) / s.Service.Seconds(); c == 0 || w < c {
			c = w
		}
	}
	return c
}

// faultsEnd is when the last fault is over, 0 where there is none.
func (c *Config) faultsEnd() time.Duration {
	end := time.Duration(0)
	for _, f := range c.Faults {
		end = max(end, f.To)
	}
	return end
}

// faultsBegin is when the first fault begins.
func (c *Config) faultsBegin() time.Duration {
	begin := engine.Forever
	for _, f := range c.Faults {
		begin = min(begin, f.From)
	}
	return begin
}
