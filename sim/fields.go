package sim

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Field is a setting of a fleet that has a name: in a scenario, as a flag, as a knob.
type Field struct {
	// Name is its word; Words say what it is; Allowed what it may be. Word stands for its value: D for a time, N for a
	// count, X for a number, V for a word or a form of its own.
	Name, Words, Allowed, Word string

	get func(*Config) string
	set func(*Config, string) error
}

// Get is the field's value as text, as Set reads it.
func (f *Field) Get(c *Config) string { return f.get(c) }

// Set reads a value; the error is a *FieldError. It checks the form; Validate checks how fields go together.
func (f *Field) Set(c *Config, value string) error {
	if err := f.set(c, strings.TrimSpace(value)); err != nil {
		return &FieldError{f.Name, strconv.Quote(short(value)), f.Allowed}
	}
	return nil
}

// FieldOf finds a field by its name.
func FieldOf(name string) (*Field, bool) {
	all := allFields()
	i := slices.IndexFunc(all, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return nil, false
	}
	f := all[i]
	return &f, true
}

// Set is FieldOf and Field.Set.
func (c *Config) Set(name, value string) error {
	f, ok := FieldOf(name)
	if !ok {
		var names []string
		for _, f := range allFields() {
			names = append(names, f.Name)
		}
		return &FieldError{"fleet", strconv.Quote(short(name)), strings.Join(names, ", ")}
	}
	return f.Set(c, value)
}

const (
	spanAllowed   = "0s or more, with a unit: 50ms, 2s, 1m"
	countAllowed  = "a whole number of 0 or more"
	numberAllowed = "a number of 0 or more"
	yesAllowed    = "true or false"
	methodAllowed = "an HTTP method, like GET or POST"
)

// Fields are the settings of a fleet, but for its policy and seed, in the order in which they are shown.
func Fields() []Field { return slices.Clone(allFields()) }

// allFields are made once: a scenario's file looks each of its settings up.
var allFields = sync.OnceValue(func() []Field {
	return slices.Concat(loadFields(), serverFields(), otherFields())
})

func loadFields() []Field {
	return []Field{
		wordField("load", "how calls come: all at once, a Poisson stream, a population that thinks in between", loadWords[:],
			func(c *Config) *Arrivals { return &c.Load.Kind }),
		countField("clients", "how many clients there are", "a whole number from 1 to 10000000", func(c *Config) *int { return &c.Load.Clients }),
		spanField("stagger", "over how long the clients' first calls are spread", func(c *Config) *time.Duration { return &c.Load.Stagger }),
		{
			Name: "rate", Words: "calls a second of a stream, or the corners of its course", Word: "V", Allowed: "200, or 0s:100 10s:300 20s:100",
			get: func(c *Config) string { return rateText(c.Load.Rate) },
			set: func(c *Config, s string) error { return keep(&c.Load.Rate, s, parseRate) },
		},
		spanField("think", "the mean pause between two calls of a client", func(c *Config) *time.Duration { return &c.Load.Think }),
		spanField("latency", "the way to the server and back", func(c *Config) *time.Duration { return &c.Latency }),
	}
}

func serverFields() []Field {
	return []Field{
		numberField("capacity", "calls a second the server lets in, 0 for no limit", func(c *Config) *float64 { return &c.Server.Limit }),
		numberField("burst", "calls a bucket holds; 0: so many in each whole second", func(c *Config) *float64 { return &c.Server.Burst }),
		countField("workers", "calls served at the same time, 0 for all at once; given without a capacity, they are the only limit", "a whole number from 0 to 1000000", func(c *Config) *int { return &c.Server.Workers }),
		spanField("service", "the mean time a worker takes for a call", func(c *Config) *time.Duration { return &c.Server.Service }),
		wordField("law", "how service times are spread", lawWords[:], func(c *Config) *ServiceLaw { return &c.Server.Law }),
		{
			Name: "queue", Words: "calls that may wait for a worker", Word: "V", Allowed: "a whole number of 0 or more, or endless",
			get: func(c *Config) string {
				if c.Server.Queue == Endless {
					return "endless"
				}
				return strconv.Itoa(c.Server.Queue)
			},
			set: func(c *Config, s string) error {
				if s == "endless" {
					c.Server.Queue = Endless
					return nil
				}
				return parseCount(s, &c.Server.Queue)
			},
		},
		wordField("order", "which waiting call is next", orderWords[:], func(c *Config) *Order { return &c.Server.Order }),
		yesField("drop-expired", "leave out a waiting call whose client has given up", func(c *Config) *bool { return &c.Server.DropExpired }),
		yesField("cancel", "stop the work when a client gives up", func(c *Config) *bool { return &c.Server.Cancel }),
		numberField("refusal-cost", "what a refusal costs, as a share of a served call", func(c *Config) *float64 { return &c.Server.RefusalCost }),
		countField("refusal", "the status of a refusal", "a status from 400 to 599", func(c *Config) *int { return &c.Server.Refusal }),
		spanField("retry-after", "what a refusal asks for, 0s for nothing", func(c *Config) *time.Duration { return &c.Server.RetryAfter }),
		wordField("retry-after-law", "how what refusals ask for is spread", lawWords[:], func(c *Config) *ServiceLaw { return &c.Server.RetryLaw }),
		{
			Name: "fail", Words: "the share of served calls that fail all the same", Word: "V", Allowed: "0% to 100%, or 0 to 1",
			get: func(c *Config) string { return percentText(c.Server.Fail) },
			set: func(c *Config, s string) error { return keep(&c.Server.Fail, s, ParseShare) },
		},
	}
}

