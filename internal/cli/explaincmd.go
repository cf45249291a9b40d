package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/lint"
)

func newExplain(env *Env) *cobra.Command {
	against := text{word: "P"}
	c := &cobra.Command{
		Use:   "explain POLICY",
		Short: "Print a page about a policy, for a review",
		Long: `explain prints one page of Markdown about a policy (- is one on standard input): what is
retried and what not, the waits, the worst case, findings, its source where it is a preset,
and with --against what differs from another one and what that changes.`,
		Example: `  retryscope explain carom --against default >review.md
  retryscope explain ./policy.toml`,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return usage("explain: name one policy: a preset, a saved one, a file, - for standard input, or a text like 'carom attempts=6'")
			case 1:
			default:
				return usage("explain: one policy, and there are %d: %q", len(args), args)
			}
			return nil
		},
		ValidArgsFunction: completePolicies,
		RunE: func(cmd *cobra.Command, args []string) error {
			var bad faults
			in := &input{ctx: cmd.Context(), stdin: env.Stdin}
			s, err := subject(in, "-", args[0])
			bad.add(err)
			var old *lint.Subject
			if cmd.Flags().Changed("against") {
				o, err := subject(in, "--against -", against.value)
				bad.add(err)
				old = &o
			}
			if err := bad.err(); err != nil {
				return err
			}
			_, err = io.WriteString(env.Stdout, lint.Page(s, old, lint.Context{}))
			return written(err)
		},
	}
	c.Flags().Var(&against, "against", "the policy it is compared with")
	return c
}
