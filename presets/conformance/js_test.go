package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/presets"
)

// javascript holds the clients of npm and what runs them: each in a process of Node whose timers are on a clock of our
// own, against a server beside it that is given the wire's answers.
const javascript = "js"

// javascriptClients are libraries of npm, at the version that their preset names.
func javascriptClients() []client {
	// What the fetch of Node lets through; got and undici need none.
	fetch := anyMethod()
	all := append(anyMethod(), http.MethodTrace)
	service := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	amazon := []string{http.MethodGet, http.MethodPost}
	const overlong = "above 24.8 days"
	return []client{
		{preset: "anthropic-ts", module: "@anthropic-ai/sdk", methods: service, named: map[string]string{
			"statuses": "makes a failed connection of a 407",
		}},
		{preset: "async-retry", module: "async-retry"},
		{preset: "aws-js-v3", module: "@smithy/core", methods: amazon},
		{preset: "aws-js-v3-adaptive", module: "@smithy/core", methods: amazon, hint: http.StatusServiceUnavailable},
		{preset: "aws-js-v3-pre2026", module: "util-retry-4.2", methods: amazon},
		{preset: "axios-retry", module: "axios-retry", methods: all, named: map[string]string{
			"broken connection":         "retried for any method",
			"Retry-After: 999999999999": overlong,
		}},
		{preset: "axios-retry-exp", module: "axios-retry", methods: all, named: map[string]string{
			"broken connection":              "retried for any method",
			"Retry-After: 2":                 "lengthened by up to a fifth",
			"Retry-After: 1.5":               "lengthened by up to a fifth",
			"Retry-After: 999999999999":      overlong,
			"Retry-After: a date in 3s":      "lengthened by up to a fifth",
			"Retry-After: a date of RFC 850": "lengthened by up to a fifth",
		}},
		{preset: "cockatiel", module: "cockatiel"},
		{preset: "exponential-backoff", module: "exponential-backoff"},
		{preset: "got", module: "got", methods: all},
		{preset: "got-14", module: "got-14", methods: all, named: map[string]string{
			"Retry-After: 0":            "A Retry-After of 0 is no hint",
			"Retry-After: 999999999999": overlong,
		}},
		{preset: "ky", module: "ky", methods: fetch, named: map[string]string{
			"statuses": "makes a failed connection of a 407",
		}},
		{preset: "ky-1", module: "ky-1", methods: fetch, named: map[string]string{
			"statuses":          "makes a failed connection of a 407",
			"Retry-After: soon": "hangs for 24.8 days",
		}},
		{preset: "node-retry", module: "retry"},
		{preset: "octokit-retry", module: "@octokit/plugin-retry", methods: fetch},
		{preset: "octokit-throttling", module: "@octokit/plugin-throttling", methods: fetch, fail: status(429), named: map[string]string{
			"statuses":                  "sends once more by itself after a 421",
			"methods":                   "an answer to HEAD reads like nothing",
			"Retry-After: 999999999999": overlong,
		}},
		{preset: "openai-node", module: "openai", methods: service, named: map[string]string{
			"statuses":                  "makes a failed connection of a 407",
			"Retry-After: 999999999999": "A garbled or overlong",
			"Retry-After: soon":         "A garbled or overlong",
		}},
		{preset: "p-retry", module: "p-retry"},
		{preset: "stripe-node", module: "stripe", methods: []string{http.MethodGet, http.MethodPost, http.MethodDelete}},
		{preset: "undici", module: "undici", methods: all, named: map[string]string{
			"Retry-After: a date gone by": "A date gone by is no hint",
		}},
	}
}

func checkJavaScript(t *testing.T, tb *table) {
	list := javascriptClients()
	if why := install(t); why != "" {
		for i := range list {
			tb.left(list[i].preset)
		}
		t.Skip(why)
	}
	for i := range list {
		c := &list[i]
		t.Run(c.preset, func(t *testing.T) {
			t.Parallel() // each is a process of its own
			d := drive(t, "node", filepath.Join(javascript, "run.mjs"), c.preset)
			c.found = d.Versions[c.module]
			if p, _ := presets.Get(c.preset); c.found != p.Version {
				t.Errorf("the preset is of %s, package.json names %s", p.Version, c.found)
			}
			c.send, c.later = d.script(false), today
			c.mark = d.marked()
			check(t, tb, c)
		})
	}
}

