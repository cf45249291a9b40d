package export

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// onlyOwn leaves the plain growth of an own wait, and drops what few clients have.
func (d *draft) onlyOwn(more ...string) {
	d.drop("throttle-base", "least", "shift", "first", "hints", "spread", "budget")
	d.drop(more...)
}

// failures puts in place of what failures are retried those of a set: kinds and causes in the policy's words.
func (d *draft) failures(words string) {
	statuses := d.RetryOn.Statuses
	p := d.Policy
	if err := p.Set("retry-on", words); err == nil {
		d.RetryOn = p.RetryOn
	}
	d.RetryOn.Statuses = statuses
}

// most bounds the attempts.
func (d *draft) most(n int, why string) {
	if d.Attempts > n {
		d.Attempts = n
		d.because("attempts", why)
	}
}

// note says what is lost although the knob is written.
func (d *draft) note(line string) { d.notes = append(d.notes, line) }

// What curl retries: alone, and with --retry-all-errors, and which statuses it takes for transient.
const (
	curlFailures    = "timeout,dns"
	curlAllFailures = "transport,timeout,invalid-response,unknown,dns,tls,proxy"
	curlStatuses    = "408,429,500,502-504,522,524"
)

var curlFormat = Format{
	ID: "curl", Name: "curl 8", File: "request.sh", Comment: "#",
	fit: func(d *draft) {
		d.most(1_000_000, "curl counts its retries")
		d.onlyOwn("methods")
		d.jitters(engine.JitterNone)
		if d.Curve == engine.CurveConstant {
			whole(&d.Base, time.Second)
		} else {
			d.Base, d.Cap, d.Curve, d.Factor = time.Second, 10*time.Minute, engine.CurveExponential, 2
		}
		d.because("curve", "with --retry-delay waits are constant, without it they double from 1s to 10m")
		d.retryAfters(engine.RetryAfterReplace)
		d.Ceiling, d.OverCeiling = longestCurl, engine.OverCut
		d.Reads = engine.ReadsOf(engine.FormSeconds, engine.FormDate, engine.FormOldDate) // 0 is no wait to it
		whole(&d.AttemptTimeout, time.Millisecond)
		if !curlRetries(&d.RetryOn) {
			d.Attempts = 1
			d.because("attempts", "curl retries nothing of what is to be retried")
		}
		fitCurlTime(d)
		fitCurl(d)
	},
	body: func(d *draft) string {
		out := "curl"
		if d.Attempts > 1 {
			out += fmt.Sprintf(" --retry %d", d.Attempts-1)
			if d.Curve == engine.CurveConstant {
				out += " --retry-delay " + seconds(d.Base)
			}
			if d.Timeout > 0 {
				out += " --retry-max-time " + seconds(curlMaxTime(d))
			}
		}
		if d.AttemptTimeout > 0 {
			out += " --max-time " + seconds(d.AttemptTimeout)
		}
		switch {
		case d.Attempts == 1:
		case d.RetryOn.HasKind(engine.KindTransport) && d.RetryOn.Statuses.Has(404):
			out += " --retry-all-errors --fail"
		case d.RetryOn.HasKind(engine.KindTransport):
			out += " --retry-all-errors"
		case d.RetryOn.HasCause(engine.CauseRefused):
			out += " --retry-connrefused"
		}
		return out + ` "$URL"` + "\n"
	},
}

// curlRetries tells whether curl retries, under one option or another, anything of what a policy does.
func curlRetries(r *engine.RetryOn) bool {
	for _, c := range []engine.Cause{engine.CauseDNS, engine.CauseRefused} {
		if r.HasCause(c) {
			return true
		}
	}
	p := engine.Policy{}
	if err := p.Set("retry-on", curlStatuses); err != nil {
		return true
	}
	for i, bits := range p.RetryOn.Statuses {
		if bits&r.Statuses[i] != 0 {
			return true
		}
	}
	return r.HasKind(engine.KindTransport) || r.HasKind(engine.KindTimeout)
}

