package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
)

// lintFlags are those of lint, as they were given.
type lintFlags struct {
	asJSON, keyed   bool
	failOn, explain text
	under           texts
}

func newLint(env *Env) *cobra.Command {
	f := &lintFlags{failOn: text{value: "error", word: "SEVERITY"}, explain: text{word: "ID"}, under: texts{word: "P"}}
	c := &cobra.Command{
		Use:   "lint POLICY...",
		Short: "Say what is wrong with policies",
		Long: `lint judges policies (presets, saved ones, TOML files, - for standard input, or texts like
'carom attempts=6') without running them. Each finding has an id, the figures of that policy, and a change that mends it.
The gravest stand first; the two that nearly every policy has stand last, in a line each.

--json prints one array, [] where nothing is found, with an object a finding:
policy (its name), id, severity (note, warning, error), says, change (name=value words).

Exit status: 0 nothing at or above --fail-on, 1 something, 2 bad input.`,
		Example: `  retryscope lint policies/*.toml --fail-on warning
  retryscope lint 'attempts=unlimited jitter=none'
  retryscope import grpc service_config.json | retryscope lint -
  retryscope lint default --under 'attempts=3'
  retryscope lint --explain no-jitter`,
		ValidArgsFunction: completePolicies,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.explain.value != "" {
				if f.asJSON {
					return usage("--json: --explain prints Markdown alone")
				}
				return explainRule(env.Stdout, f.explain.value, args)
			}
			return runLint(&input{ctx: cmd.Context(), stdin: env.Stdin}, env, f, args)
		},
	}
	s := c.Flags()
	s.SortFlags = false
	s.Var(&f.failOn, "fail-on", "exit 1 on findings from this on: note, warning, error or never")
	s.Var(&f.under, "under", "a policy that retries around each of them; may be given again, the outermost first")
	s.BoolVar(&f.keyed, "keyed", false, "every request carries an idempotency key")
	s.Var(&f.explain, "explain", "say what a finding is about, or 'all'")
	s.BoolVar(&f.asJSON, "json", false, "print one JSON array")
	return c
}

func completePolicies(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return append(presets.IDs(), savedPolicies()...), cobra.ShellCompDirectiveDefault
}

// explainRule prints what a rule is about.
func explainRule(w io.Writer, id string, args []string) error {
	if len(args) > 0 {
		return usage("--explain: it explains a finding and judges no policy: %q", args)
	}
	out := lint.Document()
	if id != "all" {
		r, ok := lint.RuleOf(id)
		if !ok {
			return usage("--explain %q: no such finding; there are %s", id, strings.Join(lint.IDs(), ", "))
		}
		out = r.Explain()
	}
	_, err := io.WriteString(w, out)
	return written(err)
}

// judged is a policy with what was found.
type judged struct {
	name     string
	findings []lint.Finding
}

func runLint(in *input, env *Env, f *lintFlags, args []string) error {
	var bad faults
	if len(args) == 0 {
		bad.addf("lint: name a policy: a preset, a saved one, a file, - for standard input, or a text like 'carom attempts=6'")
	}
	failOn, ok := lint.ParseSeverity(f.failOn.value)
	if !ok && f.failOn.value != "never" {
		bad.addf("--fail-on %q: note, warning, error or never", f.failOn.value)
	}
	context := lint.Context{Keyed: f.keyed}
	for _, arg := range f.under.values {
		s, err := subject(in, "--under -", arg)
		bad.add(err)
		context.Under = append(context.Under, lint.Layer{Name: s.Name, Policy: s.Policy})
	}
	all := make([]judged, 0, len(args))
	for _, arg := range args {
		s, err := subject(in, "-", arg)
		bad.add(err)
		if err == nil {
			all = append(all, judged{s.Name, lint.Check(s.Policy, context)})
		}
	}
	if err := bad.err(); err != nil {
		return err
	}
	show := lintText
	if f.asJSON {
		show = lintJSON
	}
	if err := show(env.Stdout, all); err != nil {
		return written(err)
	}
	for i := range all {
		for _, finding := range all[i].findings {
			if ok && finding.Severity >= failOn {
				return exitError(ExitFailed)
			}
		}
	}
	return nil
}

// subject reads one policy, as --policy does, with the preset under it; - is standard input, which holds what a file does.
// As says where that stands.
func subject(in *input, as, arg string) (lint.Subject, error) {
	if strings.TrimSpace(arg) == "" {
		return lint.Subject{}, fmt.Errorf("policy %q: it is empty", arg)
	}
	if arg == "-" {
		return piped(in, as)
	}
	p, base, name, err := loadPolicy(in.ctx, arg)
	if err == nil {
		err = p.Validate()
	}
	if err != nil {
		return lint.Subject{}, err
	}
	s := lint.Subject{Name: p.Short(name, base), Policy: p}
	if preset, ok := presets.Get(name); ok && isPolicyText(arg) && preset.Policy == base {
		s.Preset = name
	}
	return s, nil
}

// piped reads the policy that standard input holds.
func piped(in *input, as string) (lint.Subject, error) {
	text, err := in.read(as, "-")
	if err != nil {
		return lint.Subject{}, fmt.Errorf("policy %s: %w", as, err)
	}
	if len(text) > maxPolicyFile {
		return lint.Subject{}, fmt.Errorf("policy %s: too large for a policy", as)
	}
	p, err := parsePolicy("standard input", []byte(text))
	if err == nil {
		err = p.Validate()
	}
	return lint.Subject{Name: "stdin", Policy: p}, err
}

type findingJSON struct {
	Policy   string `json:"policy"`
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Says     string `json:"says"`
	Change   string `json:"change"`
}

func lintJSON(w io.Writer, all []judged) error {
	out := []findingJSON{}
	for i := range all {
		for _, f := range all[i].findings {
			out = append(out, findingJSON{all[i].name, f.ID, f.Severity.String(), f.Says, f.Change})
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// lintText is a paragraph a policy and a few lines a finding.
func lintText(w io.Writer, all []judged) error {
	var b strings.Builder
	for i := range all {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s: %s\n", all[i].name, tally(all[i].findings))
		for _, f := range all[i].findings {
			if r, ok := lint.RuleOf(f.ID); ok && f.Common {
				fmt.Fprintf(&b, "  %-8s %s: %s (change: %s)\n", f.Severity, f.ID, r.Title, f.Change)
				continue
			}
			fmt.Fprintf(&b, "  %-8s %s\n", f.Severity, f.ID)
			for _, line := range folded(f.Says, listWidth-11) {
				fmt.Fprintf(&b, "%11s%s\n", "", line)
			}
			fmt.Fprintf(&b, "%11schange: %s\n", "", f.Change)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// tally counts the findings by severity.
func tally(all []lint.Finding) string {
	var parts []string
	for s := lint.Error; ; s-- {
		n := 0
		for _, f := range all {
			if f.Severity == s {
				n++
			}
		}
		switch {
		case n == 1:
			parts = append(parts, "1 "+s.String())
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, s))
		}
		if s == lint.Note {
			break
		}
	}
	if len(parts) == 0 {
		return "nothing found"
	}
	return strings.Join(parts, ", ")
}
