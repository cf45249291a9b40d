package importer_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
)

// fileCase is a configuration, what of the policy it makes, and some of what is not read; or why it is refused.
type fileCase struct{ text, want, ignored, refused string }

// readsFiles checks cases of one format. What is wanted is a knob a word, name=value.
func readsFiles(t *testing.T, id string, cases []fileCase) {
	t.Helper()
	for _, c := range cases {
		r, err := read(t, id, c.text)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v, want %q", c.text, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for word := range strings.FieldsSeq(c.want) {
			name, value, _ := strings.Cut(word, "=")
			want := r.Policy
			if err := want.Set(name, value); err != nil || want != r.Policy {
				t.Errorf("%s: %v, no %s in %s", c.text, err, word, r.Policy)
			}
		}
		got := strings.Join(r.Ignored, "\n")
		if c.ignored == "-" && got != "" || c.ignored != "-" && !strings.Contains(got, c.ignored) {
			t.Errorf("%s: not read %q, want %q", c.text, got, c.ignored)
		}
	}
}

func TestResilienceFiles(t *testing.T) {
	t.Parallel()
	const waits = "attempts=5 base=2s curve=constant jitter=none"
	readsFiles(t, "resilience4j-yaml", []fileCase{
		// Other modules have instances too.
		{"{resilience4j: {circuitbreaker: {instances: {backendA: {slidingWindowSize: 10}}}, retry: {instances: {backendA: {maxAttempts: 5, waitDuration: 2s}}}}}", waits, "resilience4j.circuitbreaker", ""},
		{"resilience4j:\n  bulkhead: {instances: {a: {}}}\n  timelimiter: {configs: {default: {}}}", "", "", "nothing about retries"},
		{"spring: {cloud: {instances: {a: {maxAttempts: 9}}}}", "", "", "nothing about retries"},
		// The ways to write a name.
		{"resilience4j.retry.instances.a.maxAttempts: 5\nresilience4j.retry.instances.a.wait-duration: 2000", waits, "-", ""},
		{"resilience4j.retry:\n  instances.a.max-attempts: 5\n  instances:\n    a: {WAIT_DURATION: 2s}", waits, "-", ""},
		{"retry: {instances: {a: {maxAttempts: '5', waitDuration: '2s'}}}", waits, "-", ""},
		{"instances: {a: {maxAttempts: 5, waitDuration: 2s}}", waits, "-", ""},
		{"resilience4j: {retry: {backends: {a: {maxAttempts: 5, waitDuration: 2s}}}}", waits, "-", ""},
		{"a: 1\n---\nresilience4j: {retry: {instances: {1: {maxAttempts: 5, waitDuration: 2s}}}}", waits, "-", ""},
		{"# lines\nresilience4j.retry.instances.a.max-attempts=5\nresilience4j.retry.instances.a.waitDuration = 2s\nserver.port=1", waits, "-", ""},
		{"resilience4j.retry.instances[a.b].maxAttempts=5\nresilience4j.retry.instances[a.b].waitDuration=2s\nresilience4j.retry.instances[a.b].retryExceptions[0]=java.io.IOException\nresilience4j.retry.instances[a.b].retryExceptions[1]=a.C", waits + " retry-on=transport", "retryExceptions: a.C", ""},
		{"resilience4j.retry:\n  instances:\n    '[a.b]': {maxAttempts: 5, waitDuration: 2s}", waits, "-", ""},
		// What an instance stands on.
		{"retry: {configs: {default: {maxAttempts: 5, waitDuration: 2s}}, instances: {a: {}}}", waits, "-", ""},
		{"retry: {configs: {default: {maxAttempts: 5, waitDuration: 2s}}, instances: {a: }}", waits, "-", ""},
		{"retry: {configs: {default: {maxAttempts: 9, waitDuration: 2s}}, instances: {a: {maxAttempts: 5}}}", waits, "-", ""},
		{"retry: {configs: {default: {maxAttempts: 9}, slow: {waitDuration: 2s, maxAttempts: 5}}, instances: {a: {baseConfig: slow}}}", waits, "-", ""},
		{"retry: {configs: {default: {maxAttempts: 5}, slow: {waitDuration: 2s}}, instances: {a: {base-config: slow}}}", waits, "-", ""},
		{"retry: {configs: {default: {maxAttempts: 5, waitDuration: 2s}}}", waits, "-", ""},
		{"retry: {configs: {b: {maxAttempts: 5, waitDuration: 2s}}, instances: {a: {waitDuration: 1s}}}", "attempts=3 base=1s", "-", ""},
		{"retry: {configs: {b: {enableExponentialBackoff: true, exponentialBackoffMultiplier: 3, waitDuration: 9s}}, instances: {a: {baseConfig: b, waitDuration: 2s}}}", "base=2s curve=exponential factor=3", "-", ""},
		{"retry: {instances: {a: {baseConfig: none}}}", "", "", "baseConfig=none: a name of configs"},
		{"retry: {configs: {b: {baseConfig: c}, c: {baseConfig: b}}, instances: {a: {baseConfig: b}}}", "", "", "does not stand on itself"},
		// Values as Spring reads them.
		{"retry: {instances: {a: {waitDuration: PT2S}}}", "base=2s", "-", ""},
		{"retry: {instances: {a: {waitDuration: pt1m1.5s}}}", "base=61.5s", "-", ""},
		{"retry: {instances: {a: {waitDuration: P1DT2H}}}", "base=26h", "-", ""},
		{"retry: {instances: {a: {waitDuration: 1m}}}", "base=1m", "-", ""},
		{"retry: {instances: {a: {waitDuration: 1m30s}}}", "", "", "waitDuration=1m30s: a whole number with one unit, or ISO 8601"},
		{"retry: {instances: {a: {waitDuration: 1.5s}}}", "", "", "waitDuration=1.5s: a whole number with one unit"},
		{"retry: {instances: {a: {waitDuration: PT}}}", "", "", "waitDuration=PT"},
		{"retry: {instances: {a: {waitDuration: P1DT}}}", "", "", "waitDuration=P1DT"},
		{"retry: {instances: {a: {waitDuration: PT1.5M}}}", "", "", "waitDuration=PT1.5M"},
		{"retry: {instances: {a: {waitDuration: PT-2S}}}", "", "", "waitDuration=PT-2S"},
		{"retry: {instances: {a: {waitDuration: 99999999999999d}}}", "", "", "waitDuration=99999999999999d"},
		{"retry: {instances: {a: {waitDuration: '${WAIT:2s}'}}}", "", "", "waitDuration=${WAIT:2s}"},
		{"retry: {instances: {a: {maxAttempts: '${N}'}}}", "", "", "maxAttempts=${N}: a whole number"},
		{"retry: {instances: {a: {waitDuration: 1s, enableExponentialBackoff: 'true'}}}", "base=1s curve=exponential factor=1.5", "-", ""},
		{"retry: {instances: {a: {waitDuration: 1s, enableExponentialBackoff: yes, exponentialBackoffMultiplier: '3', exponentialMaxWaitDuration: PT5S}}}", "factor=3 cap=5s", "-", ""},
		{"retry: {instances: {a: {waitDuration: 1s, enableExponentialBackoff: perhaps}}}", "", "", "enableExponentialBackoff=perhaps: true or false"},
		{"retry: {instances: {a: {waitDuration: 1s, enableExponentialBackoff: true, exponentialBackoffMultiplier: 0.5}}}", "", "", "exponentialBackoffMultiplier=0.5: 1 or more where waits grow"},
		{"retry: {instances: {a: {waitDuration: 1s, exponentialBackoffMultiplier: 0}}}", "", "", "exponentialBackoffMultiplier=0: above 0"},
		{"retry: {instances: {a: {waitDuration: 1s, enableRandomizedWait: true, randomizedWaitFactor: 1}}}", "", "", "randomizedWaitFactor=1: 0 or more"},
		{"retry: {instances: {a: {waitDuration: 0, enableRandomizedWait: true}}}", "", "", "waitDuration=0s: 1ms or more"},
		{"retry: {instances: {a: {retryExceptions: 'java.io.IOException, a.B'}}}", "retry-on=transport", "retryExceptions: a.B", ""},
		{"retry: {instances: {a: 3}}", "", "", "a=3: an object"},
		// What Resilience4j passes over.
		{"retry: {instances: {a: {enableExponentialBackoff: true, exponentialBackoffMultiplier: 2}}}", "base=500ms curve=constant", "enableExponentialBackoff of a: Resilience4j looks at it beside a waitDuration alone", ""},
		{"retry: {configs: {default: {waitDuration: 1s}}, instances: {a: {enableExponentialBackoff: true}}}", "base=1s curve=constant", "enableExponentialBackoff of a", ""},
		{"retry: {configs: {default: {enableExponentialBackoff: true}}, instances: {a: {waitDuration: 1s}}}", "base=1s curve=exponential", "-", ""},
		{"retry: {instances: {a: {waitDuration: 1s, enableExponentialBackoff: true, exponentialMaxWaitDuration: 5s}}}", "cap=none", "exponentialMaxWaitDuration: Resilience4j looks at it", ""},
		{"retry: {instances: {a: {waitDuration: 1s, enableExponentialBackoff: true, enableRandomizedWait: true, randomizedWaitFactor: 0.1}}}", "jitter=scale:0.5..1.5", "randomizedWaitFactor: Resilience4j looks at it", ""},
	})
}

