package cli

import (
	"net/http"
	"strings"
	"testing"
)

// One -H is one header, whatever is in it.
func TestHeaderLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, want string // the headers, or what is said
	}{
		{"A: b", "A=b"},
		{"A:b: c", "A=b: c"},
		{"A: b\n", "A=b"},
		{"A: b\nX: y", "more than one line"},
		{"A: b\r\nX: y", "more than one line"},
		{"A: b\rX: y", "more than one line"},
		{"Content-length: 5", "made from the body"},
		{"Trailer: X", "made from the body"},
		{"", "it is empty"},
		{"A", "no name before a colon"},
		{"A: \x00", "control characters"},
	} {
		var bad faults
		h := http.Header{}
		addHeaders(&input{ctx: t.Context()}, h, tt.in, &bad)
		got := ""
		for name, values := range h {
			got += name + "=" + strings.Join(values, "|")
		}
		if err := bad.err(); err != nil {
			got = err.Error()
		}
		if got != tt.want && (len(bad) == 0 || !strings.Contains(got, tt.want)) {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}
