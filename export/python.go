package export

import (
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// pyTongue writes waits for Python, in seconds.
func pyTongue() *tongue {
	return &tongue{
		declare: "x =", pow: "pow", random: "random.random()", min: "min", max: "max", round: "round", retry: "retry",
		number: func(d time.Duration) string { return strings.Replace(seconds(d), "Infinity", "float('inf')", 1) },
	}
}

// PyOwn computes x, the own wait in seconds, from retry.
func (d *draft) PyOwn() string { return strings.Join(pyTongue().statements(&d.Backoff), "\n    ") }

// PyStatus is the test of a status.
func (d *draft) PyStatus() string { return d.statusTest("and", "or", "==", "!=", "False") }

var urllib3Format = Format{
	ID: "urllib3", Name: "Python, urllib3 2", File: "retry.py", Comment: "#",
	fit: func(d *draft) {
		d.drop("throttle-base", "hints", "budget", "spread", "timeout", "attempt-timeout", "least", "shift")
		d.curves(engine.CurveExponential)
		if d.Curve == engine.CurveConstant {
			d.Curve = engine.CurveExponential
		}
		d.Factor = 2
		d.First = engine.FirstImmediate // its first retry waits not at all
		d.jitters(engine.JitterNone)
		d.CapStage = engine.CapBefore
		d.retryAfters(engine.RetryAfterReplace, engine.RetryAfterIgnore)
		if d.Asks() {
			d.Ceiling, d.OverCeiling = 6*time.Hour, engine.OverCut
			d.Reads = engine.ReadsOf(engine.FormSeconds, engine.FormDate, engine.FormOldDate)
			for _, s := range []int{413, 429, 503} {
				if !d.RetryOn.Statuses.Has(s) && d.Attempts > 1 {
					d.RetryOn.Statuses.Add(s)
					d.RequiredOn.Add(s)
				}
			}
			d.because("required-on", "urllib3 heeds Retry-After on these whatever the list")
			d.ownClock()
			d.note("retry-after: a value that cannot be read raises InvalidHeader, and ends the request")
		}
		d.most(1_000_000, "urllib3 counts its retries")
		d.keyless()
		if d.Errors() {
			d.failures(jsAnyFailure)
		} else {
			d.failures("none")
		}
	},
	body: func(d *draft) string {
		return filled(`from urllib3 import PoolManager
from urllib3.util import Retry

policy = Retry(
    total={{.Retries}},
    connect={{if .Errors}}None{{else}}0{{end}},
    read={{if .Errors}}None{{else}}0{{end}},
    other={{if .Errors}}None{{else}}0{{end}},
    status_forcelist={{.JSList}},
    allowed_methods={{if eq .Methods "any"}}None{{else}}[{{.MethodList}}]{{end}},
    backoff_factor={{sec .Base}},
    backoff_max={{if none .Cap}}float("inf"){{else}}{{sec .Cap}}{{end}},
    respect_retry_after_header={{if .Asks}}True{{else}}False{{end}},
    raise_on_status=False,
)
client = PoolManager(retries=policy)
`, d)
	},
}

var tenacityFormat = Format{
	ID: "tenacity", Name: "Python, tenacity 8 and 9", File: "retry.py", Comment: "#",
	fit: func(d *draft) {
		d.drop("throttle-base", "hints", "budget", "spread", "ceiling", "attempt-timeout", "methods")
		d.drawn()
		d.retryAfters(engine.RetryAfterIgnore)
		if d.Errors() {
			d.failures(jsAnyFailure + ",unknown")
		} else {
			d.failures("none")
		}
	},
	body: func(d *draft) string {
		return filled(`import random

import tenacity


def own(state):
    retry = state.attempt_number
    {{.PyOwn}}
    {{- if .Timeout}}
    return state.__dict__.setdefault(f"wait {retry}", x)  # asked twice, drawn once


def late(state):
    return state.seconds_since_start + own(state) >= {{sec .Timeout}}
    {{- else}}
    return x
    {{- end}}


def again(state):
    """For a function that returns an answer with a status, as those of requests and httpx do."""
    if state.outcome.failed:
        return {{if .Errors}}isinstance(state.outcome.exception(), Exception){{else}}False{{end}}
    answer = state.outcome.result()
    status = getattr(answer, "status_code", getattr(answer, "status", 0))
    return {{.PyStatus}}


policy = tenacity.retry(
    wait=own,
    stop={{if .Endless}}tenacity.stop_never{{else}}tenacity.stop_after_attempt({{.Attempts}}){{end}}{{if .Timeout}} | late{{end}},
    retry=again,
    retry_error_callback=lambda state: state.outcome.result(),
)
`, d)
	},
}
