package importer

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// number is a number of JSON or YAML.
func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	case uint64:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

// object is a map of JSON or YAML.
type object = map[string]any

// sorted are the keys of an object.
func sorted(o object) []string {
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// found is an object that is a member of another.
type found struct {
	in, is object
	under  string // the name that the other stands under, or its list; "" for a whole document
}

// find looks through documents for the objects under a key, however it is written, in order.
func find(docs []any, key string) []found {
	var out []found
	var walk func(v any, under string)
	walk = func(v any, under string) {
		switch v := v.(type) {
		case object:
			for _, k := range sorted(v) {
				if o, ok := v[k].(object); ok && snake(k) == key {
					out = append(out, found{v, o, under})
					continue
				}
				walk(v[k], snake(k))
			}
		case []any:
			for _, e := range v {
				walk(e, under)
			}
		}
	}
	for _, d := range docs {
		walk(d, "")
	}
	return out
}

// snake is a name as protocol buffers have it, from how their JSON has it.
func snake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// snaked is an object with its names so.
func snaked(o object) object {
	out := make(object, len(o))
	for _, k := range sorted(o) {
		out[snake(k)] = o[k]
	}
	return out
}

// member is a member that has to be an object where it is there.
func (r *reading) member(o object, name string) (object, bool) {
	v, ok := o[name]
	if !ok {
		v = snaked(o)[name]
	}
	if v == nil {
		return nil, false
	}
	is, ok := v.(object)
	if !ok {
		r.bad(name, fmt.Sprint(v), "an object, with names of its own")
	}
	return is, ok
}

// rest lists the keys of an object that were not read.
func (r *reading) rest(o object, path string, read ...string) {
	for _, k := range sorted(o) {
		if !slices.Contains(read, k) && !slices.Contains(read, snake(k)) {
			r.ignore("%s%s", path, k)
		}
	}
}

// commaWords are the words of a text, or of a number that was meant for one, between commas.
func (r *reading) commaWords(name string, v any) []string {
	text, ok := v.(string)
	if n, is := number(v); is {
		text, ok = fmt.Sprint(n), true
	}
	if v != nil && !ok {
		r.bad(name, fmt.Sprint(v), "a text, with commas between its words")
	}
	var out []string
	for w := range strings.SplitSeq(text, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// protoSpan reads a duration as protocol buffers write it in JSON: seconds with an s.
func (r *reading) protoSpan(name string, v any) time.Duration {
	d, _ := r.protoTime(name, v)
	return d
}

// longerSpan is one that has to be longer than none.
func (r *reading) longerSpan(name string, v any, why string) time.Duration {
	d, ok := r.protoTime(name, v)
	if ok && d == 0 {
		r.bad(name, fmt.Sprint(v), "more than 0s: "+why)
	}
	return d
}

func (r *reading) protoTime(name string, v any) (time.Duration, bool) {
	text, _ := v.(string)
	digits, ok := strings.CutSuffix(text, "s")
	whole, part, _ := strings.Cut(digits, ".")
	if !ok || whole+part == "" || strings.Trim(whole+part, "0123456789") != "" || len(part) > 9 {
		r.bad(name, fmt.Sprint(v), "seconds with an s, in quotes or not: 0.25s, 30s")
		return 0, false
	}
	return r.span(name, text), true
}

// yamlDocuments reads all documents of a YAML file.
func yamlDocuments(text string) ([]any, error) {
	var all []any
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var doc any
		err := d.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF) && len(all) == 0:
			return nil, ErrNoPolicy
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, named(doc))
	}
}

// named is a document in which all names are texts.
func named(v any) any {
	switch v := v.(type) {
	case map[any]any:
		out := make(object, len(v))
		for k, e := range v {
			out[fmt.Sprint(k)] = named(e)
		}
		return out
	case object:
		for k, e := range v {
			v[k] = named(e)
		}
	case []any:
		for i, e := range v {
			v[i] = named(e)
		}
	}
	return v
}