func TestEnvoyFiles(t *testing.T) {
	t.Parallel()
	route := func(policy string) string { return "route: {cluster: a, retry_policy: {" + policy + "}}" }
	readsFiles(t, "envoy", []fileCase{
		// wouldRetryFromReset of Envoy's retry_state_impl.cc.
		{route("retry_on: gateway-error"), "attempts=2 retry-on=transport,timeout,502-504", "-", ""},
		{route("retry_on: reset"), "retry-on=transport,timeout", "-", ""},
		{route("retry_on: reset-before-request"), "retry-on=refused,unreachable", "reset-before-request: what breaks", ""},
		{route("retry_on: 'connect-failure,refused-stream, retriable-4xx'"), "retry-on=refused,unreachable,http2,409", "-", ""},
		{route("retry_on: 'unavailable,cancelled,deadline-exceeded,internal,resource-exhausted'"), "retry-on=none", "retry on unavailable: it looks at grpc-status and at no HTTP status", ""},
		{route("retry_on: 503"), "retry-on=none", "retry on 503: no word of Envoy's, which passes over it", ""},
		{route("retry_on: 5XX"), "retry-on=none", "retry on 5XX: no word", ""},
		{route("retry_on: [5xx]"), "", "", "retry_on=[5xx]: a text, with commas"},
		{route("retry_on: 5xx, retriable_status_codes: [429]"), "retry-on=transport,timeout,5xx", "retriable_status_codes: Envoy looks at them where retry_on has retriable-status-codes alone", ""},
		{route("retry_on: retriable-status-codes, retriable_status_codes: [429, '409']"), "retry-on=409,429", "-", ""},
		{route("retry_on: retriable-status-codes, retriable_status_codes: 429"), "", "", "retriable_status_codes=429: a list"},
		{route("retry_on: retriable-status-codes, retriable_status_codes: [200]"), "", "", "status=200"},
		// Waits as Envoy takes them.
		{route("retry_on: reset, retry_back_off: {base_interval: 2s, max_interval: 1s}"), "", "", "max_interval=1s: no shorter than base_interval, 2s: Envoy refuses it"},
		{route("retry_on: reset, retry_back_off: {max_interval: 1s}"), "", "", "base_interval=<nil>"},
		{route("retry_on: reset, retry_back_off: {base_interval: 0s}"), "", "", "base_interval=0s: more than 0s"},
		{route("retry_on: reset, retry_back_off: {base_interval: 250ms}"), "", "", "base_interval=250ms: seconds with an s"},
		{route("retry_on: reset, retry_back_off: {base_interval: 1}"), "", "", "base_interval=1: seconds with an s"},
		{route("retry_on: reset, retry_back_off: 1s"), "", "", "retry_back_off=1s: an object"},
		{route("retry_on: reset, num_retries: -1"), "", "", "num_retries=-1"},
		// The JSON of protocol buffers.
		{`{"route": {"cluster": "a", "timeout": "3s", "retryPolicy": {"retryOn": "retriable-status-codes", "numRetries": 4, "perTryTimeout": "0.5s", "retriableStatusCodes": [503], "retryBackOff": {"baseInterval": "0.1s", "maxInterval": "2s"}}}}`, "attempts=5 timeout=3s attempt-timeout=500ms base=100ms cap=2s retry-on=503", "-", ""},
		{`{"route": {"retryPolicy": {"retryOn": "5xx", "hostSelectionRetryMaxAttempts": "3"}}}`, "attempts=2", "retry_policy: hostSelectionRetryMaxAttempts", ""},
		// Other parts of a configuration have a retry_policy, and a route's goes before its host's.
		{"http_filters: [{remote_jwks: {retry_policy: {num_retries: 9}}}]\nroute_config: {virtual_hosts: [{domains: ['*'], retry_policy: {retry_on: 5xx, num_retries: 7}, routes: [{route: {retry_policy: {retry_on: reset, num_retries: 3}}}]}]}", "attempts=4 retry-on=transport,timeout", "remote_jwks: retry_policy, which is no route's", ""},
		{"virtual_hosts: [{domains: ['*'], name: a, retry_policy: {retry_on: 5xx, num_retries: 7}, routes: [{route: {timeout: 1s}}]}]", "attempts=8 timeout=15s", "virtual host: routes", ""},
		{"remote_jwks: {retry_policy: {num_retries: 9}}", "", "", "nothing about retries"},
		{"route: {retry_policy: 3}", "", "", "retry_policy=3: an object"},
		{"route: {timeout: 3s, retry_policy: }", "attempts=1 timeout=3s", "-", ""},
	})
}