// fitCurl picks what curl retries: the transient statuses, and no, some or all failures.
func fitCurl(d *draft) {
	everything := d.RetryOn.Statuses.Has(404) && d.RetryOn.Statuses.Has(401)
	words := curlFailures + "," + curlStatuses
	switch {
	case d.Errors() && everything:
		words = curlAllFailures + ",4xx,5xx"
	case d.Errors():
		words = curlAllFailures + "," + curlStatuses
	case d.RetryOn.HasCause(engine.CauseRefused):
		words += ",refused"
	}
	if d.Attempts > 1 {
		_ = d.Set("retry-on", words) // words of our own: they parse
	} else {
		d.Timeout = 0
	}
}

// grpcCodes are the codes that one HTTP status stands for, and the other way round.
var grpcCodes = []struct {
	status int
	code   string
}{
	{400, "INVALID_ARGUMENT"},
	{401, "UNAUTHENTICATED"},
	{403, "PERMISSION_DENIED"},
	{404, "NOT_FOUND"},
	{409, "ABORTED"},
	{429, "RESOURCE_EXHAUSTED"},
	{499, "CANCELLED"},
	{500, "INTERNAL"},
	{501, "UNIMPLEMENTED"},
	{503, "UNAVAILABLE"},
	{504, "DEADLINE_EXCEEDED"},
}

// longestGRPC stands for a cap where there is none: the format wants one.
const longestGRPC = 24 * time.Hour

var grpcFormat = Format{
	ID: "grpc", Name: "a gRPC service config", File: "service_config.json",
	fit: func(d *draft) {
		d.onlyOwn("methods", "attempt-timeout")
		d.most(5, "a client takes 5 at most")
		d.curves(engine.CurveExponential, engine.CurveConstant)
		if d.Curve == engine.CurveNone {
			d.Curve, d.Base = engine.CurveConstant, time.Millisecond
		}
		d.Jitter, d.CapStage = engine.Jitter{Kind: engine.JitterScale, Lo: 0.8, Hi: 1.2}, engine.CapBefore
		d.Cap = min(d.Cap, longestGRPC)
		d.Base = min(d.Base, d.Cap)
		d.retryAfters(engine.RetryAfterReplace)
		d.because("retry-after", "the server's word is grpc-retry-pushback-ms")
		d.Ceiling = engine.NoCeiling
		have := engine.RetryOn{}
		for _, c := range grpcCodes {
			if d.RetryOn.Statuses.Has(c.status) {
				have.Statuses.Add(c.status)
			}
		}
		d.RetryOn = have
		d.because("retry-on", "a failed connection is UNAVAILABLE, which is 503")
		if have == (engine.RetryOn{}) {
			d.Attempts = 1
		}
		if d.Attempts > 1 {
			d.note("curve: after a wait that the server asked for, the own waits begin again with the first")
		}
	},
	body: func(d *draft) string {
		type policy struct {
			MaxAttempts          int      `json:"maxAttempts"`
			InitialBackoff       string   `json:"initialBackoff"`
			MaxBackoff           string   `json:"maxBackoff"`
			BackoffMultiplier    float64  `json:"backoffMultiplier"`
			RetryableStatusCodes []string `json:"retryableStatusCodes"`
		}
		type method struct {
			Name    []struct{} `json:"name"`
			Timeout string     `json:"timeout,omitempty"`
			Retry   *policy    `json:"retryPolicy,omitempty"`
		}
		m := method{Name: []struct{}{{}}}
		if d.Timeout > 0 {
			m.Timeout = seconds(d.Timeout) + "s"
		}
		if d.Attempts > 1 {
			p := &policy{d.Attempts, seconds(d.Base) + "s", seconds(d.Cap) + "s", d.growth(), nil}
			for _, c := range grpcCodes {
				if d.RetryOn.Statuses.Has(c.status) {
					p.RetryableStatusCodes = append(p.RetryableStatusCodes, c.code)
				}
			}
			m.Retry = p
		}
		out := struct {
			Lost   []string `json:"//,omitempty"` // JSON has no comments; unknown names are passed over
			Method []method `json:"methodConfig"`
		}{d.lost, []method{m}}
		b, err := json.MarshalIndent(out, "", "  ")
		if err != nil {
			return "export: " + err.Error()
		}
		return string(b) + "\n"
	},
}

