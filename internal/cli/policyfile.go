package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/presets"
	"github.com/retryscope/retryscope/trace"
)

// maxPolicyFile bounds what is read of a policy file.
const maxPolicyFile = 1 << 20

// loadPolicy reads a policy from what --policy was given: the name of a preset or of a saved policy, a file, or the
// text of a policy. It returns also what the policy is called, and the policy that this name stands for by itself.
func loadPolicy(ctx context.Context, arg string) (p, base engine.Policy, name string, err error) {
	arg = strings.TrimSpace(arg)
	if isPolicyText(arg) {
		p, name, err = presets.Parse(strings.Join(strings.Fields(arg), " "))
		preset, _ := presets.Get(name)
		return p, preset.Policy, name, err
	}
	if path, ok := policyPath(arg); ok {
		p, err = readPolicy(ctx, path)
		return p, p, policyName(path), err
	}
	p = engine.Default()
	return p, p, "", fmt.Errorf("policy: %w, no saved policy, no file, and no name=value", &presets.UnknownError{ID: arg})
}

// isPolicyText tells a policy's text, which may begin with a preset, from the name of a file.
func isPolicyText(arg string) bool {
	first := firstWord(arg)
	_, preset := presets.Get(first)
	return preset || strings.Contains(first, "=") || first == ""
}

func firstWord(s string) string {
	for word := range strings.FieldsSeq(s) {
		return word
	}
	return ""
}

