package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// properties reads a file of lines name=value, as Spring takes one too; nil for any other text.
func properties(text string) any {
	o := object{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || line[0] == '!' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !ok || name == "" || strings.ContainsAny(name, " \t:{") {
			return nil
		}
		o[name] = strings.TrimSpace(value)
	}
	if len(o) == 0 {
		return nil
	}
	return o
}

// nested is an object whose names with dots are taken apart. What a list is made of has its number for a name.
func nested(o object) object {
	out := object{}
	for _, k := range sorted(o) {
		v := o[k]
		if is, ok := v.(object); ok {
			v = nested(is)
		}
		path := springPath(k)
		for i := len(path) - 1; i > 0; i-- {
			v = object{path[i]: v}
		}
		merge(out, path[0], v)
	}
	return out
}

// springPath takes a name apart at its dots, and at brackets, in which a dot is one of the name: a.b[c.d] is a, b, c.d.
func springPath(name string) []string {
	var path []string
	for name != "" {
		rest, bracket := strings.CutPrefix(name, "[")
		end := strings.IndexAny(rest, ".[")
		if bracket {
			end = strings.IndexByte(rest, ']')
		}
		if end < 0 {
			return append(path, rest)
		}
		if part := rest[:end]; part != "" {
			path = append(path, part)
		}
		name = rest[end:]
		if name[0] != '[' {
			name = name[1:]
		}
	}
	if len(path) == 0 {
		return []string{""}
	}
	return path
}

// merge puts a member into an object, and what it has into one that is there.
func merge(into object, key string, v any) {
	have, ok := into[key].(object)
	is, isToo := v.(object)
	if !ok || !isToo {
		into[key] = v
		return
	}
	for _, k := range sorted(is) {
		merge(have, k, is[k])
	}
}

// springName is a name as Spring compares them: maxAttempts, max-attempts and MAX_ATTEMPTS are one.
func springName(s string) string {
	return strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(s, "-", ""), "_", ""))
}

// spring is a member of an object by its name to Spring.
func spring(o object, name string) (any, bool) {
	name = springName(name)
	found, value := "", any(nil)
	for k, v := range o { // the first of several spellings
		if v != nil && springName(k) == name && (value == nil || k < found) {
			found, value = k, v
		}
	}
	return value, value != nil
}

func springObject(o object, name string) object {
	v, _ := spring(o, name)
	is, _ := v.(object)
	return is
}

// springRest lists the names of an object that were not read.
func (r *reading) springRest(o object, path string, read ...string) {
	for i := range read {
		read[i] = springName(read[i])
	}
	for _, k := range sorted(o) {
		if !slices.Contains(read, springName(k)) {
			r.ignore("%s%s", path, k)
		}
	}
}

// flag reads what Spring takes for true or false.
func (r *reading) flag(o object, name string) bool {
	v, ok := o[name]
	if !ok {
		return false
	}
	switch strings.ToLower(strings.TrimSpace(fmt.Sprint(v))) {
	case "true", "on", "yes", "1":
		return true
	case "false", "off", "no", "0":
		return false
	}
	r.bad(name, fmt.Sprint(v), "true or false")
	return false
}

// decimal is a number, in quotes or not.
func decimal(v any) (float64, bool) {
	if s, ok := v.(string); ok {
		if f, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil {
			return number(f)
		}
	}
	return number(v)
}

// springSpan reads a duration as Spring Boot does: a whole number with one unit or none, for milliseconds, or ISO 8601.
func (r *reading) springSpan(name string, v any) time.Duration {
	text := strings.TrimSpace(fmt.Sprint(v))
	d, ok := isoDuration(text)
	if !ok {
		d, ok = simpleDuration(text)
	}
	if !ok {
		r.bad(name, text, "a whole number with one unit, or ISO 8601: 500, 500ms, 2s, PT1.5S")
	}
	return d
}

// simpleDuration reads a whole number and its unit.
func simpleDuration(s string) (time.Duration, bool) {
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit, ok := map[string]time.Duration{
		"": time.Millisecond, "ns": time.Nanosecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second,
		"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour,
	}[strings.ToLower(s[len(digits):])]
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 0 || n > int64((engine.Forever-1)/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

// isoDuration reads days, hours, minutes and seconds, the last with a fraction: P1DT2H3M4.5S.
func isoDuration(s string) (time.Duration, bool) {
	rest, ok := strings.CutPrefix(strings.ToUpper(s), "P")
	days, clock, timed := strings.Cut(rest, "T")
	if !ok || rest == "" || timed && clock == "" {
		return 0, false
	}
	total := 0.0
	take := func(from, mark string, unit time.Duration) string {
		digits, behind, ok := strings.Cut(from, mark)
		if !ok {
			return from
		}
		whole, part, _ := strings.Cut(digits, ".")
		n, err := strconv.ParseFloat(digits, 64)
		if err != nil || whole == "" || strings.Trim(whole+part, "0123456789") != "" || len(part) > 9 || unit != time.Second && whole != digits {
			return "no"
		}
		total += n * float64(unit)
		return behind
	}
	days = take(days, "D", 24*time.Hour)
	clock = take(take(take(clock, "H", time.Hour), "M", time.Minute), "S", time.Second)
	if days != "" || clock != "" || total >= float64(engine.Forever) {
		return 0, false
	}
	return time.Duration(total + 0.5), true
}
