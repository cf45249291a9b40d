package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/engine"
)

// newTopics are helps that are about no command.
func newTopics() []*cobra.Command {
	return []*cobra.Command{
		newTopic("script", "The language of scripts", func() string { return scriptTopic }),
		newTopic("policy", "The knobs of a policy, one by one", policyTopic),
		newTopic("events", "The lines of run --json and serve --json", func() string { return eventsTopic }),
		newTopic("figures", "The fields of dist --json, and of fleet --json and --csv", func() string { return strings.TrimSpace(figuresTopic) + "\n" + fleetFigures() }),
		newTopic("scenarios", "Who calls whom in a fleet, and what goes wrong", scenarioTopic),
	}
}

// newTopic is a help whose text is made when it is asked for: each start of the program makes all topics.
func newTopic(name, short string, text func() string) *cobra.Command {
	c := &cobra.Command{Use: name, Short: short}
	c.SetHelpFunc(func(c *cobra.Command, args []string) {
		c.Long = strings.TrimSpace(text())
		c.Root().HelpFunc()(c, args)
	})
	return c
}

const scriptTopic = `
A script says what each request is answered with. Steps are separated by commas or
new lines; # begins a comment. The last step goes on for ever.

  503 x2, 429 after=2 latency=80ms, reset, 200

A step is an outcome and its options. In brackets is what the policy (retry-on) and
the events call it, where that is another word.

  200 to 599  that status                  reset    the connection is reset
  refused     no connection                eof      closed before any answer (closed)
  dns         no such host                 cut      a 200 whose body ends early
  tls         certificate does not verify  garbage  what is no HTTP (malformed)
  hang        never answers (timeout)      badjson  a 200 that says JSON and is not (decoding)

  latency=D        time before the answer, like 80ms
  xN               the step answers N requests
  after=V          Retry-After, any characters: after=2, after="Wed, 21 Oct 2026 07:28:00 GMT".
                   after=2.5 and after=2s are no seconds: unreadable, the own wait is taken
  date=V           the Date header; a date in after= is counted from it
  header=V         another header, header="Name: value"; may be given again
  reason=V body=V  the phrase behind the status, and the body

Quotes are needed for blanks and commas only; in them \" \\ \n stand for those.

By time instead of by count, from the start of the run (serve: from the first request):

  @0s 503, @3s 200

By chance, drawn from the seed; the shares make 100:

  70% 200, 20% 503, 10% hang

The three do not mix. A run of attempts=unlimited on a script that never answers well is
given up after 10,000 sends, result "endless", exit 1: what would come then is not asked.`

// knobTopic is what help policy says of a knob beyond the line of its flag.
type knobTopic struct{ name, text, example string }

var knobTopics = []knobTopic{
	{"attempts", "A count of sends; retries=3 says the same as attempts=4.", "attempts=6"},
	{"base", "The curve begins with it. Times have units: 200ms, 1.5s, 2m.", "base=100ms"},
	{"throttle-base", "Takes the place of base for the wait after a 429.", "throttle-base=1s"},
	{"cap", "Where the curve stops to grow. A server's wait has a ceiling of its own.", "cap=30s"},
	{"cap-stage", "before: the curve is cut, then jittered, which may lengthen it. after: what the jitter made is cut, and many waits are the cap itself. both: both.", "cap-stage=after"},
	{"least", "So that a full jitter never waits nothing.", "least=10ms"},
	{"curve", "How the wait grows with the retry: linear is 1, 2, 3 times the base, exponential 1, 2, 4.", "curve=linear"},
	{"factor", "Of curve=exponential alone.", "factor=1.5"},
	{"shift", "The exponent of the first wait: 0 begins with the base, 1 with the base times the factor.", "shift=1"},
	{"first", "immediate: the first retry comes at once. unjittered: its wait is not left to chance.", "first=immediate"},
	{"jitter", "Chance in the own wait, so that many clients do not come back at once. full: from 0 to the wait. equal: from half of it. " +
		"scale:0.5..1.5: the wait times that. additive:100ms: up to that on top. decorrelated: from the base to three times the wait before. " +
		"smooth: from one step of the curve to the next, spread without lumps.", "jitter=equal"},
	{"retry-after", "at-least: never sooner than the server asked, and not sooner than the own wait. replace: the server's alone. ignore: the own alone. " +
		"clamp:5s: the own, but not below the server's and at most 5s above it. " +
		"bounded:5s: the server's, but not below the own and at most 5s above it. required: an answer that asks for none is not retried.", "retry-after=replace"},
	{"retry-after-on", "On answers of other statuses Retry-After is not looked for: the own wait.", "retry-after-on=429,503"},
	{"required-on", "What retry-after=required is for all statuses, for these alone.", "required-on=413"},
	{"reads", "What is written in another form is unreadable: the own wait. fraction: 1.5. negative: below 0, at once. zero: 0, or a date gone by, at once. " +
		"date: Wed, 21 Oct 2026 07:28:00 GMT. old-date: the two older ways to write one. none: Retry-After is not looked at, hints are.", "reads=seconds,fraction,zero"},
	{"hints", "Other headers in which servers ask for a wait, the first one that is there counts.", "hints=retry-after-ms"},
	{"spread", "On top of a server's wait, by chance: all its clients were told the same time.", "spread=2s"},
	{"ceiling", "A server that asks for more gets no further send: the result is deferred, exit 3. It is cut short only with over-ceiling=cut.", "ceiling=2m"},
	{"over-ceiling", "Many clients cut a long wait to the longest they take, and so come back before they may; others (own) go by their own wait. defer does neither.", "over-ceiling=cut"},
	{"timeout", "Of all attempts and waits. A wait that would end behind it is not begun: timed out, exit 4.", "timeout=20s"},
	{"attempt-timeout", "An attempt that takes longer is a failure of kind timeout.", "attempt-timeout=2s"},
	{"retry-on", "What may heal. Kinds: " + wordsOf(engine.RetryKinds()) + ". Causes: " + wordsOf(engine.Causes()) + ". Statuses: 429, 5xx, 500-504. A - takes one out; what cannot heal, like tls, counts only by its own name.", "retry-on=transport,503,-reset"},
	{"methods", "What is safe to repeat. idempotent: GET, HEAD, OPTIONS, TRACE, PUT, DELETE, and whatever carries an idempotency key.", "methods=GET,POST"},
	{"unsent", "A request that could not be sent did nothing. listed: methods holds for it too, as with clients that look at the method first.", "unsent=listed"},
	{"budget", "Bounds the retries of all operations together. tokens:500/14/1: a purse of 500, a retry takes 14 and gets them back if it heals, a success at once gives 1. " +
		"ratio:20%/10: a retry for each five operations of the last ten seconds, and ten a second on top.", "budget=ratio:20%/10"},
	{"throttle-cost", "Takes the place of the cost in budget=tokens after a 429.", "throttle-cost=5"},
	{"timeout-cost", "Takes the place of the cost in budget=tokens after a timeout.", "timeout-cost=10"},
}

