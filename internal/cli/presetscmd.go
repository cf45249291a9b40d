package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lint"
	"github.com/retryscope/retryscope/presets"
	"github.com/retryscope/retryscope/ui"
)

func newPresets(env *Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "presets [NAME, POLICY or /TEXT]",
		Short: "List the presets, or show one, or any policy, with its waits and worst case",
		Long: `presets lists those there are, with their first waits, and the clients that were looked at and have none. A name, or
any policy, is shown whole. /TEXT lists those with TEXT in their name, library or ecosystem; one alone is shown whole.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%d names, at most one may stand there", len(args))
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(presets.IDs(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, missing, err := wantedPresets(cmd.Context(), args)
			switch {
			case err != nil:
				return &usageError{err}
			case asJSON:
				return written(presetsJSON(env.Stdout, list))
			case len(list) == 1 && len(args) == 1 && len(missing) == 0:
				return written(showPreset(env.Stdout, &list[0]))
			}
			return written(listPresets(env.Stdout, list, missing))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return c
}

// wantedPresets are those that the arguments name or look for, all of them for none, and what was left out of these.
func wantedPresets(ctx context.Context, args []string) ([]presets.Preset, []presets.Missing, error) {
	if len(args) == 0 {
		return presets.All(), presets.LeftOut(), nil
	}
	if text, ok := searched(args[0]); ok {
		list, missing := presets.Find(text)
		if len(list)+len(missing) == 0 {
			return nil, nil, &presets.UnknownError{ID: text}
		}
		return list, missing, nil
	}
	p, err := presetOf(ctx, args[0])
	return []presets.Preset{p}, nil, err
}

// searched is the text that an argument looks for: /azcore. A file in the root directory is a file all the same.
func searched(arg string) (string, bool) {
	text, ok := strings.CutPrefix(arg, "/")
	if !ok || strings.ContainsAny(text, `/\=`) || strings.HasSuffix(text, ".toml") {
		return "", false
	}
	_, err := os.Stat(arg)
	return text, err != nil || text == ""
}

// presetOf is the preset of a name, or the policy of a text, of a file, or of a saved name, as if it were one.
func presetOf(ctx context.Context, arg string) (presets.Preset, error) {
	if p, ok := presets.Get(arg); ok {
		return p, nil
	}
	if _, ok := policyPath(arg); strings.TrimSpace(arg) == "" || !ok && !isPolicyText(arg) {
		return presets.Preset{}, &presets.UnknownError{ID: arg}
	}
	p, base, name, err := loadPolicy(ctx, arg)
	return presets.Preset{ID: p.Short(name, base), Name: "a policy of your own", Policy: p}, err
}

type presetJSON struct {
	ID        string   `json:"id"`
	Name      string   `json:"name"`
	Ecosystem string   `json:"ecosystem"`
	Library   string   `json:"library"`
	Version   string   `json:"version"`
	Source    string   `json:"source"`
	Checked   string   `json:"checked"`
	Notes     string   `json:"notes"`
	CannotSay []string `json:"cannot_say"`
	Findings  []string `json:"findings"`
	Windows   string   `json:"windows"`
	Throttled string   `json:"throttled_windows,omitempty"`
	Policy    string   `json:"policy"`
}

func presetsJSON(w io.Writer, list []presets.Preset) error {
	out := make([]presetJSON, 0, len(list))
	for i := range list {
		p := &list[i]
		out = append(out, presetJSON{
			ID: p.ID, Name: p.Name, Ecosystem: p.Ecosystem, Library: p.Library, Version: p.Version, Source: p.Source, Checked: p.Evidence(),
			Notes: p.Notes, CannotSay: append([]string{}, p.CannotSay...), Findings: findingIDs(&p.Policy), Windows: windows(&p.Policy), Throttled: throttledWindows(&p.Policy), Policy: p.Policy.String(),
		})
	}
	b, err := json.MarshalIndent(out, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", b)
	}
	return err
}

// listPresets is the list by ecosystem, aligned over all of it, each line below listWidth columns, and then who is left out.
func listPresets(w io.Writer, list []presets.Preset, missing []presets.Missing) error {
	const listed, digits = 3, 3 // presets NAME shows more
	ids, waits := 0, 0
	for i := range list {
		ids = max(ids, utf8.RuneCountInString(list[i].ID))
		waits = max(waits, utf8.RuneCountInString(windowRow(&list[i].Policy, listed, digits)))
	}
	var b strings.Builder
	group := ""
	for i := range list {
		p := &list[i]
		if p.Ecosystem != group {
			if group != "" {
				b.WriteString("\n")
			}
			group = p.Ecosystem
			b.WriteString(group + "\n")
		}
		line := fmt.Sprintf("  %-*s  %-*s  ", ids, p.ID, waits, windowRow(&p.Policy, listed, digits))
		b.WriteString(line + cut(p.Name, listWidth-utf8.RuneCountInString(line)) + "\n")
	}
	if len(missing) > 0 {
		if len(list) > 0 {
			b.WriteString("\n")
		}
		b.WriteString(leftOutTitle + "\n")
	}
	for _, m := range missing {
		for i, line := range folded(m.Client+": "+m.Why, listWidth-4) {
			b.WriteString([]string{"  ", "    "}[min(i, 1)] + line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// leftOutTitle stands above the clients that were looked at and have no preset.
const leftOutTitle = "Left out, and why"

// listWidth is what most terminals have.
const listWidth = 100

// cut is s in at most n columns.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:max(n-1, 0)]) + "…"
}

func showPreset(w io.Writer, p *presets.Preset) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n  %s\n\n", p.ID, p.Name, p.Policy.String())
	row := func(name, text string) {
		for i, line := range folded(text, listWidth-15) {
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(&b, "  %-13s%s\n", name, line)
		}
	}
	row("own waits", windows(&p.Policy))
	if throttled := throttledWindows(&p.Policy); throttled != "" {
		row("after a 429", throttled)
	}
	row("retried", strings.ReplaceAll(p.Policy.RetryOn.String(), ",", ", "))
	row("methods", strings.ReplaceAll(p.Policy.Methods, ",", ", "))
	row("Retry-After", retryAfterWords(&p.Policy))
	cost := ui.CostOf(&p.Policy, p.Policy.Safety("GET", false), engine.BodyNone)
	row("worst case", cost.WorstCase())
	row("findings", findingsWords(&p.Policy))
	if p.Source == "" { // the caller's own
		_, err := io.WriteString(w, b.String())
		return err
	}
	row("client", p.Library+" "+p.Version+" ("+p.Ecosystem+")")
	row("source", p.Source+" ("+p.Evidence()+")")
	b.WriteString("\n")
	for _, line := range folded(p.Notes, listWidth) {
		b.WriteString(line + "\n")
	}
	if len(p.CannotSay) > 0 {
		b.WriteString("\nwhat this policy cannot say of it\n")
		for _, say := range p.CannotSay {
			for i, line := range folded(say, listWidth-4) {
				b.WriteString([]string{"  - ", "    "}[min(i, 1)] + line + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// findingIDs are the ids of what lint finds.
func findingIDs(p *engine.Policy) []string {
	ids := []string{}
	for _, f := range lint.Check(*p, lint.Context{}) {
		ids = append(ids, f.ID)
	}
	return ids
}

func findingsWords(p *engine.Policy) string {
	ids := findingIDs(p)
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

// retryAfterWords is the rule for a server's wait, with what else may ask for one and the longest that is taken.
func retryAfterWords(p *engine.Policy) string {
	text := p.RetryAfter.String()
	if p.RetryAfter.Mode == engine.RetryAfterIgnore {
		return text
	}
	for _, knob := range []struct{ name, is, words string }{{"retry-after-on", "any", ", on "}, {"required-on", "none", ", required on "}} {
		if v, _ := p.Get(knob.name); v != knob.is {
			text += knob.words + strings.ReplaceAll(v, ",", ", ")
		}
	}
	if p.Reads != 0 {
		text += ", reads " + strings.ReplaceAll(p.Reads.String(), ",", ", ")
	}
	if hints := p.Hints.String(); hints != "none" {
		text += ", after " + strings.ReplaceAll(hints, ",", ", ")
	}
	if p.Ceiling == engine.NoCeiling {
		return text + ", no ceiling"
	}
	text += ", ceiling " + engine.FormatDuration(p.Ceiling)
	switch p.OverCeiling {
	case engine.OverDefer:
	case engine.OverCut:
		text += " (cut)"
	case engine.OverOwn:
		text += " (else the own wait)"
	}
	return text
}

// folded is text in lines of at most n columns, broken between words; a word that is longer stands alone.
func folded(text string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > n {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// windows is the row of own waits, up to the fifth.
func windows(p *engine.Policy) string { return windowRow(p, 5, 5) }

// throttledWindows is the row of own waits after a 429; "" where they are the same.
func throttledWindows(p *engine.Policy) string {
	if p.ThrottleBase == 0 || p.ThrottleBase == p.Base || p.Attempts == 1 || !p.RetryOn.Statuses.Has(http.StatusTooManyRequests) {
		return ""
	}
	q := *p
	q.Base = p.ThrottleBase
	return windows(&q)
}

// windowRow is the row of own waits, up to the n-th, in so many digits: 0–1s → 0–2s → 0–4s. Those after a 429 may be
// others.
func windowRow(p *engine.Policy, n, digits int) string {
	own := p.Backoff
	own.ThrottleBase = 0
	var parts []string
	for retry := 1; retry < p.Attempts && retry <= n; retry++ {
		lo, hi := own.Bounds(retry)
		parts = append(parts, waitRange(shortWait(lo, digits), shortWait(hi, digits)))
	}
	if p.Attempts-1 > n {
		parts = append(parts, "…")
	}
	if len(parts) == 0 {
		return "no retries"
	}
	return strings.Join(parts, " → ")
}

// waitRange is two waits as one reads them: a unit that both have is written once, and that of nothing not at all.
func waitRange(lo, hi string) string {
	const figures = "0123456789."
	if lo == hi {
		return hi
	}
	unit := strings.TrimLeft(lo, figures)
	if lo == "0s" || unit == strings.TrimLeft(hi, figures) && !strings.ContainsAny(unit, figures) {
		lo = strings.TrimSuffix(lo, unit)
	}
	return lo + "–" + hi
}

// shortWait is a wait in so many digits: a bound like 1.384921743s is not read to its end.
func shortWait(d time.Duration, digits int) string {
	limit := time.Duration(1)
	for range digits {
		limit *= 10
	}
	unit := time.Nanosecond
	for d/unit >= limit && d < engine.Forever/10 {
		unit *= 10
	}
	return engine.FormatDuration(d.Round(unit))
}
