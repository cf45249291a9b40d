package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// BuiltInScript is what runs where neither a URL nor a script is given.
const BuiltInScript = "503 latency=120ms, 429 after=2 latency=90ms, reset latency=40ms, 200 latency=80ms"

// defaultMaxSends is the hard stop on live sends.
const defaultMaxSends = 100

// maxInput bounds a script file, a body and a header file.
const maxInput = 16 << 20

// never is a time that does not come.
const never = time.Duration(-1)

// flags are the flags of the screen, run and serve, as they were given.
type flags struct {
	script, policy string
	seed           uint64
	knobs          map[string]*string

	method, data, key string
	headers           []string
	bodyOnce          bool

	draw                       float64
	cancelAt, signOutAt        time.Duration
	now                        string
	realtime, asJSON, send     bool
	maxSends                   int
	theme                      string
	ascii                      bool
}

func (f *flags) common(c *cobra.Command) {
	fs := c.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.script, "script", "", "run against this script, or @FILE (@- reads it from standard input)")
	fs.StringVar(&f.policy, "policy", "", "start from a preset, a saved policy, a TOML file, or a policy's text")
	fs.Uint64Var(&f.seed, "seed", 0, "seed of every draw (default: a fresh one, printed)")
	fs.StringVarP(&f.method, "method", "X", "", "method of the request (default GET)")
	fs.StringArrayVarP(&f.headers, "header", "H", nil, "header 'Name: value', or @FILE with one a line")
	fs.StringVarP(&f.data, "data", "d", "", "body of the request, or @FILE, or @- for standard input")
	fs.StringVar(&f.key, "idempotency-key", "", "idempotency key, the same on every attempt")
	fs.BoolVar(&f.bodyOnce, "body-once", false, "the body cannot be read a second time")
	fs.IntVar(&f.maxSends, "max-sends", defaultMaxSends, "hard stop on the sends of a live session")
	f.policyFlags(c)
}

// policyFlags has a flag for every knob, by its name.
func (f *flags) policyFlags(c *cobra.Command) {
	f.knobs = map[string]*string{}
	d := engine.Default()
	for _, name := range append(engine.Fields(), "retries") {
		def, _ := d.Get(name)
		help := "policy: " + name
		if def != "" {
			help += " (default policy: " + def + ")"
		}
		if name == "retries" {
			help = "policy: sends after the first; attempts less one"
		}
		v := new(string)
		f.knobs[name] = v
		c.Flags().StringVar(v, name, "", help)
	}
}

func (f *flags) scripted(c *cobra.Command) {
	fs := c.Flags()
	f.draw = -1
	fs.Float64Var(&f.draw, "draw", -1, "every jitter draw is this, 0 to 1 (scripted)")
	fs.DurationVar(&f.cancelAt, "cancel-at", never, "cancel this long after the start (scripted)")
	fs.DurationVar(&f.signOutAt, "sign-out-at", never, "sign out this long after the start (scripted)")
	fs.StringVar(&f.now, "now", "", "wall clock at the start, RFC 3339 (scripted; default 2026-01-01T00:00:00Z)")
	fs.BoolVar(&f.realtime, "realtime", false, "run the script in real time")
	fs.BoolVar(&f.asJSON, "json", false, "print events, one JSON object a line")
}

func (f *flags) screen(c *cobra.Command) {
	fs := c.Flags()
	fs.BoolVar(&f.send, "send", false, "send to the URL at once, without waiting for S")
	fs.StringVar(&f.theme, "theme", "auto", "auto, dark, light or mono")
	fs.BoolVar(&f.ascii, "ascii", false, "draw with ASCII only")
}

// plan is what the flags say, read and checked before anything starts.
type plan struct {
	config     lab.Config
	policyName string
	live       bool
	scriptText string
}

// plan reads everything that was given and names all that is wrong with it at once.
func (f *flags) plan(env *Env, c *cobra.Command, args []string) (*plan, error) {
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	p := &plan{live: len(args) == 1}
	if p.live && c.Flags().Changed("script") {
		note(errors.New("a URL and --script: one of them"))
	}
	var err error
	p.config.Policy, p.policyName, err = f.readPolicy(c)
	note(err)
	p.config.Request, err = f.request(env)
	note(err)
	if p.live {
		p.config.Request.URL = args[0]
		note(checkURL(args[0]))
		note(f.onlyScripted(c))
	} else {
		note(f.readScript(env, p))
	}
	p.config.Seed = f.seed
	if !c.Flags().Changed("seed") {
		p.config.Seed = rand.Uint64() >> 1
	}
	note(f.scriptedRun(c, &p.config))
	p.config.MaxSends = f.maxSends
	if f.maxSends < 1 {
		note(fmt.Errorf("--max-sends %d: 1 or more", f.maxSends))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, &usageError{err}
	}
	return p, nil
}

