package importer

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// readEnvoy reads the first retry policy of a route or a virtual host.
func readEnvoy(text string, r *reading) error {
	doc, err := yamlDocuments(text)
	if err != nil {
		return err
	}
	r.set("attempts=1 base=25ms cap=250ms curve=exponential factor=2 jitter=full retry-after=ignore timeout=15s attempt-timeout=none retry-on=none methods=any")
	at, err := r.first(find(doc, "retry_policy"), "retry_policy")
	if err != nil {
		routes := find(doc, "route")
		if len(routes) == 0 {
			return err
		}
		at = found{routes[0].is, object{}}
	} else {
		r.p.Attempts = 2
	}
	if v, ok := at.in["timeout"]; ok {
		r.p.Timeout = r.span("timeout", v, time.Second)
	}
	r.rest(at.in, "route: ", "timeout", "retry_policy", "cluster")
	o := at.is
	r.rest(o, "retry_policy: ", "retry_on", "num_retries", "per_try_timeout", "retry_back_off", "retriable_status_codes")
	if v, ok := o["num_retries"]; ok {
		r.p.Attempts = r.count("num_retries", v, 0) + 1
	}
	if v, ok := o["per_try_timeout"]; ok {
		r.p.AttemptTimeout = r.span("per_try_timeout", v, time.Second)
	}
	if b, ok := o["retry_back_off"].(object); ok {
		r.rest(b, "retry_back_off: ", "base_interval", "max_interval")
		r.p.Base = r.span("base_interval", b["base_interval"], time.Second)
		r.p.Cap = 10 * r.p.Base
		if v, ok := b["max_interval"]; ok {
			r.p.Cap = r.span("max_interval", v, time.Second)
		}
	}
	r.proxyWords(list(o["retry_on"]), list(o["retriable_status_codes"]))
	return nil
}

// readIstio reads the retries of the first route that has some.
func readIstio(text string, r *reading) error {
	doc, err := yamlDocuments(text)
	if err != nil {
		return err
	}
	at, err := r.first(find(doc, "retries"), "retries")
	if err != nil {
		return err
	}
	r.set("attempts=3 base=25ms cap=250ms curve=exponential factor=2 jitter=full retry-after=ignore timeout=none attempt-timeout=none retry-on=none methods=any")
	if v, ok := at.in["timeout"]; ok {
		r.p.Timeout = r.span("timeout", v, time.Second)
	}
	r.rest(at.in, "http: ", "timeout", "retries", "route", "match", "name")
	o := at.is
	r.rest(o, "retries: ", "attempts", "perTryTimeout", "retryOn", "backoff")
	if v, ok := o["backoff"]; ok { // Envoy's base interval; the longest is ten times that
		r.p.Base = r.span("backoff", v, time.Second)
		r.p.Cap = 10 * min(r.p.Base, engine.Forever/10)
	}
	if v, ok := o["attempts"]; ok {
		r.p.Attempts = r.count("attempts", v, 0) + 1
	}
	if v, ok := o["perTryTimeout"]; ok {
		r.p.AttemptTimeout = r.span("perTryTimeout", v, time.Second)
	}
	on := list(o["retryOn"])
	if len(on) == 0 {
		on = []string{"connect-failure", "refused-stream", "unavailable", "cancelled", "503"}
	}
	r.proxyWords(on, nil)
	return nil
}