func otherFields() []Field {
	return []Field{
		{
			Name: "faults", Words: "what is wrong with the server, and when", Word: "V",
			Allowed: "none, or a list as: down 0s-10s; hole 1s-2s; brownout 3s-5s 50%; slow 10s-20s x5",
			get:     func(c *Config) string { return faultsText(c.Faults) },
			set:     func(c *Config, s string) error { return keep(&c.Faults, s, parseFaults) },
		},
		guardField("budget", "what holds retries back", "none, policy, aws:COST/CAPACITY, grpc:RATIO/MAX, finagle:PERCENT/PERSECOND, envoy:PERCENT/LEAST",
			func(c *Config) *Guard { return &c.Budget }),
		countField("budget-shared", "clients that share one budget, 0 for all", countAllowed, func(c *Config) *int { return &c.Budget.Shared }),
		guardField("throttle", "what holds sends back", "none, adaptive:K, breaker:FAILURES/PAUSE", func(c *Config) *Guard { return &c.Throttle }),
		countField("throttle-shared", "clients that share one throttle, 0 for all", countAllowed, func(c *Config) *int { return &c.Throttle.Shared }),
		atLeast(1, countField("layers", "callers stacked on each other, each with the policy", "a whole number from 1 to 6", func(c *Config) *int { return &c.Layers })),
		{
			Name: "method", Words: "the calls' method", Word: "V", Allowed: methodAllowed,
			get: func(c *Config) string { return c.Method },
			set: func(c *Config, s string) error {
				if !isToken(s) {
					return errForm
				}
				c.Method = s
				return nil
			},
		},
		spanField("horizon", "when the run ends; 0s for a herd: when all is over", func(c *Config) *time.Duration { return &c.Horizon }),
		spanField("bucket", "the width of a time bucket", func(c *Config) *time.Duration { return &c.Bucket }),
	}
}

// keep sets what was read, and nothing where that failed.
func keep[T any](to *T, s string, parse func(string) (T, error)) error {
	v, err := parse(s)
	if err == nil {
		*to = v
	}
	return err
}

var errForm = fmt.Errorf("not of the form")

var (
	loadWords  = [...]string{"herd", "stream", "population"}
	lawWords   = [...]string{"constant", "exponential", "lognormal"}
	orderWords = [...]string{"fifo", "lifo"}
	faultWords = [...]string{"down", "hole", "brownout", "slow"}
)

func wordField[T ~uint8](name, words string, all []string, at func(*Config) *T) Field {
	return Field{
		Name: name, Words: words, Allowed: strings.Join(all, ", "), Word: "V",
		get: func(c *Config) string { return all[*at(c)] },
		set: func(c *Config, s string) error {
			i := slices.Index(all, s)
			if i < 0 {
				return errForm
			}
			*at(c) = T(i)
			return nil
		},
	}
}

// isToken tells whether a text is a token of HTTP (RFC 9110, section 5.6.2), as a method is.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

func countField(name, words, allowed string, at func(*Config) *int) Field {
	return Field{
		Name: name, Words: words, Allowed: allowed, Word: "N",
		get: func(c *Config) string { return strconv.Itoa(*at(c)) },
		set: func(c *Config, s string) error { return parseCount(s, at(c)) },
	}
}

// atLeast is a count that may not be less.
func atLeast(least int, f Field) Field {
	set := f.set
	f.set = func(c *Config, s string) error {
		var n int
		if err := parseCount(s, &n); err != nil || n < least {
			return errForm
		}
		return set(c, s)
	}
	return f
}

func parseCount(s string, to *int) error {
	n, err := strconv.Atoi(strings.ReplaceAll(s, "_", ""))
	if err != nil || n < 0 {
		return errForm
	}
	*to = n
	return nil
}

func numberField(name, words string, at func(*Config) *float64) Field {
	return Field{
		Name: name, Words: words, Allowed: numberAllowed, Word: "X",
		get: func(c *Config) string { return numberText(*at(c)) },
		set: func(c *Config, s string) error {
			return keep(at(c), s, parseNumber)
		},
	}
}

func parseNumber(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, errForm
	}
	return x, nil
}

func spanField(name, words string, at func(*Config) *time.Duration) Field {
	return Field{
		Name: name, Words: words, Allowed: spanAllowed, Word: "D",
		get: func(c *Config) string { return engine.FormatDuration(*at(c)) },
		set: func(c *Config, s string) error {
			return keep(at(c), s, parseSpan)
		},
	}
}

// parseSpan reads a time; the longest of all stands for none elsewhere, and is none of a fleet.
func parseSpan(s string) (time.Duration, error) {
	d, err := engine.ParseDuration(s)
	if err != nil || d < 0 || d == engine.Forever {
		return 0, errForm
	}
	return d, nil
}

func yesField(name, words string, at func(*Config) *bool) Field {
	return Field{
		Name: name, Words: words, Allowed: yesAllowed, Word: "V",
		get: func(c *Config) string { return strconv.FormatBool(*at(c)) },
		set: func(c *Config, s string) error {
			if s != "true" && s != "false" {
				return errForm
			}
			*at(c) = s == "true"
			return nil
		},
	}
}

func guardField(name, words, allowed string, at func(*Config) *Guard) Field {
	return Field{
		Name: name, Words: words, Allowed: allowed, Word: "V",
		get: func(c *Config) string { return at(c).String() },
		set: func(c *Config, s string) error { return parseGuard(s, at(c)) },
	}
}