// today is some day long after 2000.
const today = 27 * 365 * 24 * time.Hour

// oldestNode is the first major version of Node that all of them run under.
const oldestNode = 20

// install brings what package-lock.json names into js/node_modules, unless it is there. Without Node, or where nothing
// can be fetched, it says why, and the clients are left out; the others go on.
func install(t *testing.T) (why string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "node", "--version").Output()
	if err != nil {
		return fmt.Sprintf("Node is not here, so no client of npm is checked: %v", err)
	}
	text := strings.TrimSpace(string(out))
	major, _, _ := strings.Cut(strings.TrimPrefix(text, "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldestNode {
		return fmt.Sprintf("Node is %s, and the clients of npm need %d or later", text, oldestNode)
	}
	lock := read(t, "package-lock.json")
	stamp := filepath.Join(javascript, "node_modules", ".installed")
	if have, err := os.ReadFile(stamp); err == nil && bytes.Equal(have, lock) {
		return ""
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Sprintf("npm is not here, so no client of it is checked: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), npm, "ci", "--omit=optional", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = javascript
	said, err := cmd.CombinedOutput()
	switch {
	case err == nil:
	case unreachable(said):
		return fmt.Sprintf("npm reaches no registry, so no client of it is checked: %v\n%s", err, said)
	default:
		t.Fatalf("npm ci: %v\n%s", err, said)
	}
	if err := os.WriteFile(stamp, lock, 0o644); err != nil {
		t.Fatal(err)
	}
	return ""
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(javascript, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// unreachable says whether npm failed for the network alone.
func unreachable(said []byte) bool {
	for _, code := range []string{"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ERR_SOCKET_TIMEOUT"} {
		if bytes.Contains(said, []byte("code "+code)) {
			return true
		}
	}
	return false
}

// scripted is one operation with all that the wire would answer.
type scripted struct {
	Method  string `json:"method"`
	Mark    bool   `json:"mark,omitempty"`
	Answers []gave `json:"answers"`
	Limit   int    `json:"limit"`
	Start   int64  `json:"start"`   // the time of day, in milliseconds since 1970
	Patient int64  `json:"patient"` // milliseconds until nobody waits any more
}

type gave struct {
	Status int               `json:"status,omitempty"`
	Header map[string]string `json:"header,omitempty"`
	Error  string            `json:"error,omitempty"` // "reset" or "refused"
}

// became is how a scripted operation went: when each send came and how long all took, in milliseconds.
type became struct {
	At      []float64 `json:"at"`
	Took    float64   `json:"took"`
	Waiting bool      `json:"waiting"`
	Status  int       `json:"status"`
	Error   string    `json:"error"`
	Broken  string    `json:"broken"`
}

// script runs one operation after another in the process, and lets the clock of the bubble follow.
func (d *driven) script(mark bool) sender {
	return func(ctx context.Context, w *wire, method string) (int, error) {
		start := time.Now()
		s := scripted{Method: method, Mark: mark, Limit: w.limit, Start: start.UnixMilli(), Patient: patient.Milliseconds()}
		for _, a := range w.answers {
			g := gave{Status: a.status, Header: map[string]string{}, Error: replied(a).Error}
			for name, values := range a.header {
				g.Header[name] = values[0]
			}
			s.Answers = append(s.Answers, g)
		}
		var b became
		err := d.tell(s)
		if err == nil {
			err = d.hear(&b)
		}
		if err == nil && b.Broken != "" {
			err = errors.New(b.Broken)
		}
		if err != nil {
			panic(fmt.Errorf("%w: %w", errBroken, err))
		}
		w.mu.Lock()
		for _, at := range b.At {
			w.at = append(w.at, start.Add(milliseconds(at)))
		}
		w.mu.Unlock()
		if b.Waiting {
			<-ctx.Done()
			return 0, ctx.Err()
		}
		slept(ctx, milliseconds(b.Took))
		if b.Error == "" {
			return b.Status, nil
		}
		return b.Status, errors.New(b.Error)
	}
}

// marked runs a function whose error is final; nil where the client knows no such thing.
func (d *driven) marked() func(context.Context, *wire) error {
	if !d.Marks {
		return nil
	}
	mark := d.script(true)
	return func(ctx context.Context, w *wire) error {
		_, err := mark(ctx, w, "")
		return err
	}
}

func milliseconds(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }
