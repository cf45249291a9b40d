package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/export"
)

func newExport(env *Env) *cobra.Command {
	var f *flags
	var strict bool
	c := &cobra.Command{
		Use:   "export FORMAT",
		Short: "Write the policy as code or configuration of another client",
		Long: `export writes the policy in the language of another client. What that cannot say is named at
the top of the output and on standard error, a line each; with --strict it is refused.

Formats:
` + formatList(),
		Example:           "  retryscope export go-std --policy carom >retry.go\n  retryscope export grpc --policy 'attempts=3 retry-on=503' --strict",
		Args:              oneFormat("export", export.IDs()),
		ValidArgsFunction: cobra.FixedCompletions(export.IDs(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			var bad faults
			p, _, _ := f.readPolicy(&input{ctx: cmd.Context(), stdin: env.Stdin}, &bad)
			if err := bad.err(); err != nil {
				return err
			}
			format, _ := export.Get(args[0])
			r, err := format.Export(p)
			if err != nil {
				return usage("%w", err)
			}
			lost := make([]error, 0, len(r.Lost))
			for _, l := range r.Lost {
				lost = append(lost, fmt.Errorf("%s cannot carry %s", format.ID, l))
			}
			if err := errors.Join(lost...); err != nil {
				if strict {
					return usage("%w", err)
				}
				complain(env.Stderr, err)
			}
			_, err = io.WriteString(env.Stdout, r.Text)
			return written(err)
		},
	}
	f = newFlags(c)
	f.words(wordFlag{&f.policy, "policy", "", "P", "start from a preset, a saved policy, a TOML file, or a text like 'carom attempts=6'"})
	f.policyFlags()
	c.Flags().BoolVar(&strict, "strict", false, "refuse (exit 2) what the format cannot carry whole")
	return c
}

// formatList is the formats with what they are.
func formatList() string {
	var b strings.Builder
	for _, f := range export.Formats() {
		fmt.Fprintf(&b, "  %-19s%s\n", f.ID, f.Name)
	}
	return strings.TrimRight(b.String(), "\n")
}

// isAre is a number of things with its verb.
func isAre(n int, noun string) string {
	switch n {
	case 0:
		return "is none"
	case 1:
		return "is 1 " + noun
	default:
		return fmt.Sprintf("are %d %ss", n, noun)
	}
}

// oneFormat takes the id of a format, and more arguments after it.
func oneFormat(command string, ids []string, more ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		want := strings.Join(append([]string{"FORMAT"}, more...), " ")
		switch {
		case len(args) == 0 || len(args) != 1+len(more):
			return usage("%s: %s should stand there, and there %s; formats are %s", command, want, isAre(len(args), "argument"), strings.Join(ids, ", "))
		case !slices.Contains(ids, args[0]):
			return usage("%s %q: formats are %s", command, args[0], strings.Join(ids, ", "))
		}
		return nil
	}
}
