package export_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/retryscope/retryscope/export"
	"github.com/retryscope/retryscope/presets"
)

// istioPolicies are the words that Istio takes in retryOn beside statuses (supportedRetryOnPolicies of its
// pkg/config/validation), those of them that are written here.
var istioPolicies = []string{"5xx", "connect-failure", "refused-stream", "reset"}

// TestIstioTakesWhatIsWritten: its admission refuses a whole VirtualService for one word, a status without a name too,
// retries without attempts that have anything else, and durations below a millisecond.
func TestIstioTakesWhatIsWritten(t *testing.T) {
	t.Parallel()
	f, _ := export.Get("istio")
	for _, p := range presets.All() {
		r, err := f.Export(p.Policy)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Spec struct {
				HTTP []struct {
					Retries struct {
						Attempts                        int
						RetryOn, PerTryTimeout, Backoff string
					}
				}
			}
		}
		if err := yaml.Unmarshal([]byte(strings.NewReplacer("retryOn", "retryon", "perTryTimeout", "pertrytimeout").Replace(r.Text)), &doc); err != nil {
			t.Fatal(err)
		}
		got := doc.Spec.HTTP[0].Retries
		if got.Attempts == 0 && (got.RetryOn != "" || got.PerTryTimeout != "" || got.Backoff != "") {
			t.Errorf("%s: no attempts, and more is said of them\n%s", p.ID, r.Text)
		}
		if got.Attempts > 0 && got.RetryOn == "" {
			t.Errorf("%s: attempts on nothing\n%s", p.ID, r.Text)
		}
		for w := range strings.SplitSeq(got.RetryOn, ",") {
			status, _ := strconv.Atoi(w)
			if got.RetryOn != "" && !slices.Contains(istioPolicies, w) && http.StatusText(status) == "" {
				t.Errorf("%s: %q is refused\n%s", p.ID, w, r.Text)
			}
		}
	}
}

func TestIstioWritesWhatItCan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy    string
		want, not []string
	}{
		{
			"base=250ms retry-on=transport,timeout,429,5xx",
			[]string{"backoff: 0.25s # unknown to an Istio before 1.26\n", `retryOn: "connect-failure,refused-stream,reset,5xx,429"`, "cap=10s: written as 2.5s (ten times the base)"},
			[]string{"retry-on:", "base="},
		},
		{"base=25ms retry-on=503", nil, []string{"backoff", "base="}},
		{"retry-on=429,5xx,-501", []string{"500,502,503", "508,510,511\"\n", "retry-on: not written: 509,512-599 (Istio refuses a status without a name)"}, []string{"508,509", "5xx\""}},
		{"base=1500us retry-on=503", []string{"backoff: 0.002s"}, nil},
		{"base=0s retry-on=503", []string{"base=0s: written as 1ms"}, nil},
		{"timeout=1500600us attempt-timeout=100us retry-on=503", []string{"      timeout: 1.501s\n", "perTryTimeout: 0.001s\n", "attempt-timeout=100µs: written as 1ms"}, nil},
		{"retry-on=522", []string{"attempts: 0\n"}, []string{"retryOn", "522\""}},
	} {
		text := exported(t, "istio", c.policy).Text
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q\n%s", c.policy, w, text)
			}
		}
		for _, w := range c.not {
			if strings.Contains(text, w) {
				t.Errorf("%s: %q\n%s", c.policy, w, text)
			}
		}
	}
}