var envoyFormat = Format{
	ID: "envoy", Name: "an Envoy route", File: "route.yaml", Comment: "#",
	fit: func(d *draft) {
		d.onlyOwn("methods")
		d.most(1_000_000, "Envoy counts its retries")
		d.curves(engine.CurveExponential)
		if d.Curve == engine.CurveConstant || d.Curve == engine.CurveNone || d.Base < time.Millisecond {
			d.Curve, d.Base = engine.CurveExponential, max(d.Base, time.Millisecond)
		}
		d.Factor, d.CapStage, d.Jitter = 2, engine.CapBefore, engine.Jitter{Kind: engine.JitterFull}
		whole(&d.Base, time.Millisecond)
		d.Cap = max(min(d.Cap, longestGRPC), d.Base)
		whole(&d.Cap, time.Millisecond)
		d.retryAfters(engine.RetryAfterIgnore)
		fitProxy(d)
	},
	body: func(d *draft) string {
		var b strings.Builder
		b.WriteString("route:\n  cluster: service\n")
		fmt.Fprintf(&b, "  timeout: %ss\n", seconds(d.Timeout))
		if d.Attempts == 1 {
			return b.String()
		}
		fmt.Fprintf(&b, "  retry_policy:\n    retry_on: %q\n", strings.Join(proxyWords(d), ","))
		if s := d.statuses(); len(s) > 0 {
			fmt.Fprintf(&b, "    retriable_status_codes: %s\n", strings.ReplaceAll(fmt.Sprint(s), " ", ", "))
		}
		fmt.Fprintf(&b, "    num_retries: %d\n", d.Attempts-1)
		if d.AttemptTimeout > 0 {
			fmt.Fprintf(&b, "    per_try_timeout: %ss\n", seconds(d.AttemptTimeout))
		}
		fmt.Fprintf(&b, "    retry_back_off:\n      base_interval: %ss\n      max_interval: %ss\n", seconds(d.Base), seconds(d.Cap))
		return b.String()
	},
}

// fitProxy keeps the failures that Envoy tells apart: connections that are not made, refused streams, and resets, which take
// a timeout in.
func fitProxy(d *draft) {
	whole(&d.Timeout, time.Millisecond) // finer ones Envoy cuts off, and Istio refuses
	whole(&d.AttemptTimeout, time.Millisecond)
	if d.Attempts == 1 {
		d.AttemptTimeout = 0
		return
	}
	refused := d.RetryOn.HasCause(engine.CauseRefused) || d.RetryOn.HasCause(engine.CauseUnreachable)
	switch streams := d.RetryOn.HasCause(engine.CauseHTTP2); {
	case d.Errors():
		d.failures("transport,timeout")
	case refused && streams:
		d.failures("refused,unreachable,http2")
	case refused: // connect-failure is both
		d.failures("refused,unreachable")
	case streams:
		d.failures("http2")
	default:
		d.failures("none")
	}
	if len(d.statuses()) == 0 && d.RetryOn == (engine.RetryOn{}) {
		d.Attempts, d.AttemptTimeout = 1, 0
	}
}

func proxyWords(d *draft) []string {
	var out []string
	if d.Errors() || d.RetryOn.HasCause(engine.CauseRefused) {
		out = append(out, "connect-failure")
	}
	if d.Errors() || d.RetryOn.HasCause(engine.CauseHTTP2) {
		out = append(out, "refused-stream")
	}
	if d.Errors() {
		out = append(out, "reset")
	}
	if len(d.statuses()) > 0 {
		out = append(out, "retriable-status-codes")
	}
	return out
}

