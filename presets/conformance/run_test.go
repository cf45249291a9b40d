package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
	"github.com/retryscope/retryscope/presets"
)

// client is a real client and how to run it.
type client struct {
	preset string
	module string // its path in go.mod; the version there is the one that is checked
	found  string // the version of a client that no go.mod knows
	// send makes one operation of the client against the wire, and gives the status it ended with.
	send func(ctx context.Context, w *wire, method string) (int, error)
	// mark, for a client that repeats a function, runs one whose error is marked as permanent.
	mark func(ctx context.Context, w *wire) error
	// methods are those it can send, the first for all other checks; none for a client that repeats a function.
	methods []string
	fail    answer // what makes it retry; 503 where nothing is said
	hint    int    // the status that carries Retry-After; 429 where nothing is said, or 503 where that is final
	// noBroken and noRefused leave out a connection that breaks or is refused: no such thing reaches the client.
	noBroken, noRefused bool
	codes               bool // it speaks gRPC, and its codes are a check of their own
	// hints are the values of Retry-After that its protocol can say, where it is not HTTP.
	hints []string
	waits int // how many of its waits are sure to come before its time is over, where not all are
	// later is how long after the begin of 2000 Retry-After is looked at: to Node a -5 is a date of 2001.
	later time.Duration
	noEnd bool // the error that comes out is its own word for what the wire did
	// named are the checks that differ, each with words of the preset that say so.
	named map[string]string
}

const (
	draws   = 400                 // runs to see the ends of a window
	stop    = 6                   // sends after which a client without end is stopped
	patient = 30 * 24 * time.Hour // how long an operation is watched
	target  = "http://service.test/v1/thing"
)

// ours is the engine under the preset, on the same wire.
func ours(p *engine.Policy, seed uint64) func(context.Context, *wire, string) (int, error) {
	return func(ctx context.Context, w *wire, method string) (int, error) {
		rt, err := httpretry.New(w, *p, httpretry.WithEngine(engine.WithSeed(seed)))
		if err != nil {
			return 0, err
		}
		return answered(rt.RoundTrip(newRequest(ctx, method)))
	}
}

func newRequest(ctx context.Context, method string) *http.Request {
	var req *http.Request
	var err error
	if hasBody(method) {
		req, err = http.NewRequestWithContext(ctx, method, target, strings.NewReader("{}"))
	} else {
		req, err = http.NewRequestWithContext(ctx, method, target, nil)
	}
	if err != nil {
		panic(err)
	}
	return req
}

func hasBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

// answered reads what a client of net/http gave back.
func answered(resp *http.Response, err error) (int, error) {
	if resp == nil {
		return 0, err
	}
	if resp.Body != nil {
		_ = resp.Body.Close()
	}
	return resp.StatusCode, err
}

// version is that of go.mod: a test binary does not know what it was built from.
func version(t *testing.T, module string) string {
	t.Helper()
	if module == "net/http" {
		return runtime.Version()
	}
	return versionIn(t, "go.mod", module)
}

func versionIn(t *testing.T, file, module string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(strings.TrimPrefix(line, "require ")); len(f) > 1 && f[0] == module && strings.HasPrefix(f[1], "v") {
			return f[1]
		}
	}
	t.Fatalf("%s is no dependency", module)
	return ""
}

// TestConformance compares every client with its preset.
func TestConformance(t *testing.T) {
	tb := &table{}
	list := clients()
	seen := map[string]bool{}
	for i := range list {
		c := &list[i]
		if seen[c.preset] {
			t.Fatalf("%s is there twice", c.preset)
		}
		seen[c.preset] = true
		t.Run(c.preset, func(t *testing.T) { check(t, tb, c) })
	}
	t.Run("tools", func(t *testing.T) { checkTools(t, tb) })
	t.Run("older", func(t *testing.T) { checkOlder(t, tb) })
	t.Run("python", func(t *testing.T) { checkPython(t, tb) })
	t.Run("javascript", func(t *testing.T) { checkJavaScript(t, tb) })
	tb.finish(t)
}