func TestIstioFiles(t *testing.T) {
	t.Parallel()
	grpc := "the default of retryOn: unavailable and cancelled, which look at grpc-status, and before Istio 1.24 the status 503"
	readsFiles(t, "istio", []fileCase{
		{"http: [{retries: {attempts: 2}}]", "attempts=3 retry-on=refused,unreachable,http2", grpc, ""},
		{"http: [{retries: {attempts: 2, retryOn: ''}}]", "retry-on=refused,unreachable,http2", grpc, ""},
		{"http: [{retries: {attempts: 2, retryOn: 500}}]", "attempts=3 retry-on=500", "-", ""},
		{"http: [{retries: {attempts: 2, retryOn: '503, unavailable'}}]", "retry-on=503", "retry on unavailable: it looks at grpc-status", ""},
		{"http: [{retries: {attempts: 2, retryOn: gateway-error}}]", "retry-on=transport,timeout,502-504", "-", ""},
		{"http: [{retries: {attempts: 2, retryOn: [500]}}]", "", "", "retryOn=[500]: a text, with commas"},
		{"http: [{retries: {attempts: 2, retryOn: true}}]", "", "", "retryOn=true: a text"},
		{"http: [{retries: {attempts: 2, retryOn: gateway-errors}}]", "", "", "retryOn=gateway-errors: a word of Envoy's retry_on or a status"},
		{"http: [{retries: {attempts: 2, retryOn: '599'}}]", "", "", "retryOn=599: a status that has a name"},
		{"http: [{retries: {retryOn: 5xx}}]", "", "", "attempts=0: 1 or more where retryOn or perTryTimeout stands beside it"},
		{"http: [{retries: {attempts: 0, perTryTimeout: 1s}}]", "", "", "attempts=0: 1 or more"},
		{"http: [{retries: {attempts: 0}}]", "attempts=1", "-", ""},
		{"http: [{retries: {attempts: 2, perTryTimeout: 250ms, backoff: 0.1s}, timeout: 1m30s}]", "attempt-timeout=250ms base=100ms cap=1s timeout=90s", grpc, ""},
		{"http: [{retries: {attempts: 2, perTryTimeout: 2}}]", "", "", "perTryTimeout=2: a time with its unit"},
		{"http: [{retries: {attempts: 2, perTryTimeout: 0s}}]", "", "", "perTryTimeout=0s: whole milliseconds, 1ms or more"},
		{"job: {retries: {limit: 3}}\nspec: {http: [{retries: {attempts: 4}}]}", "attempts=5", "job: retries, which are no route's", ""},
		{"job: {retries: {attempts: 3}}", "", "", "nothing about retries"},
	})
	for status := 100; status <= 599; status++ {
		_, err := read(t, "istio", fmt.Sprintf("retries: {attempts: 2, retryOn: '%d'}", status))
		if refused := err != nil && strings.Contains(err.Error(), "a status that has a name"); refused != (http.StatusText(status) == "") {
			t.Errorf("%d %s: %v", status, http.StatusText(status), err)
		}
	}
	r, err := read(t, "istio", "retries: {attempts: 2}")
	if want, perr := engine.ParsePolicy(mustPreset(t, "istio-default", ""), engine.Default()); err != nil || perr != nil || r.Policy != want {
		t.Errorf("%v: an Istio that names nothing is not its preset: %s", err, r.Policy)
	}
}

