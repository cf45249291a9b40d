package importer

import (
	"fmt"
	"strconv"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// readIstio reads the retries of the first route that has some.
func readIstio(text string, r *reading) error {
	docs, err := yamlDocuments(text)
	if err != nil {
		return err
	}
	var all []found
	for _, f := range find(docs, "retries") {
		if f.under == "http" || f.under == "" {
			all = append(all, f)
			continue
		}
		r.ignore("%s: retries, which are no route's", f.under)
	}
	if len(all) == 0 {
		return ErrNoPolicy
	}
	if len(all) > 1 {
		r.ignore("retries stands there %d times: the first was read", len(all))
	}
	r.set("attempts=1 base=25ms cap=250ms curve=exponential factor=2 jitter=full retry-after=ignore timeout=none attempt-timeout=none retry-on=none methods=any")
	in := all[0].in
	if v := in["timeout"]; v != nil {
		r.p.Timeout = r.istioSpan("timeout", v, 0)
	}
	r.rest(in, "http: ", "timeout", "retries", "route", "match", "name")
	r.istio(all[0].is)
	return nil
}

// istio reads retries, as ConvertPolicy of Istio's pilot/pkg/networking/core/route/retry does: without attempts there are
// none, and a retryOn takes the place of the default.
func (r *reading) istio(o object) {
	r.rest(o, "retries: ", "attempts", "per_try_timeout", "retry_on", "backoff")
	o = snaked(o)
	if v := o["backoff"]; v != nil { // Envoy's base interval; the longest is ten times that
		r.p.Base = r.istioSpan("backoff", v, time.Millisecond)
		r.p.Cap = 10 * min(r.p.Base, engine.Forever/10)
	}
	n, off := o["attempts"]
	if off = !off || n == nil || n == 0; !off {
		r.p.Attempts = r.count("attempts", n, 1) + 1
	}
	if v := o["per_try_timeout"]; v != nil {
		r.p.AttemptTimeout = r.istioSpan("perTryTimeout", v, time.Millisecond)
	}
	on := r.commaWords("retryOn", o["retry_on"])
	tries := o["per_try_timeout"] != nil
	switch {
	case off && (tries || len(on) > 0):
		r.bad("attempts", "0", "1 or more where retryOn or perTryTimeout stands beside it: without attempts there are none, and Istio refuses it")
	case len(on) == 0: // since 1.24 a 503 is not among them
		on = []string{"connect-failure", "refused-stream"}
		if !off {
			r.ignore("the default of retryOn: unavailable and cancelled, which look at grpc-status, and before Istio 1.24 the status 503")
		}
	}
	for _, w := range on {
		n, err := strconv.Atoi(w)
		switch {
		case err == nil && n >= 100 && !namedStatus(n):
			r.bad("retryOn", w, "a status that has a name: Istio refuses another")
		case err == nil:
			r.status(w)
		case !r.proxyWord(w):
			r.bad("retryOn", w, "a word of Envoy's retry_on or a status: Istio refuses another")
		}
	}
	r.settleProxy()
}

// istioSpan reads a duration in Go's form, which Istio wants whole milliseconds of.
func (r *reading) istioSpan(name string, v any, least time.Duration) time.Duration {
	text, ok := v.(string)
	if !ok {
		r.bad(name, fmt.Sprint(v), "a time with its unit: 200ms, 1.5s, 2m, 1h")
		return 0
	}
	d := r.span(name, text)
	if d < least || d%time.Millisecond != 0 {
		r.bad(name, text, "whole milliseconds, "+engine.FormatDuration(least)+" or more: Istio refuses another")
	}
	return d
}

// namedStatus tells whether a status has a name in Go's net/http, without which Istio takes it for none.
func namedStatus(n int) bool {
	for _, run := range [...][2]int{{100, 103}, {200, 208}, {226, 226}, {300, 305}, {307, 308}, {400, 418}, {421, 426}, {428, 429}, {431, 431}, {451, 451}, {500, 508}, {510, 511}} {
		if run[0] <= n && n <= run[1] {
			return true
		}
	}
	return false
}