func check(t *testing.T, tb *table, c *client) {
	preset, ok := presets.Get(c.preset)
	if !ok {
		t.Fatalf("%s is no preset", c.preset)
	}
	if c.fail.status == 0 && c.fail.err == nil {
		c.fail = status(http.StatusServiceUnavailable)
	}
	if c.hint == 0 {
		c.hint = http.StatusTooManyRequests
		if !preset.Policy.RetryOn.Statuses.Has(c.hint) {
			c.hint = http.StatusServiceUnavailable
		}
	}
	method := http.MethodGet
	if len(c.methods) > 0 {
		method = c.methods[0]
	}
	if c.found == "" {
		c.found = version(t, c.module)
	}
	k := &checker{t: t, tb: tb, c: c, p: preset.Policy, version: c.found, method: method}
	k.attempts()
	k.waits()
	k.clock()
	k.end()
	if len(c.methods) > 0 {
		k.statuses()
		k.methodsSent()
	}
	if len(c.methods) > 0 || len(c.hints) > 0 {
		k.retryAfter()
	}
	if c.codes {
		k.grpcCodes()
	}
	k.connections()
	k.permanent()
}

type checker struct {
	t       *testing.T
	tb      *table
	c       *client
	p       engine.Policy
	version string
	method  string
}

type sender = func(context.Context, *wire, string) (int, error)

func (k *checker) compare(check, ours, theirs string) {
	k.t.Helper()
	k.tb.compare(k.t, k.c, k.version, check, ours, theirs, ours == theirs)
}

// both runs the same thing with the engine and with the real client, each in a bubble where waits cost nothing.
func (k *checker) both(f func(send sender) string) (mine, theirs string) {
	k.t.Helper()
	synctest.Test(k.t, func(*testing.T) { mine = f(ours(&k.p, 1)) })
	synctest.Test(k.t, func(*testing.T) { theirs = f(k.c.send) })
	return mine, theirs
}

// run is one operation on a fresh wire.
func run(send sender, method string, limit int, answers ...answer) (*wire, int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	w := newWire(limit, answers...)
	got, err := send(ctx, w, method)
	return w, got, err
}

func (k *checker) attempts() {
	limit := stop
	if k.p.Attempts != engine.Unlimited {
		limit = k.p.Attempts + 5
	}
	k.compare2("attempts", func(send sender) string {
		w, _, _ := run(send, k.method, limit, k.c.fail)
		if w.sends() > limit {
			return fmt.Sprintf("%d or more", stop)
		}
		return fmt.Sprint(w.sends())
	})
}

func (k *checker) compare2(check string, f func(send sender) string) {
	k.t.Helper()
	mine, theirs := k.both(f)
	// A clock may leave room for one send more, once in a thousand runs.
	for try := 0; k.c.waits > 0 && mine != theirs && try < 3; try++ {
		mine, theirs = k.both(f)
	}
	k.compare(check, mine, theirs)
}

// waits compares the ends of each wait with what the policy allows.
func (k *checker) waits() {
	retries := min(k.p.Attempts-1, 6)
	if k.c.waits > 0 {
		retries = min(retries, k.c.waits)
	}
	lo, hi := make([]time.Duration, retries), make([]time.Duration, retries)
	count := make([]int, retries)
	var all [][]time.Duration
	runs := draws
	if k.p.Jitter.Kind == engine.JitterNone {
		runs = 20 // they are all alike
	}
	synctest.Test(k.t, func(*testing.T) {
		for range runs {
			w, _, _ := run(k.c.send, k.method, retries, k.c.fail)
			all = append(all, w.gaps())
			for i, gap := range w.gaps() {
				if i >= retries {
					break
				}
				if count[i] == 0 || gap < lo[i] {
					lo[i] = gap
				}
				hi[i] = max(hi[i], gap)
				count[i]++
			}
		}
	})
	outcome := engine.Outcome{Kind: engine.KindStatus, Status: k.c.fail.status}
	b := k.p.Backoff.After(&outcome)
	for i := range retries {
		if k.p.Jitter.Kind == engine.JitterSmooth || k.p.Jitter.Kind == engine.JitterDecorrelated {
			k.remembered(&b, i+1, all, window(lo[i], hi[i]))
			continue
		}
		mayLo, mayHi := b.Bounds(i + 1)
		span := mayHi - mayLo
		const grain = time.Microsecond
		same := count[i] == runs && lo[i] >= mayLo-grain && hi[i] <= mayHi+grain && float64(hi[i]-lo[i]) >= 0.95*float64(span)-float64(grain)
		k.tb.compare(k.t, k.c, k.version, fmt.Sprintf("wait %d", i+1), window(mayLo, mayHi), window(lo[i], hi[i]), same)
	}
}