func TestGRPCFiles(t *testing.T) {
	t.Parallel()
	policy := func(more string) string {
		fields := map[string]string{"maxAttempts": "3", "initialBackoff": `"0.1s"`, "maxBackoff": `"1s"`, "backoffMultiplier": "2", "retryableStatusCodes": `["UNAVAILABLE"]`}
		if name, value, ok := strings.Cut(more, "="); ok {
			fields[name] = value
		}
		var all []string
		for name, value := range fields {
			all = append(all, `"`+name+`": `+value)
		}
		return `{"methodConfig": [{"name": [{}], "retryPolicy": {` + strings.Join(all, ", ") + `}}]}`
	}
	readsFiles(t, "grpc", []fileCase{
		{policy(""), "attempts=3 base=100ms cap=1s factor=2 retry-on=503", "-", ""},
		{policy("retryableStatusCodes=[14, 8]"), "retry-on=429,503", "-", ""},
		{policy("retryableStatusCodes=[]"), "", "", "gRPC refuses an empty one"},
		{policy("retryableStatusCodes=null"), "", "", "gRPC refuses an empty one"},
		{policy("retryableStatusCodes=[14.5]"), "", "", "retryableStatusCodes=14.5: a code of gRPC"},
		{policy("retryableStatusCodes=[17]"), "", "", "retryableStatusCodes=17"},
		{policy("retryableStatusCodes=[0, 14]"), "retry-on=503", "retryableStatusCodes: OK, which is no failure", ""},
		{policy(`retryableStatusCodes=["OK"]`), "retry-on=none", "retryableStatusCodes: OK", ""},
		{policy(`retryableStatusCodes=["unavailable"]`), "", "", "by its name in capitals"},
		{policy(`retryableStatusCodes=["14"]`), "", "", "retryableStatusCodes=14: "},
		{policy(`initialBackoff="0s"`), "", "", "initialBackoff=0s: more than 0s: gRPC refuses it"},
		{policy(`maxBackoff="0.0s"`), "", "", "maxBackoff=0.0s: more than 0s"},
		{policy("initialBackoff=1"), "", "", "initialBackoff=1: seconds with an s"},
		{policy(`initialBackoff="100ms"`), "", "", "initialBackoff=100ms: seconds with an s"},
		{policy(`initialBackoff="1.2.3s"`), "", "", "initialBackoff=1.2.3s"},
		{policy(`initialBackoff="s"`), "", "", "initialBackoff=s"},
		{policy(`initialBackoff="0.0000000001s"`), "", "", "initialBackoff=0.0000000001s"},
		{policy(`initialBackoff=".5s"`), "base=500ms", "-", ""},
		{policy("backoffMultiplier=0.5"), "", "", "backoffMultiplier=0.5: 1 or more here: gRPC takes it, but its waits become shorter each time"},
		{policy("backoffMultiplier=0"), "", "", "backoffMultiplier=0: a number above 0"},
		{policy(`backoffMultiplier="2"`), "", "", "backoffMultiplier=2: a number above 0"},
		{policy("maxAttempts=1"), "", "", "maxAttempts=1: a whole number of 2 or more"},
		{policy(`maxAttempts="3"`), "", "", "maxAttempts=3: a whole number"},
		{`{"methodConfig": [{"name": [{}], "timeout": "0s"}]}`, "", "", "timeout=0s: more than 0s: every call"},
		{`{"methodConfig": [{"timeout": "1s"}]}`, "timeout=1s attempts=1", "methodConfig without a name: it is for no method", ""},
		{`{"methodConfig": [{"name": [{}], "retryPolicy": 3}]}`, "", "", "retryPolicy=3: an object"},
	})
}
