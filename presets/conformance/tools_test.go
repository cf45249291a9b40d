package conformance

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retryscope/retryscope/presets"
)

// tool is a binary of the machine. It runs on the real clock, so that its waits are compared to a quarter of a second
// and a longer list of runs is made side by side.
type tool struct {
	preset, binary string
	version        *regexp.Regexp
	command        func(retries int, method, url string) []string
	fail           answer
	methods        []string
	named          map[string]string
}

func toolClients() []tool {
	return []tool{
		{
			preset: "curl", binary: "curl", version: regexp.MustCompile(`^curl (\S+)`), fail: status(http.StatusServiceUnavailable),
			methods: []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions},
			command: func(retries int, method, url string) []string {
				args := []string{"-s", "-o", "/dev/null", "-w", "%{http_code}", "--retry", fmt.Sprint(retries), "-X", method}
				if hasBody(method) {
					args = append(args, "-d", "{}")
				}
				return append(args, url)
			},
			named: map[string]string{
				"statuses":                    "7.88 does not retry 522 and 524",
				"Retry-After: a date gone by": "hung it for good",
			},
		},
		{
			preset: "wget", binary: "wget", version: regexp.MustCompile(`^GNU Wget (\S+)`), fail: reset(),
			methods: []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
			command: func(retries int, method, url string) []string {
				args := []string{"-q", "-O", "/dev/null", "--tries", fmt.Sprint(retries + 1), "--method", method}
				if hasBody(method) {
					args = append(args, "--body-data", "{}")
				}
				return append(args, url)
			},
		},
	}
}

// ServeHTTP makes the wire a server: a failed answer closes the connection.
func (w *wire) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	if _, err := io.Copy(io.Discard, req.Body); err != nil {
		return
	}
	a := w.next()
	if a.err != nil {
		panic(http.ErrAbortHandler)
	}
	for name, values := range a.header {
		rw.Header()[name] = values
	}
	rw.WriteHeader(a.status)
}

// watched is how long a run of a tool may take.
const watched = 6 * time.Second

// run is one run of the tool against the wire.
func (c *tool) run(t *testing.T, retries int, method string, limit int, a answer) (*wire, string) {
	t.Helper()
	w := newWire(limit, a)
	server := httptest.NewServer(w)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), watched)
	defer cancel()
	out, err := exec.CommandContext(ctx, c.binary, c.command(retries, method, server.URL)...).Output()
	if ctx.Err() != nil {
		return w, "still waiting"
	}
	_ = err // a tool says by its exit that the answer was no success
	return w, string(out)
}

func checkTools(t *testing.T, tb *table) {
	for _, c := range toolClients() {
		t.Run(c.preset, func(t *testing.T) {
			c.check(t, tb)
		})
	}
}

func (c *tool) check(t *testing.T, tb *table) {
	text, err := exec.CommandContext(t.Context(), c.binary, "--version").Output()
	if err != nil {
		t.Skipf("%s is not here: %v", c.binary, err)
	}
	found := c.version.FindSubmatch(text)
	if found == nil {
		t.Fatalf("no version in %q", text)
	}
	preset, ok := presets.Get(c.preset)
	if !ok {
		t.Fatalf("%s is no preset", c.preset)
	}
	p := preset.Policy
	p.Attempts = 2
	k := &toolCheck{t: t, tb: tb, tool: c, client: &client{preset: c.preset, named: c.named}, version: string(found[1]), once: ours(&p, 1)}
	p3 := preset.Policy
	p3.Attempts = 3
	k.twice = ours(&p3, 1)
	lo1, _ := p3.Bounds(1)
	lo2, _ := p3.Bounds(2)

	w, end := c.run(t, 2, http.MethodGet, 10, c.fail)
	mine := k.mine(k.twice, http.MethodGet, 10, c.fail)
	k.compare("attempts, two retries", fmt.Sprint(mine.sends()), fmt.Sprint(w.sends()))
	for i, lo := range []time.Duration{lo1, lo2} {
		theirs := "none"
		if gaps := w.gaps(); i < len(gaps) {
			theirs = coarse(gaps[i])
		}
		k.compare(fmt.Sprintf("wait %d", i+1), coarse(lo), theirs)
	}
	if c.fail.status != 0 {
		k.compare("end", fmt.Sprint(c.fail.status), end)
	}
	k.statuses()
	k.methods()
	k.connections(lo1)
	if p.RetryOn.Statuses.Has(http.StatusTooManyRequests) {
		k.retryAfter()
	}
}

