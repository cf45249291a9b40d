package cli

import (
	"fmt"
	"strings"

	"github.com/retryscope/retryscope/sim"
)

// fleetFigures tells of the fields of fleet --json and --csv, and of its sweep.
func fleetFigures() string {
	columns := indented(strings.Join(sweepHeader(), ", "), helpWidth)
	return fleetFields + "\n" + fmt.Sprintf(sweepFields, strings.TrimRight(columns, "\n"))
}

const fleetFields = `
fleet --json prints one object. Figures are means over all seeds where they are {mean, se}: se
is the standard error, 0 with one seed, and null stands where no run has the figure: a share of
nothing. What stands alone is of the first seed's run.

  scenario      its name
  fleet         every setting by its name, as a scenario has it (help scenarios)
  seed, seeds   of the first run, and how many runs of each policy
  capacity_per_s  calls that the server can serve in a second; null where nothing limits it
  partial       true where it was stopped before all runs were done
  policies      for each policy:
    policy, name  in full, and short
    seeds       runs that came to their end
    verdict     recovers; vulnerable (not with every seed, or not from a trouble four times as
                long); stuck (nothing gets better); gives up (a herd whose calls have all ended,
                less than 50% of them with a success); unknown (the run ended too early to tell,
                or none came to its end)
    why         the reason of a verdict, where it is not plain; no field else. Of a queue that is
                still worked off at the end it says how long it is and until when
    drained_ms  that time: when the queue is empty of a fleet that is unknown for nothing else, at
                the rate at which it shrinks, ms from the start; no field else
    cut         why runs were ended before their end (they would have taken all memory, or stood
                still); no field else
    recovered   runs that recovered (of a herd: whose calls have all ended)
    recover_ms  from the end of the trouble (the last fault, or a rate above the capacity) until
                all seconds are healthy again (a herd: until its last call ended), ms,
                {mean, se}; null where no run recovers, nothing was wrong, or a herd gives up
    calls, sent, useful, unfinished   calls begun, attempts sent, calls that succeeded, and calls
                under way at the end, {mean, se}
    amplification   attempts sent over first tries, {mean, se}
    success     share of the ended calls that succeeded, {mean, se}: those under way at the end
                are no part of it; null where none has ended
    wasted      share of the served calls whose client had given up, {mean, se}; null where none
                was served
    peak_per_s  most attempts sent in a whole second, from 0s on, {mean, se}
    peak_over_capacity   the same over capacity_per_s; null without one
    time_to_success      for q in 0.05 to 0.999: ms and se_ms; empty where no call succeeds
    failed      failed calls by the reason that ended them (held: by a throttle)
    end_ms, events   when the run ended, ms; events that were simulated
    bucket_ms   width of a time bucket, ms
    buckets     for each: t_ms (its start), and counts in it: begun (calls), first and retries
                (attempts sent), accepted, refused and dropped (at the server's door; dropped
                has no answer), served, useful, late (successes nobody waited for), expired
                (left out of the queue), failed (calls), timed_out (attempts), denied (retries,
                by a budget), held (sends, by a throttle); and at its end: calls under way,
                waiting (in backoff), wire (on the way to the server), queue, queue_max (within
                the bucket), serving

fleet --csv prints the buckets of the first seed, a row a policy and bucket: policy, t_ms, and
the counts above.`

const sweepFields = `
fleet sweep --json prints an array, an object a policy and value, --csv a row for each, whose
columns are:

%s

  policy        in short
  over, value   the setting that is swept, and its value (ms for a time)
  goodput_per_s   calls that succeed in a second, {mean, se} in JSON
  goodput_over_capacity   the same over the capacity; null, or empty, without one
  amplification, success, wasted   as above, {mean, se} in JSON
  NAME_se       the standard error of the column before it
  verdict, why  as above
  load_threshold  1/attempts, to the power of the layers: the load from which calls that time
                out can keep the server down; null, or empty, where there is none

Figures are of the steady part: the second half of what is left of a run after its trouble; of
a herd, and of a run that its trouble outlasts, all of it.
`

// scenarioTopic tells how a scenario is written.
func scenarioTopic() string {
	var b strings.Builder
	b.WriteString(`A scenario is a TOML file: title, story, policies (texts, compared where no --policy is
given), and under [fleet] the settings of who calls whom. Each setting is a flag of fleet
too, which goes on top of the scenario. Built in:

`)
	for _, s := range sim.Scenarios() {
		fmt.Fprintf(&b, "  %-11s %s\n", s.Name, s.Title)
	}
	b.WriteString("\n'retryscope fleet --scenario NAME' runs one. As a file, herd is:\n\n")
	if text, ok := sim.ScenarioText("herd"); ok {
		for line := range strings.Lines(string(text)) {
			if len(line) > helpWidth-6 {
				line = line[:helpWidth-8] + "…\n"
			}
			b.WriteString("  " + line)
		}
	}
	b.WriteString("\nThe settings:\n")
	for _, f := range sim.Fields() {
		fmt.Fprintf(&b, "\n%s\n%s", f.Name, indented(f.Words+": "+f.Allowed+".", 80))
	}
	return b.String()
}
