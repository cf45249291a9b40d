package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
)

func newPresets(env *Env) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "presets [NAME]",
		Short: "List the presets, or show one",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("%d names, at most one may stand there", len(args))
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(presets.IDs(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			list := presets.All()
			if len(args) == 1 {
				p, ok := presets.Get(args[0])
				if !ok {
					return usage("%q is no preset; there are %s", args[0], strings.Join(presets.IDs(), ", "))
				}
				list = []presets.Preset{p}
			}
			if asJSON {
				return written(presetsJSON(env.Stdout, list))
			}
			if len(args) == 1 {
				return written(showPreset(env.Stdout, &list[0]))
			}
			return written(listPresets(env.Stdout, list))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	return c
}

type presetJSON struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Source string `json:"source"`
	Notes  string `json:"notes"`
	Policy string `json:"policy"`
}

func presetsJSON(w io.Writer, list []presets.Preset) error {
	out := make([]presetJSON, 0, len(list))
	for _, p := range list {
		out = append(out, presetJSON{p.ID, p.Name, p.Source, p.Notes, p.Policy.String()})
	}
	b, err := json.MarshalIndent(out, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", b)
	}
	return err
}

func listPresets(w io.Writer, list []presets.Preset) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range list {
		fmt.Fprintf(tw, "%s\t%s\t%s\t(%s)\n", p.ID, windows(&p.Policy), p.Name, p.Source)
	}
	return tw.Flush()
}

func showPreset(w io.Writer, p *presets.Preset) error {
	_, err := fmt.Fprintf(w, "%s: %s\n\n  %s\n\n  own waits    %s\n  retried      %s\n  methods      %s\n  Retry-After  %s, ceiling %s\n  source       %s\n\n%s\n",
		p.ID, p.Name, p.Policy.String(), windows(&p.Policy), p.Policy.RetryOn, p.Policy.Methods,
		p.Policy.RetryAfter, engine.FormatDuration(p.Policy.Ceiling), p.Source, p.Notes)
	return err
}

// windows is the row of own waits, up to the fifth.
func windows(p *engine.Policy) string {
	var parts []string
	for retry := 1; retry < min(p.Attempts, 6); retry++ {
		lo, hi := p.Bounds(retry)
		part := engine.FormatDuration(hi)
		if lo != hi {
			part = engine.FormatDuration(lo) + "–" + part
		}
		parts = append(parts, part)
	}
	if p.Attempts > 6 {
		parts = append(parts, "…")
	}
	if len(parts) == 0 {
		return "no retries"
	}
	return strings.Join(parts, " → ")
}