type toolCheck struct {
	t           *testing.T
	tb          *table
	tool        *tool
	client      *client
	version     string
	once, twice sender
}

func (k *toolCheck) compare(check, ours, theirs string) {
	k.t.Helper()
	k.tb.compare(k.t, k.client, k.version, check, ours, theirs, ours == theirs)
}

// mine is the same run with the engine.
func (k *toolCheck) mine(send sender, method string, limit int, a answer) (w *wire) {
	k.t.Helper()
	synctest.Test(k.t, func(*testing.T) { w, _, _ = run(send, method, limit, a) })
	return w
}

// coarse is a real wait to half a second, downwards: a machine is late and never early.
func coarse(d time.Duration) string {
	return (d + 20*time.Millisecond).Truncate(500 * time.Millisecond).String()
}

// each runs f for every number below n, 24 at once.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, 24)
	for i := range n {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			f(i)
		}()
	}
	wg.Wait()
}

func (k *toolCheck) statuses() {
	var list []int
	for _, span := range [][2]int{{400, 431}, {451, 451}, {499, 512}, {520, 530}, {598, 599}} {
		for s := span[0]; s <= span[1]; s++ {
			list = append(list, s)
		}
	}
	again := make([]bool, len(list))
	each(len(list), func(i int) {
		w, _ := k.tool.run(k.t, 1, http.MethodGet, 1, status(list[i]))
		again[i] = w.sends() > 1
	})
	var mine, theirs []int
	for i, s := range list {
		if again[i] {
			theirs = append(theirs, s)
		}
		if k.mine(k.once, http.MethodGet, 1, status(s)).sends() > 1 {
			mine = append(mine, s)
		}
	}
	k.compare("statuses", ranges(mine), ranges(theirs))
}

func (k *toolCheck) methods() {
	list := k.tool.methods
	again := make([]bool, len(list))
	each(len(list), func(i int) {
		w, _ := k.tool.run(k.t, 1, list[i], 1, k.tool.fail)
		again[i] = w.sends() > 1
	})
	var mine, theirs []string
	for i, m := range list {
		if again[i] {
			theirs = append(theirs, m)
		}
		if k.mine(k.once, m, 1, k.tool.fail).sends() > 1 {
			mine = append(mine, m)
		}
	}
	slices.Sort(mine)
	slices.Sort(theirs)
	k.compare("methods", strings.Join(mine, " "), strings.Join(theirs, " "))
}

// dated is a wait for a date three seconds ahead, which loses what was over of the second it was made in.
func dated(gap time.Duration) string {
	if gap > 1900*time.Millisecond && gap < 4*time.Second {
		return "3s"
	}
	return coarse(gap)
}

func (k *toolCheck) retryAfter() {
	values := retryAfterValues()
	theirs := make([]string, len(values))
	each(len(values), func(i int) {
		v := retryAfterValues()[i]
		w, out := k.tool.run(k.t, 1, http.MethodGet, 1, answer{status: http.StatusTooManyRequests, header: http.Header{"Retry-After": {v.value}}})
		gaps := w.gaps()
		switch {
		case len(gaps) > 0 && strings.HasPrefix(v.name, "a date"):
			theirs[i] = dated(gaps[0])
		case len(gaps) > 0:
			theirs[i] = coarse(gaps[0])
		case out == "still waiting":
			theirs[i] = out
		default:
			theirs[i] = "not retried"
		}
	})
	for i, v := range values {
		var w *wire
		synctest.Test(k.t, func(*testing.T) {
			a := answer{status: http.StatusTooManyRequests, header: http.Header{"Retry-After": {retryAfterValues()[i].value}}}
			w, _, _ = run(k.once, http.MethodGet, 1, a)
		})
		mine := "not retried"
		switch gaps := w.gaps(); {
		case len(gaps) > 0 && gaps[0] > time.Minute: // nobody waits for the tool that long
			mine = "still waiting"
		case len(gaps) > 0:
			mine = coarse(gaps[0])
		}
		k.compare("Retry-After: "+v.name, mine, theirs[i])
	}
}
