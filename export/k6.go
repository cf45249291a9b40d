package export

var k6Format = Format{
	ID: "k6", Name: "a k6 script", File: "script.js", Comment: "//",
	fit: func(d *draft) {
		d.drop("throttle-base", "hints", "budget")
		d.drawn()
		if d.Errors() {
			d.failures(jsAnyFailure + ",unknown")
		} else {
			d.failures("none")
		}
		d.because("retry-on", "k6 tells of any failure as status 0")
	},
	body: func(d *draft) string {
		return filled(`import http from 'k6/http';
import {sleep} from 'k6';

export const options = {vus: 1, iterations: 1};

const retried = (status) => {{if .Errors}}status === 0 || {{end}}{{.JSStatus}};
{{- if ne .Methods "any"}}
const safe = [{{.MethodList}}];
{{- end}}

function wait(retry) {
  {{.JSOwn}}
  return x;
}

{{.JSAsked}}// send makes one request under the policy.
export function send(method, url, body, params = {}) {
  const start = Date.now();
  for (let retry = 1; ; retry++) {
    {{- if and .Timeout .AttemptTimeout}}
    const left = Math.max(Math.min({{ms .AttemptTimeout}}, start + {{ms .Timeout}} - Date.now()), 1);
    {{- else if .Timeout}}
    const left = Math.max(start + {{ms .Timeout}} - Date.now(), 1);
    {{- else if .AttemptTimeout}}
    const left = {{ms .AttemptTimeout}};
    {{- else}}
    const left = 24 * 3600 * 1000;
    {{- end}}
    const response = http.request(method, url, body, Object.assign({timeout: left}, params));
    if ({{if not .Endless}}retry === {{.Attempts}} || {{end}}!retried(response.status)) {
      return response;
    }
    {{- if ne .Methods "any"}}
    if (!safe.includes(method) && !(params.headers || {})['Idempotency-Key']) {
      return response;
    }
    {{- end}}
    let pause = wait(retry);
    {{- if .Asks}}
    const server = asked(response.headers['Retry-After'], response.headers.Date);
    {{- if .Requires}}
    if (server === undefined && response.status !== 0) {
      return response;
    }
    {{- end}}
    if (server !== undefined) {
      {{- if .Ceilinged}}
      if (server > {{ms .Ceiling}}) {
        return response;
      }
      {{- end}}
      const there = server{{if .Spread}} + Math.random() * {{ms .Spread}}{{end}};
      {{- if eq .Mode "at-least"}}
      pause = server > pause ? there : pause;
      {{- else if eq .Mode "clamp"}}
      pause = Math.min(Math.max(pause, there), there + {{ms .RetryAfter.Range}});
      {{- else if eq .Mode "bounded"}}
      pause = Math.min(Math.max(pause, there), pause + {{ms .RetryAfter.Range}});
      {{- else}}
      pause = there;
      {{- end}}
    }
    {{- end}}
    {{- if .Timeout}}
    if (Date.now() + pause >= start + {{ms .Timeout}}) {
      return response;
    }
    {{- end}}
    sleep(pause / 1000);
  }
}

export default function () {
  send(__ENV.METHOD || 'GET', __ENV.URL);
}
`, d)
	},
}
