// Package export writes a policy in the language of another client: code, configuration or a command line. What that
// language cannot say is never left out silently: each export knows the policy its output obeys, and every knob in which
// that policy differs from the one asked for is named.
package export

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/retryscope/retryscope/engine"
)

// Format is one language a policy can be written in.
type Format struct {
	// ID is what the command line calls it; Name is what it is, with the version it was written for.
	ID, Name string
	// File is a name for a file that holds an export.
	File string
	// Comment begins a line of comment in the language; "" where it has none (JSON) or where nothing is ever lost.
	Comment string

	fit  func(*draft)
	body func(*draft) string
}

// Result is an export.
type Result struct {
	// Text is the whole output; it begins with a line of comment for each of Lost.
	Text string
	// Lost is what the format cannot carry, a line each: "timeout=30s: written as none".
	Lost []string
	// Carried is the policy that the output obeys.
	Carried engine.Policy
}

// Formats are all formats, in the order of the list.
func Formats() []Format { return slices.Clone(formats) }

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

// Write writes the policy and returns what the output cannot carry, a line each. Its errors are those of the policy,
// which has to be valid, and of w.
func (f *Format) Write(w io.Writer, p engine.Policy) (lost []string, err error) {
	r, err := f.Export(p)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(w, r.Text)
	return r.Lost, err
}

// ours tells a format that has every knob, whatever new ones there are.
func (f *Format) ours() bool { return f.ID == "line" || f.ID == "toml" || f.ID == "go-retryscope" }

// Export is the policy in the format's language. Its error is that of a policy that is not valid.
func (f *Format) Export(p engine.Policy) (Result, error) {
	if err := p.Validate(); err != nil {
		return Result{}, err
	}
	d := &draft{want: plain(p), why: map[string]string{}}
	d.Policy = d.want
	for range 4 { // what has no effect any more may be plainer still
		was := d.Policy
		d.notes = nil
		if !f.ours() {
			d.drop(serverKnobs)
		}
		f.fit(d)
		if d.Policy = plain(d.Policy); d.Policy == was {
			break
		}
	}
	d.settle()
	var b strings.Builder
	if f.Comment != "" {
		fmt.Fprintf(&b, "%s %s\n", f.Comment, strings.TrimRight("A retry policy for "+f.Name+", written by retryscope:", ":")+".")
		for _, l := range d.lost {
			fmt.Fprintf(&b, "%s NOT CARRIED: %s\n", f.Comment, l)
		}
	}
	b.WriteString(f.body(d))
	return Result{Text: b.String(), Lost: d.lost, Carried: d.Policy}, nil
}

// formats are in the order of the list.
var formats = slices.Concat(
	[]Format{lineFormat, tomlFormat, goRetryscopeFormat, goStdFormat},
	goLibraryFormats,
	[]Format{curlFormat, grpcFormat, envoyFormat, istioFormat, resilienceYAMLFormat},
	[]Format{gotFormat, kyFormat, axiosFormat, pRetryFormat, urllib3Format, tenacityFormat},
	[]Format{resilienceFormat, springFormat, pollyFormat, backonFormat, temporalFormat, k6Format},
)
