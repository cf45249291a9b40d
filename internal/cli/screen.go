package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/ui"
)

// framesPerSecond is how often the library's renderer may draw: it wakes that often even when nothing changes.
const framesPerSecond = 30

// runScreen opens the screen. Everything was read and checked before the terminal is touched.
func runScreen(ctx context.Context, env *Env, f *flags, args []string) error {
	p, err := f.plan(&input{ctx: ctx, stdin: env.Stdin}, args)
	theme, ok := ui.ParseTheme(f.theme.value)
	if !ok {
		err = &usageError{errors.Join(err, fmt.Errorf("--theme %q: auto, dark, light or mono", f.theme.value))}
	}
	if err != nil {
		return err
	}
	in, inOK := terminal(env.Stdin)
	out, outOK := terminal(env.Stdout)
	if !inOK || !outOK {
		return &usageError{errNoTerminal}
	}
	if env.Getenv("TERM") == "dumb" {
		return usage("TERM=dumb cannot show the screen; 'retryscope run' does the same without one")
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	opts := screenOptions(p)
	profile := screenProfile(out, env.Getenv)
	opts.ASCII = f.ascii || !utf8Locale(env.Getenv)
	opts.Theme, opts.Profile = theme, uiProfile(profile)
	opts.Ask = theme == ui.ThemeAuto && opts.Profile != ui.ProfileNone
	opts.Live = newLiveScreen(ctx, env, p, stop)
	opts.Scripted, opts.SendAtOnce = !p.live, f.send
	asked := 0
	if opts.Ask {
		asked++
	}
	return show(ctx, newGuard(ui.New(opts), stop, asked), &keyboard{File: in, stop: stop}, out, profile)
}

// patience is how long the screen may take to end by itself.
const patience = 2 * time.Second

// show shows a model until it ends or ctx does, and leaves the terminal as it was.
func show(ctx context.Context, g *guard, in *keyboard, out *os.File, profile colorprofile.Profile) error {
	shown, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	p := tea.NewProgram(g, tea.WithContext(shown), tea.WithInput(in), tea.WithOutput(out),
		tea.WithFPS(framesPerSecond), tea.WithColorProfile(profile), tea.WithoutSignalHandler())
	defer context.AfterFunc(ctx, func() {
		g.listen()
		time.AfterFunc(patience, kill)
		p.Quit() // a program that is killed closes its input while it is still read
	})()
	_, err := p.Run()
	return screenError(ctx, err)
}

// errLost says that the terminal went away, and no signal told of it.
var errLost = errors.New("the terminal is gone")

// screenError is how the screen ended. A panic of ours that was caught elsewhere comes out with its stack.
func screenError(ctx context.Context, err error) error {
	var panicked *engine.PanicError
	switch cause := context.Cause(ctx); {
	case errors.As(cause, &panicked):
		return failed(cause)
	case errors.Is(cause, errLost):
		return cause
	case err == nil || ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) && !errors.Is(err, tea.ErrProgramPanic):
		return nil
	case errors.Is(err, tea.ErrInterrupted):
		return exitError(ExitCancelled)
	default:
		return failed(err)
	}
}

func screenOptions(p *plan) ui.Options {
	c := &p.config
	o := ui.Options{
		Script: p.scriptText, Policy: c.Policy, PolicyName: p.policyName, Base: p.policyBase,
		Request: c.Request, Seed: c.Seed, Draw: c.Draw, Wall: c.Wall,
		CancelAt: c.CancelAt, SignOutAt: c.SignOutAt,
		Run:     lab.Scripted,
		Save:    func(name string, q engine.Policy, over bool) (string, error) { return savePolicy(name, &q, over) },
		Open:    openPolicy,
		List:    func() ([]string, error) { return savedPolicies(), nil },
		SaveRun: saveRun, SaveText: saveText, Read: readForeign,
		TOML: func(text string) (engine.Policy, error) { return parsePolicyTOML([]byte(text)) },
		Copy: copyFile,
	}
	if p.live {
		o.Script = BuiltInScript // what e goes to
	}
	return o
}

// saveText writes an export under a path, whole or not at all, under the conditions of savePolicy.
func saveText(name, text string, over bool) (string, error) {
	name, err := expandHome(name)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return "", fileError(name, err)
	}
	return path, writeWhole(path, []byte(text), over)
}

// readForeign reads the file of another client for the screen, which cannot wait for what is no regular file.
func readForeign(name string) (string, error) {
	path, err := expandHome(name)
	if err != nil {
		return "", err
	}
	if err := regular(path); err != nil {
		return "", err
	}
	data, err := readBounded(context.Background(), path)
	return string(data), fileError(path, err)
}

// regular refuses what is no regular file.
func regular(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fileError(path, err)
	case info.IsDir():
		return fileError(path, errDirectory)
	case !info.Mode().IsRegular():
		return fileError(path, errNotRegular)
	}
	return nil
}

// openPolicy reads a policy for the screen, which cannot wait for what is no regular file.
func openPolicy(name string) (engine.Policy, error) {
	name, err := expandHome(name)
	if err != nil {
		return engine.Default(), err
	}
	if path, ok := policyPath(name); ok && !isPolicyText(name) {
		if err := regular(path); err != nil {
			return engine.Default(), err
		}
	}
	p, _, _, err := loadPolicy(context.Background(), name)
	return p, err
}

// screenProfile is what the terminal can show. The library takes NO_COLOR for a yes only if it is 1 or true; any word
// but an empty one is meant.
func screenProfile(out *os.File, getenv func(string) string) colorprofile.Profile {
	if getenv("NO_COLOR") != "" {
		return colorprofile.ASCII
	}
	return colorprofile.Detect(out, os.Environ())
}

func uiProfile(p colorprofile.Profile) ui.Profile {
	switch p {
	case colorprofile.TrueColor:
		return ui.ProfileTrue
	case colorprofile.ANSI256:
		return ui.Profile256
	case colorprofile.ANSI:
		return ui.Profile16
	case colorprofile.ASCII:
		return ui.ProfileNone
	case colorprofile.NoTTY, colorprofile.Unknown:
		return ui.ProfilePlain
	default:
		return ui.Profile16
	}
}

// utf8Locale tells whether the locale can show more than ASCII; a machine that names no locale is taken to.
func utf8Locale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToLower(v)
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return true
}

// terminal is the file behind a stream if it is a terminal that can be drawn on.
func terminal(stream any) (*os.File, bool) {
	f, ok := stream.(*os.File)
	return f, ok && term.IsTerminal(f.Fd())
}
