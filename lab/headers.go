package lab

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/retryscope/retryscope/trace"
)

// allowed are the headers of an answer that a record keeps, sorted by name.
func allowed(h http.Header) []trace.Header {
	var out []trace.Header
	for name, values := range h {
		if trace.AllowedHeader(name) {
			for _, v := range values {
				out = append(out, trace.Header{Name: name, Value: clip(v, mostText)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b trace.Header) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
