package ui

import (
	"slices"
	"strings"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/importer"
	"github.com/retryscope/retryscope/presets"
)

// importLang is a language that a policy can be read from.
type importLang struct {
	id, name string
	read     func(text string) (importer.Result, error)
}

const tomlLang = "toml"

// importLangs are those of package importer, and our own policy files where they can be read.
func importLangs(toml func(string) (engine.Policy, error)) []importLang {
	formats := importer.Formats()
	out := make([]importLang, 0, len(formats)+1)
	for i := range formats {
		f := &formats[i]
		out = append(out, importLang{f.ID, f.Name, f.Read})
	}
	if toml == nil {
		return out
	}
	return append(out, importLang{tomlLang, "a policy file, as TOML", func(text string) (importer.Result, error) {
		p, err := toml(text)
		return importer.Result{Policy: p}, err
	}})
}

// looksImported tells whether a text that was pasted into a search is a policy: it has lines, or begins as one.
func looksImported(text string) bool {
	text = strings.TrimSpace(text)
	first, rest, _ := strings.Cut(text, " ")
	return strings.ContainsAny(text, "\r\n{") || stem(first) == "curl" && rest != "" || strings.Contains(first, "=")
}

// readAs reads a text in one language, or where that is below 0 in the first of those it looks like that makes a policy
// of it. Where none does, the error is that of the one it looks like most.
func readAs(langs []importLang, forced int, text string) (at int, r importer.Result, err error) {
	if forced >= 0 {
		r, err = langs[forced].read(text)
		return forced, r, err
	}
	at = -1
	for _, id := range looksLike(text) {
		i := slices.IndexFunc(langs, func(l importLang) bool { return l.id == id })
		if i < 0 {
			continue
		}
		got, wrong := langs[i].read(text)
		if wrong == nil {
			return i, got, nil
		}
		if at < 0 {
			at, err = i, wrong
		}
	}
	return at, importer.Result{}, err
}

// looksLike are the languages a text may be in, the likeliest first. A curl command line is told by its first word alone,
// for there is no text that curl would not take.
func looksLike(text string) []string {
	text = strings.TrimSpace(text)
	first, _, _ := strings.Cut(text, " ")
	switch {
	case stem(first) == "curl" || strings.HasPrefix(text, "--retry"):
		return []string{"curl"}
	case strings.HasPrefix(text, "{"):
		return []string{"grpc", "envoy", "istio", "resilience4j-yaml"}
	}
	if _, preset := presets.Get(first); preset || !strings.Contains(text, "\n") && strings.Contains(first, "=") {
		return []string{"line", tomlLang}
	}
	marks := []struct{ id, word string }{
		{"resilience4j-yaml", "resilience4j"},
		{"istio", "VirtualService"},
		{"envoy", "retry_policy"},
		{"grpc", "retryPolicy"},
		{"istio", "retries:"},
		{tomlLang, " = "},
		{"line", "="},
		{"envoy", ":"},
		{"resilience4j-yaml", ":"},
		{"istio", ":"},
		{"line", ""},
	}
	var out []string
	for _, m := range marks {
		if strings.Contains(text, m.word) && !slices.Contains(out, m.id) {
			out = append(out, m.id)
		}
	}
	return out
}