// proxyWords reads Envoy's retry_on. codes are those of retriable-status-codes.
func (r *reading) proxyWords(on, codes []string) {
	s := &r.p.RetryOn
	for _, w := range on {
		switch w {
		case "5xx":
			s.Statuses.AddRange(500, 599)
			s.SetKind(engine.KindTransport, true)
			s.SetKind(engine.KindTimeout, true)
		case "gateway-error":
			s.Statuses.AddRange(502, 504)
		case "reset", "reset-before-request":
			s.SetKind(engine.KindTransport, true)
			s.SetKind(engine.KindTimeout, true)
		case "connect-failure":
			s.SetCause(engine.CauseRefused, 1)
		case "refused-stream":
			s.SetCause(engine.CauseHTTP2, 1)
		case "retriable-4xx":
			s.Statuses.Add(409)
		case "unavailable":
			s.Statuses.Add(503)
		case "resource-exhausted":
			s.Statuses.Add(429)
		case "retriable-status-codes":
			for _, c := range codes {
				r.status(c)
			}
		default:
			if _, err := strconv.Atoi(w); err == nil {
				r.status(w)
				continue
			}
			r.ignore("retry on %s", w)
		}
	}
	if s.HasKind(engine.KindTransport) { // which takes them in
		s.SetCause(engine.CauseRefused, 0)
		s.SetCause(engine.CauseHTTP2, 0)
	}
}

func (r *reading) status(text string) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 100 || n > 599 || n/100 == 2 {
		r.bad("status", text, "100 to 599, and no 2xx")
		return
	}
	r.p.RetryOn.Statuses.Add(n)
}

// readResilience reads the first instance, or configuration, of a Resilience4j retry, as Spring Boot has it.
func readResilience(text string, r *reading) error {
	doc, err := yamlDocuments(text)
	if err != nil {
		return err
	}
	all := append(find(doc, "instances"), find(doc, "configs")...)
	if len(all) == 0 || len(all[0].is) == 0 {
		return ErrNoPolicy
	}
	names := sorted(all[0].is)
	if len(names) > 1 {
		r.ignore("%d more: %s was read", len(names)-1, names[0])
	}
	o, _ := all[0].is[names[0]].(object)
	camel := object{} // Spring takes max-attempts for maxAttempts
	for k, v := range o {
		camel[camelCase(k)] = v
	}
	r.set("attempts=3 base=500ms cap=none cap-stage=after curve=constant jitter=none retry-after=ignore timeout=none attempt-timeout=none retry-on=transport,timeout methods=any")
	r.resilience(camel)
	return nil
}

func (r *reading) resilience(o object) {
	read := []string{"maxAttempts", "waitDuration", "retryExceptions", "enableExponentialBackoff", "enableRandomizedWait", "exponentialBackoffMultiplier", "exponentialMaxWaitDuration", "randomizedWaitFactor"}
	r.rest(o, "", read...)
	if v, ok := o["maxAttempts"]; ok {
		r.p.Attempts = r.count("maxAttempts", v, 1)
	}
	if v, ok := o["waitDuration"]; ok {
		r.p.Base = r.span("waitDuration", v, time.Millisecond)
	}
	if o["enableExponentialBackoff"] == true {
		r.p.Curve, r.p.Factor = engine.CurveExponential, 1.5
		if f, ok := number(o["exponentialBackoffMultiplier"]); ok && f >= 1 {
			r.p.Factor = f
		}
		if v, ok := o["exponentialMaxWaitDuration"]; ok {
			r.p.Cap = r.span("exponentialMaxWaitDuration", v, time.Millisecond)
		}
	}
	if o["enableRandomizedWait"] == true {
		f, ok := number(o["randomizedWaitFactor"])
		if !ok {
			f = 0.5
		}
		if f < 0 || f >= 1 {
			r.bad("randomizedWaitFactor", fmt.Sprint(f), "0 or more, below 1")
			f = 0
		}
		r.p.Jitter = engine.Jitter{Kind: engine.JitterScale, Lo: 1 - f, Hi: 1 + f}
	}
	if v, ok := o["retryExceptions"]; ok {
		r.p.RetryOn = engine.RetryOn{}
		for _, name := range list(v) {
			switch name {
			case "java.io.IOException":
				r.p.RetryOn.SetKind(engine.KindTransport, true)
			case "java.util.concurrent.TimeoutException":
				r.p.RetryOn.SetKind(engine.KindTimeout, true)
			default:
				r.ignore("retryExceptions: %s", name)
			}
		}
	}
}

// camelCase is a key as Java writes it.
func camelCase(s string) string {
	parts := strings.Split(s, "-")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}