// readPolicy is the policy of --policy with the knobs' own flags on top.
func (f *flags) readPolicy(c *cobra.Command) (engine.Policy, string, error) {
	p, name, err := loadPolicy(f.policy)
	if err != nil {
		return p, name, err
	}
	if c.Flags().Changed("attempts") && c.Flags().Changed("retries") {
		return p, name, errors.New("--attempts and --retries: one of them")
	}
	var errs []error
	for _, knob := range append(engine.Fields(), "retries") {
		if c.Flags().Changed(knob) {
			if err := p.Set(knob, *f.knobs[knob]); err != nil {
				errs = append(errs, err)
			}
		}
	}
	if len(errs) == 0 {
		errs = append(errs, p.Validate())
	}
	return p, name, errors.Join(errs...)
}

func (f *flags) onlyScripted(c *cobra.Command) error {
	var errs []error
	for _, name := range []string{"draw", "cancel-at", "sign-out-at", "now", "realtime"} {
		if c.Flags().Changed(name) {
			errs = append(errs, fmt.Errorf("--%s is for a scripted run, not for a URL", name))
		}
	}
	return errors.Join(errs...)
}

// scriptedRun reads what only a scripted run has.
func (f *flags) scriptedRun(c *cobra.Command, cfg *lab.Config) error {
	var errs []error
	cfg.Draw, cfg.CancelAt, cfg.SignOutAt = -1, never, never
	if c.Flags().Changed("draw") {
		cfg.Draw = f.draw
		if !(f.draw >= 0 && f.draw <= 1) {
			errs = append(errs, fmt.Errorf("--draw %v: from 0 to 1", f.draw))
		}
	}
	for _, at := range []struct {
		name string
		from time.Duration
		to   *time.Duration
	}{{"cancel-at", f.cancelAt, &cfg.CancelAt}, {"sign-out-at", f.signOutAt, &cfg.SignOutAt}} {
		if !c.Flags().Changed(at.name) {
			continue
		}
		*at.to = at.from
		if at.from < 0 {
			errs = append(errs, fmt.Errorf("--%s %s: 0 or more", at.name, at.from))
		}
	}
	cfg.Wall = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if c.Flags().Changed("now") {
		t, err := time.Parse(time.RFC3339, f.now)
		if err != nil {
			errs = append(errs, fmt.Errorf("--now %q: a time like 2026-01-01T00:00:00Z", f.now))
		}
		cfg.Wall = t
	}
	return errors.Join(errs...)
}

func (f *flags) readScript(env *Env, p *plan) error {
	text := BuiltInScript
	if f.script != "" {
		var err error
		if text, err = readAt(env, "--script", f.script); err != nil {
			return err
		}
	}
	s, err := script.Parse(text)
	if err != nil {
		return err
	}
	p.scriptText, p.config.Script = text, s
	return nil
}

// readAt is a flag's value, or what @FILE or @- holds.
func readAt(env *Env, flag, value string) (string, error) {
	name, isFile := strings.CutPrefix(value, "@")
	if !isFile {
		return value, nil
	}
	var in io.Reader = env.Stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", flag, value, err)
		}
		defer file.Close() //nolint:errcheck // it was only read
		in = file
	}
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(in, maxInput+1))
	if err == nil && n > maxInput {
		err = fmt.Errorf("longer than %d bytes", maxInput)
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", flag, value, err)
	}
	return b.String(), nil
}

// request reads what the flags say of the request.
func (f *flags) request(env *Env) (lab.Request, error) {
	var errs []error
	r := lab.Request{Method: f.method, Header: http.Header{}, Key: f.key, BodyOnce: f.bodyOnce}
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	if strings.Trim(r.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_") != "" {
		errs = append(errs, fmt.Errorf("--method %q: letters only", f.method))
	}
	if f.data != "" {
		body, err := readAt(env, "--data", f.data)
		errs = append(errs, err)
		r.Body, r.HasBody = []byte(body), body != ""
	}
	if strings.ContainsAny(f.key, "\r\n\x00") {
		errs = append(errs, errors.New("--idempotency-key: one line"))
	}
	for _, h := range f.headers {
		errs = append(errs, addHeaders(env, r.Header, h))
	}
	return r, errors.Join(errs...)
}

// addHeaders reads one -H. The value is never in an error: it may be a secret.
func addHeaders(env *Env, to http.Header, value string) error {
	text, err := readAt(env, "--header", value)
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		name, v, ok := strings.Cut(line, ":")
		name, v = strings.TrimSpace(name), strings.TrimSpace(v)
		if !ok || !validToken(name) || strings.ContainsAny(v, "\r\n\x00") {
			return errors.New("--header: write 'Name: value', one a line")
		}
		to.Add(name, v)
	}
	return nil
}

// validToken tells whether s is a token of RFC 9110, section 5.6.2.
func validToken(s string) bool {
	for _, r := range s {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return false
		}
	}
	return s != ""
}

// checkURL refuses what is no http or https URL with a host. The same parser is asked here, for the screen and for the
// dial. The URL itself is not in the error: it may hold a secret.
func checkURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return fmt.Errorf("URL: %w", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("URL %s: it must begin with http:// or https:// (commands are run, serve, presets, completion, version, help)", trace.RedactURL(raw))
	case u.Hostname() == "":
		return fmt.Errorf("URL %s: it has no host", trace.RedactURL(raw))
	default:
		return nil
	}
}