func window(lo, hi time.Duration) string {
	if hi-lo <= time.Microsecond {
		return short(hi)
	}
	return short(lo) + "–" + short(hi)
}

// short is a duration to a thousandth of itself.
func short(d time.Duration) string {
	unit := time.Microsecond
	for unit*1000 <= d {
		unit *= 10
	}
	return d.Round(unit).String()
}

// clock compares when an operation that never heals is given up, where there is no end by count. Both have to end
// before the policy's timeout, and no earlier than a longest wait before it.
func (k *checker) clock() {
	if k.p.Timeout == 0 || k.p.Attempts != engine.Unlimited {
		return
	}
	_, longest := k.p.Bounds(100)
	k.compare2("clock", func(send sender) string {
		for range 20 {
			from := time.Now()
			w, _, _ := run(send, k.method, 1<<20, k.c.fail)
			if took := time.Since(from); took > k.p.Timeout || took < k.p.Timeout-longest || w.sends() > 1<<20 {
				return fmt.Sprintf("after %v", took)
			}
		}
		return fmt.Sprintf("within %v", k.p.Timeout)
	})
}

// end compares whether the caller can still tell the last failure.
func (k *checker) end() {
	if k.p.Attempts == engine.Unlimited && k.p.Timeout == 0 || k.c.noEnd {
		return
	}
	k.compare2("end", func(send sender) string {
		_, got, err := run(send, k.method, 1<<20, k.c.fail)
		var e *statusError
		switch {
		case got != 0 && got == k.c.fail.status, errors.As(err, &e):
			return "the last failure"
		case err != nil && k.c.fail.err != nil && errors.Is(err, k.c.fail.err):
			return "the last failure"
		case err != nil && k.c.fail.status != 0 && strings.Contains(err.Error(), fmt.Sprint(k.c.fail.status)):
			return "the last failure"
		case err != nil && k.c.fail.err != nil && strings.Contains(err.Error(), k.c.fail.err.Error()):
			return "the last failure"
		case err != nil:
			return "an error that hides it"
		default:
			return fmt.Sprintf("%d", got)
		}
	})
}

func (k *checker) statuses() {
	k.compare2("statuses", func(send sender) string {
		var again []int
		for s := 400; s <= 599; s++ {
			w, _, _ := run(send, k.method, 1, answer{status: s, header: k.c.fail.header})
			if w.sends() > 1 {
				again = append(again, s)
			}
		}
		return ranges(again)
	})
}

// ranges writes statuses as 429, 500–599.
func ranges(list []int) string {
	var out []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if i == j {
			out = append(out, fmt.Sprint(list[i]))
		} else {
			out = append(out, fmt.Sprintf("%d–%d", list[i], list[j]))
		}
		i = j + 1
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

func (k *checker) methodsSent() {
	k.compare2("methods", func(send sender) string {
		var again []string
		for _, m := range k.c.methods {
			w, _, _ := run(send, m, 1, k.c.fail)
			if w.sends() > 1 {
				again = append(again, m)
			}
		}
		if len(again) == 0 {
			return "none"
		}
		slices.Sort(again)
		return strings.Join(again, " ")
	})
}

// permanent compares how often an error is tried that is marked as permanent.
func (k *checker) permanent() {
	if k.c.mark == nil {
		return
	}
	mine := newWire(stop, status(http.StatusBadRequest))
	r, err := engine.New(k.p)
	if err != nil {
		k.t.Fatal(err)
	}
	_, err = engine.Do(context.Background(), r, func(context.Context) (int, error) { return 0, engine.Permanent(mine.call()) })
	if err == nil {
		k.t.Error("a permanent error was lost")
	}
	theirs := newWire(stop, status(http.StatusBadRequest))
	synctest.Test(k.t, func(*testing.T) {
		if err := k.c.mark(context.Background(), theirs); err == nil {
			k.t.Errorf("%s: a permanent error was lost", k.c.preset)
		}
	})
	k.compare("permanent", fmt.Sprint(mine.sends()), fmt.Sprint(theirs.sends()))
}
