// Package cli turns arguments into actions and errors into exit codes. It is the only package that touches files, the
// environment and the terminal.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/trace"
)

// Env is the world as it is handed in.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// Close ends Stdout once all is written: some file systems tell only then that there was no room. nil is no need to.
	Close func() error
	// Transport sends the requests of live runs; nil is a real one.
	Transport http.RoundTripper
}

// The exit codes.
const (
	ExitSucceeded  = 0
	ExitFailed     = 1
	ExitUsage      = 2
	ExitDeferred   = 3
	ExitTimedOut   = 4
	ExitHungUp     = 129
	ExitCancelled  = 130
	ExitQuit       = 131
	ExitTerminated = 143
)

// usageError is bad input: nothing was sent.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// exitError ends the program with a code and no further word.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// Main runs the program and returns its exit code.
func Main(ctx context.Context, env Env) int {
	log.SetOutput(io.Discard) // net/http tells it of what servers send, as they sent it
	ctx, caught, stop := watchSignals(ctx)
	defer stop()
	root := newRoot(&env)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	out := &printer{w: env.Stdout} // of the helps: cobra does not look whether they can be written
	root.SetOut(out)
	root.SetErr(env.Stderr)
	err := execute(ctx, root, env.Stderr)
	if code, ok := caught(); ok {
		return code
	}
	if err == nil || errors.Is(err, out.err) { // what cobra writes by itself, it returns as it is
		err = written(out.err)
	}
	var exit exitError
	if env.Close != nil && (err == nil || errors.As(err, &exit)) {
		if lost := written(env.Close()); lost != nil {
			err = lost
		}
	}
	return exitCode(env.Stderr, err)
}

// lastWords is how long a command may go on after its context ended. One that hangs in a write which nobody reads is
// left behind: a signal ends the program all the same.
const lastWords = 2 * time.Second

// execute runs the command, and takes a panic of it for a failure.
func execute(ctx context.Context, root *cobra.Command, stderr io.Writer) error {
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				_, _ = fmt.Fprintf(stderr, "retryscope: panic: %v\n%s", v, debug.Stack())
				ended <- exitError(ExitFailed)
			}
		}()
		ended <- root.ExecuteContext(ctx)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	late := time.NewTimer(lastWords)
	defer late.Stop()
	select {
	case err := <-ended:
		return err
	case <-late.C:
		return failed(context.Cause(ctx))
	}
}

// exitCode says what went wrong, once, and gives the code for it.
func exitCode(stderr io.Writer, err error) int {
	var exit exitError
	var bad *usageError
	switch {
	case err == nil:
		return ExitSucceeded
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &bad):
		complain(stderr, bad)
		return ExitUsage
	case errors.Is(err, errLost):
		complain(stderr, err)
		return ExitHungUp
	case errors.Is(err, errFailed):
		complain(stderr, err)
		return ExitFailed
	default: // what cobra says of arguments and flags
		complain(stderr, err)
		return ExitUsage
	}
}

// errFailed marks an error that is no fault of the arguments.
var errFailed = errors.New("failed")

func failed(err error) error { return fmt.Errorf("%w: %w", errFailed, err) }

// written is the error of writing the result, if there is one. A reader that has enough, like head, makes none: its signal ends
// the program without a word.
//
// An output that was closed before the start cannot be told from one that goes nowhere on purpose: the language's runtime
// opens the null device in its place before any of this program runs, for reading and writing, as Python and Node do for
// whoever wants no output.
func written(err error) error {
	if err != nil {
		return failed(fmt.Errorf("standard output: %w", err))
	}
	return nil
}

