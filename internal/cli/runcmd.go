package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
	"github.com/retryscope/retryscope/ui"
)

func newRun(env *Env) *cobra.Command {
	var f *flags
	c := &cobra.Command{
		Use:   "run [URL]",
		Short: "Run once without the screen: print the timeline, or --json",
		Long: `run drives the engine once, against a script (in virtual time) or a live URL,
and prints the timeline, or one JSON event a line. A URL is sent to at once.

Exit status: 0 succeeded, 1 failed in the end, 2 bad input (nothing was sent),
3 deferred, 4 timed out, 129 hung up, 130 cancelled, 131 quit, 143 terminated.`,
		Example: `  retryscope run --script '503, 429 after=10, 200' --policy server-led --json
  retryscope run https://example.test/api --attempts 3 --timeout 20s`,
		Args: oneURL,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := f.plan(&input{ctx: cmd.Context(), stdin: env.Stdin}, args)
			if err != nil {
				return err
			}
			return run(cmd.Context(), env, p, f)
		},
	}
	f = newFlags(c)
	f.common()
	f.run()
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
	t, err := drive(ctx, env, p, f)
	if err != nil {
		return err
	}
	if !f.asJSON {
		out.text(env, t, p, f)
	}
	if out.err != nil {
		return written(out.err)
	}
	return resultCode(t.Done)
}

// drive runs the plan on the clock it asks for.
func drive(ctx context.Context, env *Env, p *plan, f *flags) (*trace.Trace, error) {
	switch {
	case p.live:
		if _, held := lab.LivePolicy(p.config.Policy, &p.config.Request); held {
			_, _ = fmt.Fprintf(env.Stderr, "retryscope: %s is not idempotent: it is sent to a URL once unless --idempotency-key is given, whatever methods says\n", p.config.Request.Method)
		}
		l, err := lab.NewLive(lab.LiveConfig{Config: p.config, Base: env.Transport})
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
		return lab.ScriptedContext(ctx, p.config), nil
	}
}

// printer writes the result and remembers the first error, after which it writes no more.
type printer struct {
	w   io.Writer
	err error
	buf []byte
}

// Write is for what takes a writer.
func (p *printer) Write(b []byte) (int, error) {
	p.write(b)
	return len(b), p.err
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

// text prints what ran, the picture, and what was wrong in the end.
func (p *printer) text(env *Env, t *trace.Trace, pl *plan, f *flags) {
	ascii := f.ascii || !utf8Locale(env.Getenv)
	width := textWidth(env)
	var b strings.Builder
	row := func(label, text string) { fmt.Fprintf(&b, "%-8s %s\n", label, shorten(text, width-9, ascii)) }
	if pl.live {
		row(trace.Clean(t.Head.Method), t.Head.URL)
	} else {
		row("script", trace.Clean(t.Head.Source))
	}
	row("policy", t.Head.Policy.Short(pl.policyName, pl.policyBase))
	row("seed", strconv.FormatUint(t.Head.Seed, 10))
	b.WriteString("\n" + ui.TimelineText(t, width, ascii))
	if t.Done != nil && t.Done.Err != "" {
		fmt.Fprintf(&b, "\n%-8s %s\n", "error", trace.Clean(t.Done.Err))
	}
	for _, note := range notes(t) {
		fmt.Fprintf(&b, "%-8s %s\n", "note", note)
	}
	for _, words := range t.Broken {
		fmt.Fprintf(&b, "%-8s %s\n", "check", trace.Clean(words))
	}
	p.write([]byte(b.String()))
}

// notes are what a picture does not show: a wait that nobody could read, what was sent more often than it was attempted,
// and a body that was not read to its end.
func notes(t *trace.Trace) []string {
	var out []string
	var unread, again []int
	name, more := "", 0
	for i := range t.Attempts {
		a := &t.Attempts[i]
		if a.Ended && a.Outcome.Hint.State == engine.HintUnreadable {
			unread = append(unread, a.N)
			name = a.Outcome.Hint.From.Name()
		}
		if n := a.Detail.Resent; n > 0 {
			again = append(again, a.N)
			more += n
		}
	}
	if len(unread) > 0 {
		out = append(out, name+" of "+attemptList(unread)+" is unreadable: it counts as none")
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("net/http by itself sent %s again at once: %s than attempts", attemptList(again), moreSends(more)))
	}
	if a := t.Last(); a != nil && a.Detail.BodyCut {
		out = append(out, fmt.Sprintf("only the first %d bytes of the body were read: whether the rest comes whole was not seen", a.Detail.BodyBytes))
	}
	return out
}

// attemptList is "attempt 2", "attempts 2, 3 and 5", or of many how many they are.
func attemptList(numbers []int) string {
	const few = 5
	n := len(numbers)
	if n > few {
		return fmt.Sprintf("%d attempts", n)
	}
	words := make([]string, n)
	for i, number := range numbers {
		words[i] = strconv.Itoa(number)
	}
	if n == 1 {
		return "attempt " + words[0]
	}
	return "attempts " + strings.Join(words[:n-1], ", ") + " and " + words[n-1]
}

func moreSends(n int) string {
	if n == 1 {
		return "1 send more"
	}
	return fmt.Sprintf("%d sends more", n)
}

// shorten cuts a text to a width in cells and shows that it did.
func shorten(s string, width int, ascii bool) string {
	tail := "…"
	if ascii {
		tail = "~"
		s = asciiOnly(s)
	}
	return ansi.Truncate(s, width, tail)
}

// asciiOnly puts a question mark for what ASCII does not have.
func asciiOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if r > '~' {
			return '?'
		}
		return r
	}, s)
}

// tell says on standard error what a run in real time is doing.
func tell(w io.Writer, t *trace.Trace, e trace.Event) {
	if w == io.Discard || e.Kind != trace.KindOutcome && e.Kind != trace.KindWait {
		return
	}
	a := &t.Attempts[len(t.Attempts)-1]
	switch e.Kind { //nolint:exhaustive // the other kinds are left out above
	case trace.KindOutcome:
		again := ""
		if n := a.Detail.Resent; n > 0 {
			again = fmt.Sprintf(" (sent %d times, for net/http by itself sends again what a connection in use lost)", n+1)
		}
		_, _ = fmt.Fprintf(w, "attempt %d: %s after %s%s\n", a.N, a.Outcome.Words(), engine.FormatDuration((a.End - a.Start).Round(1e6)), again)
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
