package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
	"github.com/retryscope/retryscope/ui"
)

// helpWidth is the widest that a help is set.
const helpWidth = 100

// flagGroup is a heading and the flags under it.
type flagGroup struct {
	title string
	names []string
}

// flagGroups are the flags of a help text under their headings; a flag that is in none stands under the last.
var flagGroups = []flagGroup{
	{"What runs", []string{"fail", "outage", "script", "deadline", "draws", "seed", "against", "addr"}},
	{"The policy: a knob's own flag goes on top of --policy (D is like 200ms or 2m)", append([]string{"policy"}, knobNames()...)},
	{"The request", []string{"method", "data", "header", "idempotency-key", "body-once", "max-sends", "send"}},
	{"A scripted run, in virtual time", []string{"draw", "cancel-at", "sign-out-at", "now", "realtime"}},
	{"Output", nil},
}

// fleetGroups are those of fleet, where some names mean something else.
var fleetGroups = []flagGroup{
	{"What runs", []string{"policy", "scenario", "outage", "seeds", "seed", "over"}},
	{"Who calls (D is like 200ms or 2m)", []string{"load", "clients", "stagger", "rate", "think", "latency", "layers", "method"}},
	{"The server", []string{"capacity", "burst", "workers", "service", "law", "queue", "order", "drop-expired", "cancel", "refusal-cost", "refusal", "retry-after", "retry-after-law", "fail", "faults"}},
	{"What holds clients back", []string{"budget", "budget-shared", "throttle", "throttle-shared"}},
	{"Output", nil},
}

// groupsOf are the groups of a command's flags.
func groupsOf(c *cobra.Command) []flagGroup {
	if c.Name() == "fleet" || c.HasParent() && c.Parent().Name() == "fleet" {
		return fleetGroups
	}
	return flagGroups
}

// set is the group's share of a command's flags; the last group takes what no other has.
func (g *flagGroup) set(of *pflag.FlagSet, all []flagGroup) *pflag.FlagSet {
	last := g == &all[len(all)-1]
	out := pflag.NewFlagSet("", pflag.ContinueOnError)
	out.SortFlags = false
	of.VisitAll(func(f *pflag.Flag) {
		if slices.Contains(g.names, f.Name) || last && !slices.ContainsFunc(all, func(g flagGroup) bool { return slices.Contains(g.names, f.Name) }) {
			out.AddFlag(f)
		}
	})
	return out
}

func knobNames() []string {
	out := make([]string, 0, len(knobFlags))
	for _, k := range knobs() {
		out = append(out, k.name)
	}
	return out
}

// usageText is the part of the help below the description.
func usageText(c *cobra.Command, width int) error {
	if !c.Runnable() { // a topic
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", c.UseLine())
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND\n", c.CommandPath())
	}
	if c.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	listCommands(&b, c)
	c.InitDefaultHelpFlag()
	groups := groupsOf(c)
	for i := range groups {
		group := &groups[i]
		set := group.set(c.Flags(), groups)
		if set.HasFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", group.title, set.FlagUsagesWrapped(width))
		}
		if set.Lookup("policy") != nil {
			b.WriteString("  Where nothing is given:\n" + indented(engine.Default().String(), width))
		}
	}
	_, err := fmt.Fprint(c.OutOrStderr(), b.String())
	return err
}

// listCommands are the commands and topics under one.
func listCommands(b *strings.Builder, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	b.WriteString("\nCommands (COMMAND --help tells more):\n")
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.Name() == "help" {
			fmt.Fprintf(b, "  %-12s%s\n", sub.Name(), sub.Short)
		}
	}
	if c.HasParent() {
		return // topics are the program's
	}
	b.WriteString("\nTopics (help TOPIC):\n")
	for _, sub := range c.Commands() {
		if sub.IsAdditionalHelpTopicCommand() {
			fmt.Fprintf(b, "  %-12s%s\n", sub.Name(), sub.Short)
		}
	}
}

// indented breaks a text between words into lines of a width.
func indented(s string, width int) string {
	const indent = "      "
	var b strings.Builder
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && len(indent+line)+1+len(word) > width {
			b.WriteString(indent + line + "\n")
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return b.String() + indent + line + "\n"
}

// newCompletion writes a shell's completion.
func newCompletion(env *Env) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion of a shell: " + strings.Join(shells, ", "),
		Long: `completion prints what makes a shell complete commands, flags and their values.

  bash        source <(retryscope completion bash)
  zsh         retryscope completion zsh >"${fpath[1]}/_retryscope"
  fish        retryscope completion fish >~/.config/fish/completions/retryscope.fish
  powershell  retryscope completion powershell | Out-String | Invoke-Expression

That of bash needs the package bash-completion, version 2, to be installed.`,
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("completion: name one shell: %s", strings.Join(shells, ", "))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return written(c.Root().GenBashCompletionV2(env.Stdout, true))
			case "zsh":
				return written(c.Root().GenZshCompletion(env.Stdout))
			case "fish":
				return written(c.Root().GenFishCompletion(env.Stdout, true))
			case "powershell":
				return written(c.Root().GenPowerShellCompletionWithDesc(env.Stdout))
			default:
				return usage("completion %q: there are %s", args[0], strings.Join(shells, ", "))
			}
		},
	}
}

// completeFlags tells the shells what may stand after each flag, in a command and those under it.
func completeFlags(c *cobra.Command) { offerValues(c, fixedValues()) }

// fixedValues are what may stand after flags, by their names.
func fixedValues() map[string][]string {
	fixed := map[string][]string{"method": {"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}}
	for _, k := range knobs() {
		fixed[k.name] = k.values
	}
	for t := ui.ThemeAuto; t <= ui.ThemeMono; t++ {
		fixed["theme"] = append(fixed["theme"], t.String())
	}
	return fixed
}

func offerValues(c *cobra.Command, fixed map[string][]string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		values, ok := fixed[f.Name]
		offer := cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
		switch {
		case f.Name == "policy", f.Name == "against":
			offer = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return append(presets.IDs(), savedPolicies()...), cobra.ShellCompDirectiveDefault
			}
		case !ok:
			return
		}
		// It fails for a flag that is not there or was told of before, and this is neither.
		_ = c.RegisterFlagCompletionFunc(f.Name, offer)
	})
	for _, sub := range c.Commands() {
		offerValues(sub, fixed)
	}
}