// policyPath finds the file an argument names: a path as it is, or a saved policy by its name.
func policyPath(arg string) (string, bool) {
	if info, err := os.Stat(arg); err == nil && !info.IsDir() {
		return arg, true
	}
	if strings.ContainsAny(arg, `/\`) || strings.HasSuffix(arg, ".toml") {
		return arg, true // reading it says what is wrong
	}
	saved := filepath.Join(policyDir(), arg+".toml")
	if _, err := os.Stat(saved); err == nil {
		return saved, true
	}
	if _, err := os.Stat(arg); err == nil {
		return arg, true // a directory: reading it says so
	}
	return "", false
}

// policyName is what a policy is called by its file; a name may hold anything, and is shown.
func policyName(path string) string {
	return trace.Clean(strings.TrimSuffix(filepath.Base(path), ".toml"))
}

// policyDir is where saved policies are.
func policyDir() string { return filepath.Join(xdg.ConfigHome, "retryscope", "policies") }

// savedPolicies are the names of the saved policies, sorted.
func savedPolicies() []string {
	entries, err := os.ReadDir(policyDir())
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".toml"); ok && !e.IsDir() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func readPolicy(ctx context.Context, path string) (engine.Policy, error) {
	data, err := readBounded(ctx, path)
	if err != nil {
		return engine.Default(), fmt.Errorf("policy file %s: %w", trace.Clean(path), bare(err))
	}
	return parsePolicy("policy file "+trace.Clean(path), data)
}

// parsePolicy reads what a file of a policy holds; where names it in errors, each of which is a line.
func parsePolicy(where string, data []byte) (engine.Policy, error) {
	p, err := parsePolicyTOML(data)
	if text, ok := oneLine(data); err != nil && ok {
		p, _, err = presets.Parse(text)
	}
	if err != nil {
		var lines []error
		for line := range strings.Lines(err.Error()) {
			lines = append(lines, fmt.Errorf("%s: %s", where, strings.TrimRight(line, "\n")))
		}
		return engine.Default(), errors.Join(lines...)
	}
	return p, nil
}

// oneLine is the text of a file that holds a policy as flags have it, which import and export print; no TOML has two words
// with = in a line, nor a preset's name before one.
func oneLine(data []byte) (string, bool) {
	words := strings.Fields(string(data))
	if len(words) == 0 || strings.ContainsAny(strings.TrimSpace(string(data)), "\r\n") || !isPolicyText(words[0]) {
		return "", false
	}
	for _, w := range words[1:] {
		if name, value, ok := strings.Cut(w, "="); !ok || name == "" || value == "" {
			return "", false // attempts= 5, or a comment after it
		}
	}
	return strings.Join(words, " "), true
}

// readBounded reads a file that may be a pipe, or have no end.
func readBounded(ctx context.Context, path string) ([]byte, error) {
	data, err := slurp(ctx, maxPolicyFile, func() (io.ReadCloser, error) { return os.Open(path) })
	if errors.Is(err, errTooLong) {
		err = errors.New("too large for a policy")
	}
	return data, err
}

var errNoKnob = errors.New("no knob in it; write for example attempts = 5")

// parsePolicyTOML reads a policy from TOML: the knobs by their names, on top of the preset that the key "preset" names.
func parsePolicyTOML(data []byte) (engine.Policy, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // some editors begin a text so
	var values map[string]any
	if err := toml.Unmarshal(data, &values); err != nil {
		var de *toml.DecodeError
		if errors.As(err, &de) {
			row, _ := de.Position()
			return engine.Default(), fmt.Errorf("line %d: %s", row, strings.TrimPrefix(de.Error(), "toml: "))
		}
		return engine.Default(), err
	}
	if len(values) == 0 {
		return engine.Default(), errNoKnob
	}
	lines := keyLines(data)
	p := engine.Default()
	var errs []error
	if name, ok := values["preset"]; ok {
		preset, found := presets.Get(fmt.Sprint(name))
		if !found {
			errs = append(errs, &engine.FieldError{Field: "preset", Value: fmt.Sprint(name), Allowed: strings.Join(presets.Near(fmt.Sprint(name)), ", ") + " or another that 'retryscope presets' lists", Line: lines["preset"]})
		}
		if found {
			p = preset.Policy
		}
		delete(values, "preset")
	}
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return lines[a] - lines[b] })
	for _, k := range keys {
		text, err := tomlText(values[k])
		if _, known := p.Get(k); err == nil || !known && k != "retries" {
			err = p.Set(k, text)
		}
		errs = append(errs, atLine(err, k, lines[k]))
	}
	if _, both := values["retries"]; both && values["attempts"] != nil {
		errs = append(errs, &engine.FieldError{Field: "retries", Allowed: "given beside attempts; one of them", Line: lines["retries"]})
	}
	if err := errors.Join(errs...); err != nil {
		return engine.Default(), err
	}
	if err := p.Validate(); err != nil {
		return engine.Default(), atLines(err, lines)
	}
	return p, nil
}

// atLines puts lines on the errors of fields that were joined.
func atLines(err error, lines map[string]int) error {
	all := []error{err}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		all = joined.Unwrap()
	}
	out := make([]error, 0, len(all))
	for _, e := range all {
		var fe *engine.FieldError
		if errors.As(e, &fe) {
			e = atLine(e, fe.Field, lines[fe.Field])
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}

// atLine puts a line on a field's error.
func atLine(err error, field string, line int) error {
	if err == nil {
		return nil
	}
	var fe *engine.FieldError
	if errors.As(err, &fe) {
		out := *fe
		out.Line = line
		return &out
	}
	return &engine.FieldError{Field: field, Allowed: err.Error(), Line: line}
}

var errTOMLType = errors.New("a string, a number, or a list of them")

// tomlText is a value as the text form has it; a list is joined by commas.
func tomlText(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case []any:
		parts := make([]string, 0, len(v))
		for _, e := range v {
			s, err := tomlText(e)
			if _, nested := e.([]any); err != nil || nested {
				return "", errTOMLType
			}
			parts = append(parts, s)
		}
		return strings.Join(parts, ","), nil
	default:
		return "", errTOMLType
	}
}

// keyLines are the lines of the keys at the top of a document that is known to be good.
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.KeyValue && e.Kind != unstable.Table {
			continue
		}
		if key := e.Key(); key.Next() {
			n := key.Node()
			if name := string(n.Data); lines[name] == 0 {
				lines[name] = p.Shape(n.Raw).Start.Line
			}
		}
	}
	return lines
}

// policyTOML is the file of a policy.
func policyTOML(p *engine.Policy) []byte { return []byte(export.TOML(p)) }
