package importer

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/retryscope/retryscope/engine"
)

// readEnvoy reads the first retry policy of a route, else of a virtual host.
func readEnvoy(text string, r *reading) error {
	docs, err := yamlDocuments(text)
	if err != nil {
		return err
	}
	r.set("attempts=1 base=25ms cap=250ms curve=exponential factor=2 jitter=full retry-after=ignore timeout=15s attempt-timeout=none retry-on=none methods=any")
	at, ok := r.envoyPolicy(find(docs, "retry_policy"))
	if !ok {
		routes := find(docs, "route")
		if len(routes) == 0 {
			return ErrNoPolicy
		}
		at = found{in: routes[0].is, under: "route"}
	}
	if v := at.in["timeout"]; v != nil && at.under != virtualHost {
		r.p.Timeout = r.protoSpan("timeout", v)
	}
	if at.under == virtualHost {
		r.rest(at.in, "virtual host: ", "retry_policy")
	} else {
		r.rest(at.in, "route: ", "timeout", "retry_policy", "cluster")
	}
	if o, ok := r.member(at.in, "retry_policy"); ok {
		r.envoy(o)
	}
	return nil
}

const virtualHost = "virtual_hosts"

// envoyPolicy is the first that is a route's or a whole document's, else the first of a virtual host. Other parts of a
// configuration have members of that name too.
func (r *reading) envoyPolicy(all []found) (found, bool) {
	var picked []found
	for _, own := range []bool{true, false} {
		for _, f := range all {
			_, domains := f.in["domains"]
			_, routes := f.in["routes"]
			host := domains || routes || f.under == virtualHost
			if host {
				f.under = virtualHost
			}
			switch {
			case own && !host && (f.under == "route" || f.under == ""), !own && host:
				picked = append(picked, f)
			case own && !host:
				r.ignore("%s: retry_policy, which is no route's", f.under)
			}
		}
	}
	if len(picked) == 0 {
		return found{}, false
	}
	if len(picked) > 1 {
		r.ignore("retry_policy stands there %d times: the first was read, a route's before a virtual host's", len(picked))
	}
	return picked[0], true
}

func (r *reading) envoy(o object) {
	r.rest(o, "retry_policy: ", "retry_on", "num_retries", "per_try_timeout", "retry_back_off", "retriable_status_codes")
	o = snaked(o)
	r.p.Attempts = 2
	if v, ok := o["num_retries"]; ok && v != nil {
		r.p.Attempts = r.count("num_retries", numeral(v), 0) + 1
	}
	if v := o["per_try_timeout"]; v != nil {
		r.p.AttemptTimeout = r.protoSpan("per_try_timeout", v)
	}
	if b, ok := r.member(o, "retry_back_off"); ok {
		r.envoyWaits(b)
	}
	on := r.commaWords("retry_on", o["retry_on"])
	codes, ok := o["retriable_status_codes"].([]any)
	if v := o["retriable_status_codes"]; v != nil && !ok {
		r.bad("retriable_status_codes", fmt.Sprint(v), "a list: [429, 503]")
	}
	for _, w := range on {
		if !r.proxyWord(w) {
			r.ignore("retry on %s: no word of Envoy's, which passes over it", w)
		}
	}
	if slices.Contains(on, statusCodes) {
		for _, c := range codes {
			r.status(fmt.Sprint(numeral(c)))
		}
	} else if len(codes) > 0 {
		r.ignore("retriable_status_codes: Envoy looks at them where retry_on has %s alone", statusCodes)
	}
	r.settleProxy()
}

// envoyWaits reads retry_back_off. Envoy refuses one that ends below where it begins.
func (r *reading) envoyWaits(b object) {
	r.rest(b, "retry_back_off: ", "base_interval", "max_interval")
	b = snaked(b)
	r.p.Base = r.longerSpan("base_interval", b["base_interval"], "Envoy refuses it")
	r.p.Cap = 10 * min(r.p.Base, engine.Forever/10)
	v, ok := b["max_interval"]
	if !ok {
		return
	}
	if r.p.Cap = r.protoSpan("max_interval", v); r.p.Cap < r.p.Base || r.p.Cap == 0 {
		r.bad("max_interval", fmt.Sprint(v), "no shorter than base_interval, "+engine.FormatDuration(r.p.Base)+": Envoy refuses it")
	}
}

// statusCodes is the word by which statuses are retried that are listed on their own.
const statusCodes = "retriable-status-codes"

// proxyWord reads a word of Envoy's retry_on, as wouldRetryFromHeaders and wouldRetryFromReset of its
// source/common/router/retry_state_impl.cc do, and tells whether it is one.
func (r *reading) proxyWord(w string) bool {
	s := &r.p.RetryOn
	noAnswer := func() {
		s.SetKind(engine.KindTransport, true)
		s.SetKind(engine.KindTimeout, true)
	}
	notMade := func() {
		s.SetCause(engine.CauseRefused, 1)
		s.SetCause(engine.CauseUnreachable, 1)
	}
	switch w {
	case "5xx":
		s.Statuses.AddRange(500, 599)
		noAnswer()
	case "gateway-error": // takes a reset and a try that ran out of time for one
		s.Statuses.AddRange(502, 504)
		noAnswer()
	case "reset":
		noAnswer()
	case "reset-before-request":
		notMade()
		r.ignore("retry on %s: what breaks before the request is sent, but a connection that is not made", w)
	case "connect-failure":
		notMade()
	case "refused-stream":
		s.SetCause(engine.CauseHTTP2, 1)
	case "retriable-4xx":
		s.Statuses.Add(409)
	case statusCodes:
	case "cancelled", "deadline-exceeded", "internal", "resource-exhausted", "unavailable":
		r.ignore("retry on %s: it looks at grpc-status and at no HTTP status", w)
	case "retriable-headers", "envoy-ratelimited", "http3-post-connect-failure":
		r.ignore("retry on %s", w)
	default:
		return false
	}
	return true
}

// settleProxy leaves out what a kind takes in.
func (r *reading) settleProxy() {
	s := &r.p.RetryOn
	if s.HasKind(engine.KindTransport) {
		for _, c := range []engine.Cause{engine.CauseRefused, engine.CauseUnreachable, engine.CauseHTTP2} {
			s.SetCause(c, 0)
		}
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

// numeral is a number in quotes as one without.
func numeral(v any) any {
	if s, ok := v.(string); ok {
		if n, err := strconv.Atoi(s); err == nil {
			return n
		}
	}
	return v
}
