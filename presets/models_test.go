package presets_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/presets"
)

// model is what a client's source says, in figures: the waits are min(cap, base·curve)·U[lo, hi] + U[0, add].
type model struct {
	ID         string   `json:"id"`
	Growth     string   `json:"growth"`
	Base       float64  `json:"base_ms"`
	Multiplier float64  `json:"multiplier"`
	Offset     int      `json:"offset"`
	Cap        float64  `json:"cap_ms"`
	CapStage   string   `json:"cap"`
	Lo         *float64 `json:"lo"`
	Hi         *float64 `json:"hi"`
	Add        float64  `json:"add_ms"`
	Floor      float64  `json:"floor_ms"`
	Quantum    float64  `json:"quantum_ms"` // waits are rounded down to it
	FlatFrom   int      `json:"flat_from"`  // from this retry on the wait is the cap exactly
	First      string   `json:"first"`      // zero or unjittered
	Attempts   int      `json:"attempts"`
	Statuses   string   `json:"statuses"`
	Methods    string   `json:"methods"`
}

func models(t *testing.T) []model {
	t.Helper()
	text, err := os.ReadFile("testdata/models.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []model
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// raw is the curve before retry n+1.
func (m *model) raw(n int) float64 {
	switch k := float64(n + m.Offset); m.Growth {
	case "none":
		return 0
	case "constant":
		return m.Base
	case "linear":
		return m.Base * float64(n+1)
	case "quadratic":
		return m.Base * k * k
	case "quadratic_plus_one":
		return m.Base * (1 + k*k)
	case "exponential":
		return m.Base * math.Pow(m.Multiplier, k)
	case "exponential_minus_one":
		return m.Base * (math.Pow(m.Multiplier, k) - 1)
	default:
		return math.NaN()
	}
}

// bounds are the shortest and longest wait before a retry, in milliseconds.
func (m *model) bounds(retry int) (lo, hi float64) {
	n, limit := retry-1, math.Inf(1)
	if m.Cap > 0 {
		limit = m.Cap
	}
	switch {
	case m.Growth == "decorrelated":
		return m.Base, min(limit, m.Base*math.Pow(3, float64(retry)))
	case m.Growth == "smooth":
		f := func(t int) float64 { return m.Base / 1.4 * math.Exp2(float64(t)) * math.Tanh(math.Sqrt(4*float64(t))) }
		return 0, min(limit, f(n+1)-f(max(n-1, 0)))
	case m.First == "zero" && n == 0:
		return 0, 0
	case m.FlatFrom > 0 && retry >= m.FlatFrom:
		return m.Cap, m.Cap
	}
	x := m.raw(n)
	if m.CapStage == "before" || m.CapStage == "both" {
		x = min(x, limit)
	}
	lo, hi = x, x
	if m.Lo != nil && (m.First != "unjittered" || n > 0) {
		lo, hi = x**m.Lo, x**m.Hi
	}
	hi += m.Add
	if m.CapStage == "after" || m.CapStage == "both" {
		lo, hi = min(lo, limit), min(hi, limit)
	}
	if m.Quantum > 0 {
		lo, hi = math.Floor(lo/m.Quantum)*m.Quantum, math.Floor(hi/m.Quantum)*m.Quantum
	}
	return max(lo, m.Floor), max(hi, m.Floor)
}

// apart are the retries whose waits the policy cannot say, of the first eight.
var apart = map[string][]int{
	"azcore":               {2, 4, 5, 6},
	"stripe-go":            {3, 4},
	"aws-sdk-go-v2-legacy": {5, 6, 7, 8},
	"net-http-h2":          {6, 7, 8},
}

func near(d time.Duration, ms float64) bool {
	return math.Abs(float64(d)/1e6-ms) <= 0.001+ms*1e-4
}

// TestWaitsAgreeWithTheirSource: the waits of each preset lie where its source says, to the microsecond at either end;
// where they do not, it is known which, and the preset says so.
func TestWaitsAgreeWithTheirSource(t *testing.T) {
	list := models(t)
	if len(list) < 90 {
		t.Errorf("%d models", len(list))
	}
	for i := range list {
		m := &list[i]
		p, ok := presets.Get(m.ID)
		if !ok {
			t.Errorf("%s: no preset", m.ID)
			continue
		}
		calm := p.Policy.After(&engine.Outcome{Kind: engine.KindStatus, Status: 503}) // figures are those without throttling
		var differ []int
		for retry := 1; retry <= 8; retry++ {
			lo, hi := calm.Bounds(retry)
			wantLo, wantHi := m.bounds(retry)
			if near(lo, wantLo) && near(hi, wantHi) {
				continue
			}
			differ = append(differ, retry)
			if !slices.Contains(apart[m.ID], retry) {
				t.Errorf("%s: retry %d waits %v to %v, not %v to %v ms", m.ID, retry, lo, hi, wantLo, wantHi)
			}
		}
		if want := apart[m.ID]; !slices.Equal(differ, want) {
			t.Errorf("%s: differs at %v, known are %v", m.ID, differ, want)
		}
		if len(differ) > 0 && len(p.CannotSay) == 0 {
			t.Errorf("%s: differs and does not say so", m.ID)
		}
	}
}

// TestEveryClientHasItsModel: but for the project's own, and the two that were added as an older version of another.
func TestEveryClientHasItsModel(t *testing.T) {
	have := map[string]bool{"avast-retry-go-v4": true, "grpc-go-retry-1.68": true}
	for _, m := range models(t) {
		have[m.ID] = true
	}
	for _, p := range presets.All() {
		if p.Ecosystem != "retryscope" && !have[p.ID] {
			t.Errorf("%s: no model to compare with", p.ID)
		}
	}
	for _, m := range [][2]string{{"avast-retry-go-v4", "avast-retry-go-v5"}} {
		a, _ := presets.Get(m[0])
		b, _ := presets.Get(m[1])
		if a.Policy != b.Policy {
			t.Errorf("%s and %s differ", m[0], m[1])
		}
	}
	old, _ := presets.Get("grpc-go-retry-1.68")
	for retry, hi := range map[int]time.Duration{1: 100 * time.Millisecond, 4: 800 * time.Millisecond, 6: time.Second} {
		if lo, h := old.Policy.Bounds(retry); lo != 0 || h != hi {
			t.Errorf("grpc-go before 1.69: retry %d waits %v to %v", retry, lo, h)
		}
	}
}

// optIn are clients that send once unless told otherwise: their presets say so, and are told.
var optIn = map[string]string{
	"curl": "--retry", "resty-v2": "SetRetryCount", "resty-v3": "SetRetryCount", "imroc-req": "three retries",
	"heimdall": "4 retries", "httpx": "retries=3",
}

func TestAttemptsStatusesMethods(t *testing.T) {
	list := models(t)
	for i := range list {
		m := &list[i]
		p, _ := presets.Get(m.ID)
		if m.Attempts > 0 && p.Policy.Attempts != m.Attempts {
			t.Errorf("%s: %d attempts, not %d", m.ID, p.Policy.Attempts, m.Attempts)
		}
		if m.Statuses != "" {
			want, err := engine.ParsePolicy("retry-on="+m.Statuses, engine.Default())
			if err != nil {
				t.Errorf("%s: %v", m.ID, err)
			} else if p.Policy.RetryOn.Statuses != want.RetryOn.Statuses {
				t.Errorf("%s: retries %v, not %s", m.ID, p.Policy.RetryOn, m.Statuses)
			}
		}
		if m.Methods != "" {
			for _, method := range strings.Split(m.Methods, ",") {
				if !p.Policy.Safety(method, false).Repeatable() {
					t.Errorf("%s: %s is not repeated", m.ID, method)
				}
			}
			if p.Policy.Safety("POST", false).Repeatable() {
				t.Errorf("%s: POST is repeated", m.ID)
			}
		}
	}
	for id, word := range optIn {
		p, ok := presets.Get(id)
		if !ok || p.Policy.Attempts < 2 || !strings.Contains(p.Name+p.Notes, word) {
			t.Errorf("%s: off by default, and does not say how it is told (%q)", id, word)
		}
	}
}

// TestThrottledWaits: who has a base of its own for throttling waits by it after a 429, and by the plain one otherwise.
func TestThrottledWaits(t *testing.T) {
	throttled := map[string]time.Duration{
		"aws-sdk-go-v2-standard": time.Second, "aws-sdk-go-v2-adaptive": time.Second, "aws-js-v3": time.Second, "aws-js-v3-adaptive": time.Second,
		"aws-js-v3-pre2026": 500 * time.Millisecond, "botocore-standard-2026": time.Second,
	}
	for _, p := range presets.All() {
		want, ok := throttled[p.ID]
		if ok != (p.Policy.ThrottleBase > 0) {
			t.Errorf("%s: a base of %v for throttling", p.ID, p.Policy.ThrottleBase)
		}
		if !ok {
			continue
		}
		after := p.Policy.After(&engine.Outcome{Kind: engine.KindStatus, Status: 429})
		if lo, hi := after.Bounds(2); lo != 0 || hi != 2*want {
			t.Errorf("%s: the second wait after a 429 is %v to %v", p.ID, lo, hi)
		}
	}
}
