package export

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/retryscope/retryscope/engine"
)

var istioFormat = Format{
	ID: "istio", Name: "an Istio VirtualService", File: "virtualservice.yaml", Comment: "#",
	fit: func(d *draft) {
		d.onlyOwn("methods")
		d.most(1_000_000, "Istio counts its retries")
		d.curves(engine.CurveExponential)
		base := max(min(d.Base, longestGRPC/10), time.Millisecond)
		whole(&base, time.Millisecond)
		// It takes the first wait alone; Envoy's longest one is ten times that.
		d.Backoff = engine.Backoff{Base: base, Cap: 10 * base, Curve: engine.CurveExponential, Factor: 2, Jitter: engine.Jitter{Kind: engine.JitterFull}}
		d.because("cap", "ten times the base")
		d.retryAfters(engine.RetryAfterIgnore)
		fitIstioStatuses(d)
		fitProxy(d)
	},
	body: func(d *draft) string {
		var b strings.Builder
		b.WriteString("apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata:\n  name: service\nspec:\n  hosts: [service]\n  http:\n    - route:\n        - destination:\n            host: service\n")
		if d.Timeout > 0 {
			fmt.Fprintf(&b, "      timeout: %ss\n", seconds(d.Timeout))
		}
		fmt.Fprintf(&b, "      retries:\n        attempts: %d\n", d.Attempts-1)
		if d.Attempts > 1 {
			fmt.Fprintf(&b, "        retryOn: %q\n", strings.Join(istioWords(d), ","))
			if d.Base != istioBase {
				fmt.Fprintf(&b, "        backoff: %ss # unknown to an Istio before 1.26\n", seconds(d.Base))
			}
		}
		if d.AttemptTimeout > 0 {
			fmt.Fprintf(&b, "        perTryTimeout: %ss\n", seconds(d.AttemptTimeout))
		}
		return b.String()
	},
}

// istioBase is Envoy's first wait where a VirtualService names none.
const istioBase = 25 * time.Millisecond

// fitIstioStatuses leaves what Istio takes in retryOn: it refuses a VirtualService with a status that has no name
// (validateHTTPRetry of its pkg/config/validation), but for all of 5xx in one word.
func fitIstioStatuses(d *draft) {
	for _, s := range d.statuses() {
		if http.StatusText(s) == "" && (s < 500 || !allOf5xx(d)) {
			d.RetryOn.Statuses.Remove(s)
			d.because("retry-on", "Istio refuses a status without a name")
		}
	}
}

// allOf5xx tells whether Envoy's word 5xx says it: each of these statuses, and no answer at all.
func allOf5xx(d *draft) bool {
	for s := 500; s <= 599; s++ {
		if !d.RetryOn.Statuses.Has(s) {
			return false
		}
	}
	return d.Errors()
}

// istioWords are those of proxyWords with the statuses among them.
func istioWords(d *draft) []string {
	words := slices.DeleteFunc(proxyWords(d), func(w string) bool { return w == "retriable-status-codes" })
	all := allOf5xx(d)
	if all {
		words = append(words, "5xx")
	}
	for _, s := range d.statuses() {
		if !all || s < 500 {
			words = append(words, fmt.Sprint(s))
		}
	}
	return words
}