// wordsOf are kinds or causes in a row.
func wordsOf[T fmt.Stringer](all []T) string {
	words := make([]string, 0, len(all))
	for _, one := range all {
		words = append(words, one.String())
	}
	return strings.Join(words, ", ")
}

func policyTopic() string {
	var b strings.Builder
	b.WriteString(`A policy is a line of knobs, the same in --policy, in a file, on the screen and in the
library; what is not named is as in the default. Each knob is a flag too: --attempts 6.

  --policy 'carom attempts=6 timeout=20s'    a preset, and knobs on top
  --policy mine.toml                         a file with lines like attempts = 6

The own wait before a retry is the curve, cut by the cap, put to chance by the jitter. What
a server asks for (Retry-After) is then taken by the rule of retry-after.
`)
	d := engine.Default()
	for _, k := range knobs() {
		i := slices.IndexFunc(knobTopics, func(t knobTopic) bool { return t.name == k.name })
		if i < 0 {
			continue // retries: no knob of its own
		}
		now, _ := d.Get(k.name)
		fmt.Fprintf(&b, "\n%s %s\n%s%s%s", k.name, k.word, indented(k.help+".", helpWidth), indented(knobTopics[i].text, helpWidth),
			indented("Default "+now+". Example: "+knobTopics[i].example, helpWidth))
	}
	return strings.TrimRight(b.String(), "\n")
}

const eventsTopic = `
One JSON object a line. Times are in milliseconds from the start, exact to the
microsecond. What is not known is left out.

  start     id, method, url, policy, seed, script
  attempt   t_ms, attempt
  outcome   kind (success, status, transport, timeout, invalid-response, decoding, cancelled,
            unknown), cause, status, retry_after, retry_after_unreadable, retry_after_lines
            (how many, where they differ), ambiguous (it may have done its work), phases_ms,
            redirects, resent (how often net/http sent it once more by itself),
            body_partly_read (there was more than the 8 MiB that are read)
  decision  verdict (succeed, stop, defer, retry), reason, wait_ms, own_ms, server_ms,
            window_ms, gates: all ten in order, each with ok true, false or null (not asked)
            and why
  wait      wait_ms, source (own, server)
  wait-end  cut: true where it was broken off
  note      text: the policy was changed while it ran
  done      result (succeeded, failed, deferred, timed-out, cancelled, endless), reason,
            attempts, status, error, waited_ms, checks

  {"event":"decision","t_ms":80,"attempt":1,"verdict":"retry","reason":"","wait_ms":2000,…}

reason is the gate that stopped it: cancelled, stale-generation, not-idempotent,
not-replayable, not-retryable, attempts-exhausted, budget-exhausted, over-ceiling, deadline;
or max-sends, never-answers (a hang without a timeout), no-limit (given up).

serve --json: listening with url and seed, then for each request n, t_ms, gap_ms, method,
path, step, answer.`
