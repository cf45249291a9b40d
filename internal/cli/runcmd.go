package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
	"github.com/retryscope/retryscope/ui"
)

func newRun(env *Env) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "run [URL]",
		Short: "Run once without the screen: print the timeline, or --json",
		Long: `run drives the engine once, against a script (in virtual time) or a live URL, and prints
the timeline, or one JSON event a line. A URL is sent to at once.

Exit status: 0 succeeded, 1 failed in the end, 2 bad input (nothing was sent), 3 deferred,
4 timed out, 129, 130, 143 hung up, cancelled, terminated.`,
		Example: `  retryscope run --script '503, 429 after=10, 200' --policy server-led --json
  retryscope run https://example.test/api --attempts 3 --timeout 20s`,
		Args: oneURL,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.plan(env, cmd, args)
			if err != nil {
				return err
			}
			return run(cmd.Context(), env, p, &f)
		},
	}
	f.common(c)
	f.scripted(c)
	c.Flags().BoolVar(&f.ascii, "ascii", false, "draw with ASCII only")
	return c
}

// run drives one operation and prints it. Events are printed as they come, so that a run that is killed has said what it did.
func run(ctx context.Context, env *Env, p *plan, f *flags) error {
	out := &printer{w: env.Stdout}
	progress := io.Discard
	if !f.asJSON && (p.live || f.realtime) {
		progress = env.Stderr
	}
	p.config.Observe = func(t *trace.Trace, e trace.Event) {
		if f.asJSON {
			out.event(t, e)
			return
		}
		tell(progress, t, e)
	}
	t, err := drive(ctx, p, f)
	if err != nil {
		return err
	}
	if !f.asJSON {
		out.text(env, t, f)
	}
	if out.err != nil {
		return failed(fmt.Errorf("standard output: %w", out.err))
	}
	return resultCode(t.Done)
}

// drive runs the plan on the clock it asks for.
func drive(ctx context.Context, p *plan, f *flags) (*trace.Trace, error) {
	switch {
	case p.live:
		l, err := lab.NewLive(lab.LiveConfig{Config: p.config})
		if err != nil {
			return nil, &usageError{err}
		}
		t, err := l.Run(ctx)
		if err != nil {
			return nil, failed(err)
		}
		return t, nil
	case f.realtime:
		return lab.ScriptedRealtime(ctx, p.config), nil
	default:
		return lab.Scripted(p.config), nil
	}
}

// printer writes the result and remembers the first error, after which it writes no more.
type printer struct {
	w   io.Writer
	err error
	buf []byte
}

func (p *printer) event(t *trace.Trace, e trace.Event) {
	p.buf = t.AppendJSON(p.buf[:0], e)
	p.write(p.buf)
}

func (p *printer) write(b []byte) {
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
}

func (p *printer) text(env *Env, t *trace.Trace, f *flags) {
	ascii := f.ascii || !utf8Locale(env.Getenv)
	p.write([]byte(ui.TimelineText(t, textWidth(env), ascii)))
}

// tell says on standard error what a run in real time is doing.
func tell(w io.Writer, t *trace.Trace, e trace.Event) {
	if w == io.Discard || e.Kind != trace.KindOutcome && e.Kind != trace.KindWait {
		return
	}
	a := &t.Attempts[len(t.Attempts)-1]
	switch e.Kind { //nolint:exhaustive // the other kinds are left out above
	case trace.KindOutcome:
		_, _ = fmt.Fprintf(w, "attempt %d: %s after %s\n", a.N, a.Outcome.Words(), engine.FormatDuration((a.End - a.Start).Round(1e6)))
	case trace.KindWait:
		_, _ = fmt.Fprintf(w, "waiting %s (%s)\n", engine.FormatDuration(a.Wait.For.Round(1e6)), a.Wait.Source)
	}
}

const (
	plainWidth = 100 // of a pipe, and of a terminal that does not say
	leastWidth = 40
)

// textWidth is the width of the terminal, or of COLUMNS, or one that suits a log.
func textWidth(env *Env) int {
	if n, err := strconv.Atoi(env.Getenv("COLUMNS")); err == nil && n >= leastWidth {
		return min(n, 400)
	}
	if f, ok := env.Stdout.(*os.File); ok && term.IsTerminal(f.Fd()) {
		if w, _, err := term.GetSize(f.Fd()); err == nil && w >= leastWidth {
			return w
		}
	}
	return plainWidth
}

// errNoTerminal says how to go on where there is no screen to open.
var errNoTerminal = errors.New("no terminal to open the screen in; 'retryscope run' does the same without one (see 'retryscope run --help')")
