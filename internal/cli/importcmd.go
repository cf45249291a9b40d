package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/importer"
	"github.com/retryscope/retryscope/trace"
)

// tomlID is the format of policy files, which are read here: their errors name lines.
const tomlID = "toml"

func newImport(env *Env) *cobra.Command {
	var asTOML bool
	ids := append(importer.IDs(), tomlID)
	c := &cobra.Command{
		Use:   "import FORMAT FILE",
		Short: "Read a policy from the configuration of another client",
		Long: `import reads what another client is told of retries and prints it as a policy. What stands in
the file and not in the policy is named on standard error, a line each.

Formats:
` + importList(),
		Example:           "  retryscope import curl - <<<'curl --retry 5 --retry-delay 2 URL'\n  retryscope import grpc service_config.json --toml >policy.toml",
		Args:              oneFormat("import", ids, "FILE"),
		ValidArgsFunction: completeImport(ids),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := readImport(cmd.Context(), env, args[0], args[1])
			if err != nil {
				return err
			}
			for _, l := range r.Ignored {
				complain(env.Stderr, fmt.Errorf("not in the policy: %s", l))
			}
			out := "line"
			if asTOML {
				out = tomlID
			}
			format, _ := export.Get(out)
			_, err = format.Write(env.Stdout, r.Policy)
			return written(err)
		},
	}
	c.Flags().BoolVar(&asTOML, "toml", false, "print a policy file, for --policy and the screen")
	return c
}

// importList is the formats with what they are.
func importList() string {
	out := ""
	for _, f := range importer.Formats() {
		out += fmt.Sprintf("  %-19s%s\n", f.ID, f.Name)
	}
	return out + fmt.Sprintf("  %-19s%s", tomlID, "a policy file of retryscope's own")
}

func completeImport(ids []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return ids, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// readImport reads a file, or standard input where it is called -.
func readImport(ctx context.Context, env *Env, id, name string) (importer.Result, error) {
	open := func() (io.ReadCloser, error) { return os.Open(name) }
	if name == "-" {
		open = func() (io.ReadCloser, error) { return io.NopCloser(env.Stdin), nil }
	}
	if name == "" {
		return importer.Result{}, usage("import %s: the name of the file is empty; - is standard input", id)
	}
	data, err := slurp(ctx, maxPolicyFile, open)
	if errors.Is(err, errTooLong) {
		err = errors.New("too large for a policy")
	}
	var r importer.Result
	switch {
	case err != nil:
		err = bare(err)
	case id == tomlID:
		r.Policy, err = parsePolicyTOML(data)
	default:
		format, _ := importer.Get(id)
		r, err = format.Read(string(data))
	}
	if err != nil {
		return r, usage("%w", eachLine(id+" "+trace.Clean(name)+": ", err))
	}
	return r, nil
}

// eachLine puts a word before every error of those that were joined.
func eachLine(before string, err error) error {
	all := []error{err}
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		all = joined.Unwrap()
	}
	out := make([]error, 0, len(all))
	for _, e := range all {
		out = append(out, fmt.Errorf("%s%w", before, e))
	}
	return errors.Join(out...)
}