// complain prints an error, a line a fault. Arguments may hold anything: what looks like a secret is masked, and what
// could steer a terminal is cleaned.
//
// Input of any size may be wrong from end to end, so what is said of it has a limit.
func complain(w io.Writer, err error) {
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(err.Error(), errFailed.Error()+": ")) {
		if n++; n > mostFaults {
			continue
		}
		line = strings.TrimRight(line, "\n")
		if len(line) > longestFault {
			line = strings.ToValidUTF8(line[:longestFault], "") + "…"
		}
		_, _ = fmt.Fprintf(w, "retryscope: %s\n", trace.Clean(trace.RedactText(line)))
	}
	if n > mostFaults {
		_, _ = fmt.Fprintf(w, "retryscope: and %d more\n", n-mostFaults)
	}
}

// mostFaults is how many faults are told of, longestFault how many bytes of one.
const (
	mostFaults   = 50
	longestFault = 2000
)

// resultCode is the exit code of an ended operation.
func resultCode(d *trace.Done) error {
	if d == nil {
		return exitError(ExitFailed)
	}
	switch d.Result {
	case engine.ResultSucceeded:
		return nil
	case engine.ResultDeferred:
		return exitError(ExitDeferred)
	case engine.ResultTimedOut:
		return exitError(ExitTimedOut)
	case engine.ResultCancelled:
		return exitError(ExitCancelled)
	case engine.ResultFailed, engine.ResultEndless:
		return exitError(ExitFailed)
	default:
		return exitError(ExitFailed)
	}
}

func newRoot(env *Env) *cobra.Command {
	var f *flags
	root := &cobra.Command{
		Use:   "retryscope [URL]",
		Short: "A retry engine on a timeline you can tune",
		Long: `retryscope drives a real retry engine against a script or a live URL and draws its
attempts, jittered waits, Retry-After waits and cancellation on a timeline, while you
turn the policy's knobs. With no argument it opens on a built-in script.`,
		Example: `  retryscope
  retryscope --script '503 x2, 429 after=2, 200' --policy server-led
  retryscope https://example.test/api
  retryscope run --script '503, 200' --json`,
		Version:       version(),
		Args:          oneURL,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runScreen(cmd.Context(), env, f, args)
		},
	}
	f = newFlags(root)
	f.common()
	f.screen()
	root.SetVersionTemplate("retryscope {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(func(c *cobra.Command) error { return usageText(c, min(textWidth(env), helpWidth)) })
	root.SetHelpCommand(helpCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newRun(env), newServe(env), newPresets(env), newDist(env), newFleet(env), newExport(env), newImport(env), newLint(env), newExplain(env), newCompletion(env), newVersion(env))
	root.AddCommand(newTopics()...)
	completeFlags(root)
	return root
}

// oneURL takes no argument or one; a word that is none of the commands is taken for a URL and judged as one.
func oneURL(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage("%d arguments, and only one URL may stand there: %q", len(args), args)
	}
	return nil
}

func noArgs(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("%s takes no argument: %q", c.Name(), args)
	}
	return nil
}

// flagError says what is wrong with a flag itself. A name that other clients give a knob is answered with ours.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		var p engine.Policy
		var fe *engine.FieldError
		name := unknown.GetSpecifiedName()
		if errors.As(p.Set(name, ""), &fe) && strings.HasPrefix(fe.Allowed, "here ") {
			return usage("--%s: %s", name, fe.Allowed)
		}
	case errors.As(err, &value): // only a flag that is there or not is judged so early
		return usage("--%s %q: true or false", value.GetFlag().Name, value.GetValue())
	}
	return usage("%w; '%s --help' lists them", err, c.CommandPath())
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND or TOPIC]",
		Short: "Help about a command, or a topic: script, policy, events, figures, scenarios",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			if err != nil || target == nil || len(rest) > 0 {
				return usage("no such command: %q", strings.Join(args, " "))
			}
			return target.Help()
		},
	}
}

func newVersion(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(env.Stdout, "retryscope %s\n", version())
			return written(err)
		},
	}
}

// version is what the build says of itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" {
		v = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			v += " " + s.Value[:12]
		}
	}
	return v + " " + info.GoVersion
}
