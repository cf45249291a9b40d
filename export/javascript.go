package export

import (
	"fmt"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// jsTongue writes waits for JavaScript, in milliseconds; k6 sleeps in seconds and divides.
func jsTongue() *tongue {
	return &tongue{
		declare: "let x =", end: ";", pow: "Math.pow", random: "Math.random()", min: "Math.min", max: "Math.max", round: "Math.round", retry: "retry",
		number: milliseconds,
	}
}

// JSOwn computes x, the own wait in milliseconds, from retry.
func (d *draft) JSOwn() string { return strings.Join(jsTongue().statements(&d.Backoff), "\n  ") }

// JSStatus is the test of a status.
func (d *draft) JSStatus() string { return d.statusTest("&&", "||", "===", "!==", "false") }

// JSList is the statuses as a list, JSMethods the methods in lower case or as they are.
func (d *draft) JSList() string { return strings.ReplaceAll(fmt.Sprint(d.statuses()), " ", ", ") }

// Methods is the list of methods in quotes; every common one where any may be repeated.
func (d *draft) MethodList() string {
	m := d.methods()
	if m == nil {
		m = strings.Split(everyMethod, ",")
	}
	return `"` + strings.Join(m, `", "`) + `"`
}

// everyMethod stands for any where a format wants a list.
const everyMethod = "GET,HEAD,OPTIONS,TRACE,PUT,DELETE,POST,PATCH"

// drawn are the jitters that need no memory.
func (d *draft) drawn() {
	d.jitters(engine.JitterNone, engine.JitterFull, engine.JitterEqual, engine.JitterScale, engine.JitterAdditive)
}

// fitJS is what a client for JavaScript can carry that asks a function for each wait.
func (d *draft) fitJS(more ...string) {
	d.drop("throttle-base", "hints", "budget", "spread")
	d.drop(more...)
	d.drawn()
	if d.Errors() {
		d.failures(jsAnyFailure)
	} else {
		d.failures("none")
	}
}

// JSRetries is the number of retries, as JavaScript has it.
func (d *draft) JSRetries() string {
	if d.Endless() {
		return "Infinity"
	}
	return fmt.Sprint(d.Attempts - 1)
}

// jsAnyFailure is what a rejected request may be where the client looks no closer.
const jsAnyFailure = "transport,timeout,invalid-response,dns,tls"

var pRetryFormat = Format{
	ID: "p-retry", Name: "JavaScript, p-retry 9 around fetch", File: "retry.mjs", Comment: "//",
	fit: func(d *draft) {
		d.fitJS("least", "shift", "first")
		d.curves(engine.CurveExponential, engine.CurveConstant)
		d.jitters(engine.JitterNone)
		if d.want.Jitter.Kind != engine.JitterNone { // its own is a factor of 1 to 2
			d.Jitter = engine.Jitter{Kind: engine.JitterScale, Lo: 1, Hi: 2}
		}
		d.CapStage = engine.CapAfter
		whole(&d.Cap, time.Millisecond) // it rounds its waits
		d.retryAfters(engine.RetryAfterIgnore)
		d.timers()
		d.keyless()
	},
	body: func(d *draft) string {
		return filled(`import pRetry, {AbortError} from 'p-retry';

const retried = (status) => {{.JSStatus}};
{{- if ne .Methods "any"}}
const safe = [{{.MethodList}}];
{{- end}}

export function send(url, init = {}) {
  {{- if .Timeout}}
  const end = Date.now() + {{ms .Timeout}};
  {{- end}}
  return pRetry(async () => {
    let response;
    try {
      {{- if .JSLimit}}
      const limit = AbortSignal.timeout({{.JSLimit}});
      response = await fetch(url, {...init, signal: init.signal ? AbortSignal.any([init.signal, limit]) : limit});
      {{- else}}
      response = await fetch(url, init);
      {{- end}}
    } catch (error) {
      {{if .Errors}}throw error;{{else}}throw new AbortError(error);{{end}}
    }
    if (retried(response.status)) {
      throw new Error('status ' + response.status);
    }
    return response;
  }, {
    retries: {{.JSRetries}},
    minTimeout: {{ms .Base}},
    factor: {{float .Growth}},
    maxTimeout: {{ms .Cap}},
    randomize: {{if .Jitter.Kind}}true{{else}}false{{end}},
    signal: init.signal,
    {{- if .JSMay}}
    shouldRetry: ({retryDelay}) => {{.JSMay}},
    {{- end}}
  });
}
`, d)
	},
}

// JSAsked is a function that reads the value of Retry-After; "" where that has no say.
func (d *draft) JSAsked() string {
	if !d.Asks() {
		return ""
	}
	return `// asked is the wait in milliseconds that a server asks for, by the date of its answer; undefined where it asks for none.
function asked(value, date) {
  if (/^\d+$/.test(value)) {
    return Number(value) * 1000;
  }
  const [at, sent] = [time(value), time(date)];
  return Number.isNaN(at) ? undefined : Math.max(at - (Number.isNaN(sent) ? Date.now() : sent), 0);
}

// time reads a date in one of the three forms of HTTP: Date.parse alone reads nearly anything.
function time(value) {
  if (/^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -](\d\d|\d{4}) \d\d:\d\d:\d\d GMT$/.test(value)) {
    return Date.parse(value);
  }
  return /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/.test(value) ? Date.parse(value + ' GMT') : NaN;
}

`
}

// JSLimit is the timeout of one attempt in milliseconds; "" for none.
func (d *draft) JSLimit() string {
	one := milliseconds(d.AttemptTimeout)
	switch {
	case d.Timeout > 0 && d.AttemptTimeout > 0:
		return "Math.max(Math.min(" + one + ", end - Date.now()), 1)"
	case d.Timeout > 0:
		return "Math.max(end - Date.now(), 1)"
	case d.AttemptTimeout > 0:
		return one
	}
	return ""
}

// JSMay are the conditions under which p-retry goes on.
func (d *draft) JSMay() string {
	var all []string
	if d.Methods != engine.MethodsAny {
		all = append(all, `safe.includes((init.method ?? 'GET').toUpperCase())`)
	}
	if d.Timeout > 0 {
		all = append(all, "Date.now() + retryDelay < end")
	}
	return strings.Join(all, " && ")
}

var kyFormat = Format{
	ID: "ky", Name: "JavaScript, ky 2", File: "retry.mjs", Comment: "//",
	fit: func(d *draft) {
		d.fitJS()
		d.retryAfters(engine.RetryAfterReplace, engine.RetryAfterIgnore)
		if d.Asks() {
			_ = d.Set("hints", "ratelimit-reset,x-ratelimit-reset") // words of our own: they parse
			d.because("hints", "ky looks for these by itself")
			d.ownClock()
		}
		d.timers()
		d.cut()
		if d.Timeout > 0 && d.Attempts > 1 {
			d.note("timeout: where no wait fits any more, ky throws a TimeoutError in place of the last failure")
		}
		fitMethodList(d)
	},
	body: func(d *draft) string {
		return filled(`import ky from 'ky';

function wait(retry) {
  {{.JSOwn}}
  return x;
}

export const client = ky.create({
  timeout: {{if .AttemptTimeout}}{{ms .AttemptTimeout}}{{else}}false{{end}},
  {{- if .Timeout}}
  totalTimeout: {{ms .Timeout}},
  {{- end}}
  retry: {
    limit: {{if .Endless}}Number.MAX_SAFE_INTEGER{{else}}{{.JSRetries}}{{end}},
    methods: [{{.MethodList}}].map((m) => m.toLowerCase()),
    statusCodes: {{.JSList}},
    afterStatusCodes: {{if .Asks}}{{.JSList}}{{else}}[]{{end}},
    retryOnTimeout: {{if .Errors}}true{{else}}false{{end}},
    {{- if not .Errors}}
    shouldRetry: ({error}) => error.name === 'HTTPError' ? undefined : false,
    {{- end}}
    {{- if .Asks}}
    maxRetryAfter: {{ms .Ceiling}},
    {{- end}}
    delay: wait,
  },
});
`, d)
	},
}

// ownClock says of a client that reads dates in Retry-After by itself that it goes by its own clock.
func (d *draft) ownClock() {
	if d.Asks() && d.Attempts > 1 {
		d.note("retry-after: a date in it is reckoned from the caller's own clock, not from the answer's own Date")
	}
}

// keyless says of a client that has methods to go by alone what that loses: a key makes the others safe to repeat.
func (d *draft) keyless() {
	if d.Attempts > 1 && d.want.Methods != engine.MethodsAny {
		d.note("methods: no Idempotency-Key is looked for: a method that is not listed is sent once even with one")
	}
}

// fitMethodList puts every common method in place of any.
func fitMethodList(d *draft) {
	d.keyless()
	if d.Attempts > 1 && d.Methods == engine.MethodsAny {
		_ = d.Set("methods", everyMethod) // words of our own: they parse
	}
}

var gotFormat = Format{
	ID: "got", Name: "JavaScript, got 16", File: "retry.mjs", Comment: "//",
	fit: func(d *draft) {
		d.fitJS("timeout")
		d.retryAfters(engine.RetryAfterReplace, engine.RetryAfterAtLeast, engine.RetryAfterIgnore)
		d.timers()
		d.deferred()
		fitMethodList(d)
	},
	body: func(d *draft) string {
		return filled(`import got from 'got';

function wait(retry) {
  {{.JSOwn}}
  return x;
}

{{.JSAsked}}export const client = got.extend({
  {{- if .AttemptTimeout}}
  timeout: {request: {{ms .AttemptTimeout}}},
  {{- end}}
  retry: {
    limit: {{.JSRetries}},
    methods: [{{.MethodList}}],
    statusCodes: {{.JSList}},
    enforceRetryRules: false, // its own rules end it where Retry-After is longer than the timeout of an attempt
    calculateDelay: ({attemptCount, retryOptions, error}) => {
      if (attemptCount > retryOptions.limit || !retryOptions.methods.includes(error.options.method)) {
        return 0;
      }
      {{- if .Errors}}
      const fails = ['RequestError', 'ReadError', 'TimeoutError', 'UploadError'].includes(error.name);
      if (error.name === 'HTTPError' ? !retryOptions.statusCodes.includes(error.response.statusCode) : !fails) {
      {{- else}}
      if (error.name !== 'HTTPError' || !retryOptions.statusCodes.includes(error.response.statusCode)) {
      {{- end}}
        return 0;
      }
      {{- if .Asks}}
      const server = error.name === 'HTTPError' ? asked(error.response.headers['retry-after'], error.response.headers.date) : undefined;
      if (server !== undefined) {
        {{- if .Ceilinged}}
        if (server > {{ms .Ceiling}}) {
          return 0;
        }
        {{- end}}
        return Math.max(server, {{if eq .Mode "at-least"}}wait(attemptCount), {{end}}1);
      }
      {{- end}}
      return Math.max(wait(attemptCount), 1); // 0 would end it
    },
  },
});
`, d)
	},
}

var axiosFormat = Format{
	ID: "axios-retry", Name: "JavaScript, axios-retry 4", File: "retry.mjs", Comment: "//",
	fit: func(d *draft) {
		d.fitJS("timeout")
		d.retryAfters(engine.RetryAfterAtLeast, engine.RetryAfterReplace, engine.RetryAfterIgnore)
		d.timers()
		d.cut()
		d.keyless()
	},
	body: func(d *draft) string {
		return filled(`import axios from 'axios';
import axiosRetry from 'axios-retry';

const retried = (status) => {{.JSStatus}};

function wait(retry) {
  {{.JSOwn}}
  return x;
}

// answered tells an answer from a failure: an error with a good status is an answer that broke off.
const answered = ({response}) => response?.status >= 300;

{{.JSAsked}}{{if .Asks}}const ask = (response) => asked(response?.headers['retry-after'], response?.headers.date);

{{end}}export const client = axios.create({ {{- if .AttemptTimeout}}timeout: {{ms .AttemptTimeout}}{{end -}} });

axiosRetry(client, {
  retries: {{.JSRetries}},
  shouldResetTimeout: true,
  {{- if eq .Methods "any"}}
  retryCondition: (error) => answered(error) ? retried(error.response.status) : {{.Errors}},
  {{- else}}
  retryCondition: (error) => [{{.MethodList}}].includes((error.config?.method ?? 'get').toUpperCase()) &&
    (answered(error) ? retried(error.response.status) : {{.Errors}}),
  {{- end}}
  {{- if eq .Mode "at-least"}}
  retryDelay: (retry, error) => Math.max(wait(retry), Math.min(ask(error.response) ?? 0, {{ms .Ceiling}})),
  {{- else if .Asks}}
  retryDelay: (retry, error) => {
    const server = ask(error.response);
    return server === undefined ? wait(retry) : Math.min(server, {{ms .Ceiling}});
  },
  {{- else}}
  retryDelay: wait,
  {{- end}}
});
`, d)
	},
}
