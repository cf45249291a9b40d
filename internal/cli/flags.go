package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/retryscope/retryscope/engine"
)

// BuiltInScript is what runs where neither a URL nor a script is given.
const BuiltInScript = "503 latency=120ms, 429 after=2 latency=90ms, reset latency=40ms, 200 latency=80ms"

// defaultMaxSends is the hard stop on live sends.
const defaultMaxSends = "100"

// text is the value of a flag as it was given. It is judged later, together with all others: so every fault is named at
// once, in one way. Its type is the word that stands for it in the help.
type text struct{ value, word string }

func (t *text) String() string     { return t.value }
func (t *text) Set(s string) error { t.value = s; return nil }
func (t *text) Type() string       { return t.word }

// texts is a flag that may be given several times.
type texts struct {
	values []string
	word   string
}

func (t *texts) String() string     { return "" }
func (t *texts) Set(s string) error { t.values = append(t.values, s); return nil }
func (t *texts) Type() string       { return t.word }

// flags are the flags of the screen, run and serve, as they were given.
type flags struct {
	set *pflag.FlagSet

	script, policy, seed text
	knobs                map[string]*text

	method, data, key text
	headers           texts
	bodyOnce          bool

	draw, cancelAt, signOutAt, now text
	realtime, asJSON, send, ascii  bool
	maxSends, theme, addr          text
}

// given tells whether a flag stands on the command line.
func (f *flags) given(name string) bool { return f.set.Changed(name) }

// words adds flags that hold a text.
func (f *flags) words(list ...wordFlag) {
	for _, w := range list {
		w.to.word = w.word
		f.set.VarP(w.to, w.name, w.short, w.help)
	}
}

type wordFlag struct {
	to                      *text
	name, short, word, help string
}

func newFlags(c *cobra.Command) *flags {
	f := &flags{set: c.Flags()}
	f.set.SortFlags = false
	return f
}

// common are the flags of the screen and of run. The order is that of the help.
func (f *flags) common() {
	f.maxSends.value = defaultMaxSends
	f.headers.word = "LINE"
	f.words(
		wordFlag{&f.script, "script", "", "TEXT", "run against this script; @FILE reads it from a file, @- from standard input"},
		wordFlag{&f.seed, "seed", "", "N", "seed of every draw (a fresh one where it is not given, printed)"},
		wordFlag{&f.policy, "policy", "", "P", "start from a preset, a saved policy, a TOML file, or a text like 'carom attempts=6'"},
	)
	f.policyFlags()
	f.words(
		wordFlag{&f.method, "method", "X", "NAME", "method (GET)"},
		wordFlag{&f.data, "data", "d", "TEXT", "body; @FILE reads it from a file, @- from standard input; the method stays GET: name it with -X"},
	)
	f.set.VarP(&f.headers, "header", "H", "'Name: value', or @FILE or @- with one a line; may be given again")
	f.words(wordFlag{&f.key, "idempotency-key", "", "KEY", "sent with every attempt: a method that is not idempotent may then be retried"})
	f.set.BoolVar(&f.bodyOnce, "body-once", false, "the body cannot be read a second time")
	f.words(wordFlag{&f.maxSends, "max-sends", "", "N", "hard stop on the requests to a URL, redirects included, over the whole session"})
	f.words(
		wordFlag{&f.draw, "draw", "", "U", "every jitter draw is U, from 0 to 1"},
		wordFlag{&f.cancelAt, "cancel-at", "", "D", "cancel so long after the start"},
		wordFlag{&f.signOutAt, "sign-out-at", "", "D", "sign the session out so long after the start"},
		wordFlag{&f.now, "now", "", "TIME", "wall clock at the start (2026-01-01T00:00:00Z)"},
	)
}

func (f *flags) run() {
	f.set.BoolVar(&f.realtime, "realtime", false, "take the time the waits take")
	f.set.BoolVar(&f.asJSON, "json", false, "print the events, one JSON object a line")
	f.set.BoolVar(&f.ascii, "ascii", false, "draw with ASCII alone")
}

func (f *flags) screen() {
	f.theme.value = "auto"
	f.set.BoolVar(&f.send, "send", false, "send to the URL at once, without waiting for the key S")
	f.words(wordFlag{&f.theme, "theme", "", "NAME", "auto, dark, light or mono"})
	f.set.BoolVar(&f.ascii, "ascii", false, "draw with ASCII alone")
}

func (f *flags) serve() {
	f.addr.value = "127.0.0.1:0"
	f.words(
		wordFlag{&f.script, "script", "", "TEXT", "the script, or @FILE (the built-in one where it is not given)"},
		wordFlag{&f.addr, "addr", "", "HOST:PORT", "address to listen on; port 0 takes a free one"},
		wordFlag{&f.seed, "seed", "", "N", "seed of a script by chance (a fresh one where it is not given, printed)"},
	)
	f.set.BoolVar(&f.asJSON, "json", false, "print one JSON object a line")
}

