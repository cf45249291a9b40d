// Package importer reads a policy from what people already have: a command line or a configuration of another client.
// What stands there and is not in the policy is listed, never passed over.
package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
)

// Format is one language a policy can be read from.
type Format struct {
	// ID is what the command line calls it, as in package export; Name is what it is.
	ID, Name string

	read func(text string, r *reading) error
}

// Result is what was read.
type Result struct {
	Policy engine.Policy
	// Ignored is what stands in the input and not in the policy, a line each. It holds names, and values only of what
	// says something about retries.
	Ignored []string
}

// ErrNoPolicy is returned where the input says nothing about retries.
var ErrNoPolicy = errors.New("nothing about retries stands there")

// ErrNoText is returned where the input is no text in UTF-8.
var ErrNoText = errors.New("it is no text in UTF-8")

// Formats are all formats, in the order of the list.
func Formats() []Format { return append([]Format(nil), formats[:]...) }

// IDs are the ids of all formats, in the order of the list.
func IDs() []string {
	out := make([]string, 0, len(formats))
	for i := range formats {
		out = append(out, formats[i].ID)
	}
	return out
}

// Get is the format of that id.
func Get(id string) (Format, bool) {
	for i := range formats {
		if formats[i].ID == id {
			return formats[i], true
		}
	}
	return Format{}, false
}

// Read reads a policy. Its errors are ErrNoPolicy, ErrNoText, what the parser of the language says, and *engine.FieldError.
func (f *Format) Read(text string) (Result, error) {
	text = strings.TrimPrefix(text, "\uFEFF") // some editors begin a text so
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return Result{}, ErrNoText
	case strings.TrimSpace(text) == "":
		return Result{}, ErrNoPolicy
	}
	r := &reading{p: engine.Default(), seen: map[string]bool{}}
	if err := f.read(text, r); err != nil {
		return Result{}, err
	}
	if err := errors.Join(r.errs...); err != nil {
		return Result{}, err
	}
	if err := r.p.Validate(); err != nil {
		return Result{}, err
	}
	if more := len(r.seen) - len(r.ignored); more > 0 {
		r.ignored = append(r.ignored, fmt.Sprintf("%d more", more))
	}
	return Result{Policy: r.p, Ignored: r.ignored}, nil
}

var formats = [...]Format{
	{"line", "one line of text", readLine},
	{"curl", "a curl command line", readCurl},
	{"grpc", "a gRPC service config", readGRPC},
	{"envoy", "an Envoy configuration, as YAML", readEnvoy},
	{"istio", "an Istio VirtualService, as YAML", readIstio},
	{"resilience4j-yaml", "a Resilience4j configuration, as YAML", readResilience},
}

// reading is a policy being read.
type reading struct {
	p       engine.Policy
	ignored []string
	seen    map[string]bool // what was ignored, listed or not
	errs    []error
}

// mostIgnored is how much of what is ignored is listed, longestIgnored how many characters of one.
const (
	mostIgnored    = 100
	longestIgnored = 200
)

// set sets knobs by their text, name=value each.
func (r *reading) set(words string) {
	for w := range strings.FieldsSeq(words) {
		name, value, _ := strings.Cut(w, "=")
		if err := r.p.Set(name, value); err != nil {
			r.errs = append(r.errs, err)
		}
	}
}

// ignore lists something that is not in the policy.
func (r *reading) ignore(format string, args ...any) {
	line := strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, fmt.Sprintf(format, args...))
	if runes := []rune(line); len(runes) > longestIgnored {
		line = string(runes[:longestIgnored-1]) + "…"
	}
	if !r.seen[line] && len(r.ignored) < mostIgnored {
		r.ignored = append(r.ignored, line)
	}
	r.seen[line] = true
}

// bad notes a value that cannot be as it is.
func (r *reading) bad(name, value, allowed string) {
	e := &engine.FieldError{Field: name, Value: value, Allowed: allowed}
	if !slices.ContainsFunc(r.errs, func(have error) bool { return have.Error() == e.Error() }) {
		r.errs = append(r.errs, e)
	}
}

// count reads a whole number of least or more.
func (r *reading) count(name string, v any, least int) int {
	n, ok := number(v)
	if !ok || n != float64(int(n)) || int(n) < least || n > 1e9 {
		r.bad(name, fmt.Sprint(v), fmt.Sprintf("a whole number of %d or more", least))
		return least
	}
	return int(n)
}

// span reads a duration in Go's form.
func (r *reading) span(name, text string) time.Duration {
	d, err := engine.ParseDuration(strings.TrimSpace(text))
	if err != nil || d < 0 || d == engine.Forever {
		r.bad(name, text, "0 or more, with a unit: 200ms, 1.5s, 2m, 1h")
		return 0
	}
	return d
}

// readLine reads our own one line.
func readLine(text string, r *reading) error {
	if strings.TrimSpace(text) == "" {
		return ErrNoPolicy
	}
	p, _, err := presets.Parse(strings.Join(strings.Fields(text), " "))
	r.p = p
	return err
}
