package importer

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

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

// find looks through a document for the objects under a key, in order.
func find(v any, key string) []found {
	var out []found
	switch v := v.(type) {
	case object:
		for _, k := range sorted(v) {
			if o, ok := v[k].(object); ok && k == key {
				out = append(out, found{v, o})
				continue
			}
			out = append(out, find(v[k], key)...)
		}
	case []any:
		for _, e := range v {
			out = append(out, find(e, key)...)
		}
	}
	return out
}

// found is an object and the one it stands in.
type found struct{ in, is object }

// first takes the first of several policies and lists that there are more.
func (r *reading) first(all []found, what string) (found, error) {
	if len(all) == 0 {
		return found{}, ErrNoPolicy
	}
	if len(all) > 1 {
		r.ignore("%s stands there %d times: the first was read", what, len(all))
	}
	return all[0], nil
}

// rest lists the keys of an object that were not read.
func (r *reading) rest(o object, path string, read ...string) {
	for _, k := range sorted(o) {
		if !slices.Contains(read, k) {
			r.ignore("%s%s", path, k)
		}
	}
}

// list is a value as a list of texts: a list, or a text split at commas.
func list(v any) []string {
	var out []string
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			out = append(out, fmt.Sprint(e))
		}
	case string:
		for w := range strings.SplitSeq(v, ",") {
			if w = strings.TrimSpace(w); w != "" {
				out = append(out, w)
			}
		}
	}
	return out
}

// yamlDocuments reads all documents of a YAML file.
func yamlDocuments(text string) (any, error) {
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
		all = append(all, doc)
	}
}