// policyFlags has a flag for every knob, by its name.
func (f *flags) policyFlags() {
	f.knobs = map[string]*text{}
	for _, k := range knobs() {
		v := new(text)
		f.knobs[k.name] = v
		f.words(wordFlag{v, k.name, "", k.word, k.help})
	}
}

// knobs are the knobs as the help tells of them, in the order of a policy's text, with retries beside attempts.
func knobs() []knobFlag {
	var out []knobFlag
	for _, name := range engine.Fields() {
		k := knobFlag{name: name, word: "V", help: "the knob " + name}
		for i := range knobFlags {
			if knobFlags[i].name == name {
				k = knobFlags[i]
			}
		}
		out = append(out, k)
		if name == "attempts" {
			out = append(out, knobFlag{"retries", "N", "sends after the first: attempts less one", nil})
		}
	}
	return out
}

// knobFlag is how the help tells of one knob; values are what completion offers.
type knobFlag struct {
	name, word, help string
	values           []string
}

var knobFlags = []knobFlag{
	{"attempts", "N", "sends in all, the first one included; or unlimited", []string{"unlimited"}},
	{"base", "D", "own wait before the first retry; 0 means no waits", nil},
	{"throttle-base", "D", "the same after a 429; 0 means as base", nil},
	{"cap", "D", "longest own wait, or none", []string{"none"}},
	{"cap-stage", "WHEN", "the cap cuts before the jitter, after it, or both", []string{"before", "after", "both"}},
	{"least", "D", "shortest own wait, after the jitter", nil},
	{"curve", "NAME", "none, constant, linear, quadratic, exponential or fibonacci", []string{"none", "constant", "linear", "quadratic", "exponential", "fibonacci"}},
	{"factor", "F", "growth of the exponential curve, 1 or more", nil},
	{"shift", "N", "the curve's first exponent, 0 or 1", []string{"0", "1"}},
	{"first", "HOW", "the first own wait: plain, immediate or unjittered", []string{"plain", "immediate", "unjittered"}},
	{"jitter", "HOW", "none, full, equal, scale:0.5..1.5, additive:100ms, decorrelated or smooth", []string{"none", "full", "equal", "scale:0.5..1.5", "additive:100ms", "decorrelated", "smooth"}},
	{"retry-after", "RULE", "a server's wait: at-least, replace, ignore, clamp:5s, bounded:5s or required", []string{"at-least", "replace", "ignore", "clamp:5s", "bounded:5s", "required"}},
	{"retry-after-on", "LIST", "statuses on which a server's wait is heard, like 429,503; or any", []string{"any", "429,503"}},
	{"required-on", "LIST", "statuses retried only where a wait is asked for, like 413; or none", []string{"none", "413"}},
	{"reads", "LIST", "forms of Retry-After: seconds, fraction, negative, zero, date, old-date; or none", []string{"none", "seconds", "seconds,zero", "seconds,zero,date,old-date", "seconds,fraction,zero,date,old-date"}},
	{"hints", "LIST", "headers asked before Retry-After, like retry-after-ms; or none", []string{"none", "retry-after-ms", "x-ms-retry-after-ms", "x-amz-retry-after", "ratelimit-reset", "x-ratelimit-reset"}},
	{"spread", "D", "lengthen a server's wait by up to this, by chance", nil},
	{"ceiling", "D", "longest server wait taken, or none; a longer one ends it as deferred", []string{"none"}},
	{"over-ceiling", "WHAT", "a longer server wait: defer, cut (to the ceiling) or own", []string{"defer", "cut", "own"}},
	{"timeout", "D", "for the whole operation, or none", []string{"none"}},
	{"attempt-timeout", "D", "for one attempt, or none", []string{"none"}},
	{"retry-on", "LIST", "kinds, causes and statuses: transport,timeout,429,5xx,-501", nil},
	{"methods", "LIST", "idempotent, any, or a list like GET,HEAD", []string{"idempotent", "any"}},
	{"unsent", "WHAT", "what never left is repeated for any method, or the listed ones", []string{"any", "listed"}},
	{"budget", "B", "none, tokens:500/14/1 or ratio:20%/10", []string{"none", "tokens:500/14/1", "ratio:20%/10"}},
	{"throttle-cost", "N", "tokens for a retry after a 429; 0 means as any other", nil},
	{"timeout-cost", "N", "tokens for a retry after a timeout; 0 means as any other", nil},
}