var resilienceYAMLFormat = Format{
	ID: "resilience4j-yaml", Name: "Resilience4j 2, configured by Spring Boot", File: "application.yaml", Comment: "#",
	fit: fitResilience,
	body: func(d *draft) string {
		var b strings.Builder
		fmt.Fprintf(&b, "resilience4j.retry:\n  instances:\n    service:\n      maxAttempts: %d\n", d.Attempts)
		if d.Attempts == 1 {
			return b.String()
		}
		fmt.Fprintf(&b, "      waitDuration: %sms\n", milliseconds(d.Base))
		if d.Curve == engine.CurveExponential {
			fmt.Fprintf(&b, "      enableExponentialBackoff: true\n      exponentialBackoffMultiplier: %s\n", plainFloat(d.Factor))
			if d.Cap != engine.NoCap {
				fmt.Fprintf(&b, "      exponentialMaxWaitDuration: %sms\n", milliseconds(d.Cap))
			}
		}
		if d.Jitter.Kind == engine.JitterScale {
			fmt.Fprintf(&b, "      enableRandomizedWait: true\n      randomizedWaitFactor: %s\n", plainFloat(spreadOf(d)))
		}
		if d.RetryOn.Kinds != 0 {
			b.WriteString("      retryExceptions:\n")
		}
		if d.Errors() {
			b.WriteString("        - java.io.IOException\n")
		}
		if d.Timeouts() {
			b.WriteString("        - java.util.concurrent.TimeoutException\n")
		}
		return b.String()
	},
}

// spreadOf is the jitter as its reach to both sides of 1, rounded to what was written.
func spreadOf(d *draft) float64 { return float64(int64((d.Jitter.Hi-1)*1e9+0.5)) / 1e9 }

// fitResilience is what Resilience4j can do, in whichever form: it sees exceptions, never a status.
func fitResilience(d *draft) {
	d.onlyOwn("methods", "timeout", "attempt-timeout")
	d.most(1_000_000, "Resilience4j counts its attempts")
	d.curves(engine.CurveExponential, engine.CurveConstant)
	if d.Curve == engine.CurveNone {
		d.Curve = engine.CurveConstant
	}
	d.Base = max(d.Base, 10*time.Millisecond)
	whole(&d.Base, time.Millisecond)
	d.symmetric(0.999)
	d.CapStage = engine.CapAfter
	if d.Curve == engine.CurveConstant {
		d.Base, d.Cap = min(d.Base, d.Cap), engine.NoCap
		d.Base = max(d.Base, 10*time.Millisecond)
	}
	d.Cap = max(d.Cap, d.Base)
	whole(&d.Cap, time.Millisecond)
	d.retryAfters(engine.RetryAfterIgnore)
	d.RetryOn.Statuses = engine.StatusSet{}
	words := "none"
	switch {
	case d.Errors() && d.Timeouts():
		words = "transport,timeout"
	case d.Errors():
		words = "transport"
	case d.Timeouts():
		words = "timeout"
	default:
		d.Attempts = 1
	}
	d.failures(words)
	d.because("retry-on", "it sees exceptions: throw one for a status that may heal")
}

// symmetric leaves of the jitters those that reach as far to both sides of the curve, up to most.
func (d *draft) symmetric(most float64) {
	j := &d.Jitter
	if j.Kind == engine.JitterNone {
		return
	}
	sum := j.Lo + j.Hi - 2
	if j.Kind != engine.JitterScale || sum > 1e-9 || sum < -1e-9 || j.Hi-1 > most {
		*j = engine.Jitter{Kind: engine.JitterScale, Lo: 0.5, Hi: 1.5}
		return
	}
	r := float64(int64((j.Hi-1)*1e9+0.5)) / 1e9
	j.Lo, j.Hi = 1-r, 1+r
}
