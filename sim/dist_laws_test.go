package sim_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// distLaws are tables worked out elsewhere, to 60 digits and printed to 10 or so.
type distLaws struct {
	Policies []struct {
		ID, Unit        string
		Base, Mult, Cap float64
		Retries         int
	}
	TotalWait []struct {
		ID, Kind           string
		Mean, SD, Min, Max float64
		Q                  map[string]float64
	} `json:"total_wait"`
	Outage []struct {
		ID, Kind string
		Attempts int
		Outage   float64
		Survive  float64 `json:"p_survive"`
		Failed   float64 `json:"failed_attempts_in_outage"`
	}
	Amplification []struct {
		P, Attempts, Success float64
		K                    int
	}
	WaitWithSuccess []struct {
		ID, Kind    string
		P, Mean, SD float64
		Q           map[string]float64
	} `json:"wait_with_success"`
	Decorrelated []struct {
		ID                            string
		Base, Cap, Mean, SD, Min, Max float64
		Retries                       int
		Q                             map[string]float64
		Outage                        []struct {
			Outage  float64
			Survive float64 `json:"p_survive"`
			Failed  float64 `json:"failed_attempts_in_outage"`
		}
	}
	Smooth []struct {
		Retries            int
		Mean, SD, Min, Max float64
		Q                  map[string]float64
	}
}

func readLaws(t *testing.T) *distLaws {
	t.Helper()
	data, err := os.ReadFile("testdata/laws.json")
	if err != nil {
		t.Fatal(err)
	}
	laws := new(distLaws)
	if err := json.Unmarshal(data, laws); err != nil {
		t.Fatal(err)
	}
	return laws
}

// lawPolicy is the policy of an id with a kind of jitter, and how many seconds the unit of its figures has.
func (l *distLaws) policy(t *testing.T, id, kind string) (p engine.Policy, unit float64) {
	t.Helper()
	jitter := map[string]string{
		"none": "none", "full": "full", "equal": "equal",
		"pm10": "scale:0.9..1.1", "pm20": "scale:0.8..1.2", "pm25": "scale:0.75..1.25", "pm50": "scale:0.5..1.5", "decorrelated": "decorrelated",
	}[kind]
	for _, row := range l.Policies {
		if row.ID != id {
			continue
		}
		unit = 1
		if row.Unit == "ms" {
			unit = 1e-3
		}
		return parsed(t, fmt.Sprintf("retries=%d base=%v cap=%v factor=%v jitter=%s", row.Retries, seconds(row.Base*unit), seconds(row.Cap*unit), row.Mult, jitter)), unit
	}
	t.Fatalf("no policy %s", id)
	return p, 0
}

func parsed(t testing.TB, text string) engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy(text, engine.Default())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

func dist(t testing.TB, cfg sim.DistConfig) *sim.DistResult {
	t.Helper()
	r, err := sim.Dist(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// agree compares a figure to six digits, or a time to a nanosecond.
func agree(t *testing.T, what string, got, want, least float64) {
	t.Helper()
	if math.Abs(got-want) > max(1e-6*math.Abs(want), least) {
		t.Errorf("%s: %.12g, want %.12g (off by %.3g)", what, got, want, got-want)
	}
}

func agreeSpread(t *testing.T, s *sim.DistSpread, unit, mean, sd float64, q map[string]float64) {
	t.Helper()
	if s.How != sim.DistExact {
		t.Errorf("it is %v", s.How)
	}
	const tick = 2e-9
	agree(t, "mean", s.Mean.Seconds(), mean*unit, tick)
	agree(t, "sd", s.SD.Seconds(), sd*unit, tick)
	for i, share := range sim.DistShares {
		if want, ok := q[strconv.FormatFloat(share, 'g', -1, 64)]; ok {
			agree(t, fmt.Sprintf("q%v", share), s.Q[i].Seconds(), want*unit, tick)
		}
	}
	for name, want := range q {
		share, err := strconv.ParseFloat(name, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.CDF(seconds(want * unit)); got < share-1e-6 {
			t.Errorf("the share at or below the quantile %s is %.10g", name, got)
		}
	}
}

func TestDistTotalWait(t *testing.T) {
	t.Parallel()
	laws := readLaws(t)
	for _, row := range laws.TotalWait {
		t.Run(row.ID+"/"+row.Kind, func(t *testing.T) {
			t.Parallel()
			p, unit := laws.policy(t, row.ID, row.Kind)
			r := dist(t, sim.DistConfig{Policy: p, Source: sim.DistFailing{P: 1}})
			w := &r.A.Wait
			agreeSpread(t, w, unit, row.Mean, row.SD, row.Q)
			agree(t, "least", w.Min.Seconds(), row.Min*unit, 1e-8)
			agree(t, "greatest", w.Max.Seconds(), row.Max*unit, 1e-8)
			if !r.A.Time.None || r.A.Success.Value != 0 || r.Draws != 0 {
				t.Errorf("all attempts fail, and: success %v, %d draws", r.A.Success, r.Draws)
			}
		})
	}
}

func TestDistWaitWithSuccess(t *testing.T) {
	t.Parallel()
	laws := readLaws(t)
	for _, row := range laws.WaitWithSuccess {
		t.Run(fmt.Sprintf("%s/%s/%v", row.ID, row.Kind, row.P), func(t *testing.T) {
			t.Parallel()
			p, unit := laws.policy(t, row.ID, row.Kind)
			r := dist(t, sim.DistConfig{Policy: p, Source: sim.DistFailing{P: row.P}})
			agreeSpread(t, &r.A.Wait, unit, row.Mean, row.SD, row.Q)
		})
	}
}

func TestDistOutage(t *testing.T) {
	t.Parallel()
	laws := readLaws(t)
	for _, row := range laws.Outage {
		t.Run(fmt.Sprintf("%s/%s/%v", row.ID, row.Kind, row.Outage), func(t *testing.T) {
			t.Parallel()
			p, unit := laws.policy(t, row.ID, row.Kind)
			down := seconds(row.Outage * unit)
			r := dist(t, sim.DistConfig{Policy: p, Source: sim.DistOutage{Down: down}})
			agree(t, "survive", r.A.Success.Value, row.Survive, 1e-10)
			failed := r.A.Attempts.Value - r.A.Success.Value
			if row.Kind == "none" && down == 100*time.Millisecond && p.Base == down {
				row.Failed-- // the first retry comes at the very moment: the table has it just before, the law says it is up
			}
			agree(t, "failed attempts", failed, row.Failed, 1e-9)
			if r.A.How != sim.DistExact {
				t.Errorf("sampled: %s", r.A.Why)
			}
		})
	}
}

func TestDistAmplification(t *testing.T) {
	t.Parallel()
	for _, row := range readLaws(t).Amplification {
		p := parsed(t, fmt.Sprintf("attempts=%d", row.K))
		r := dist(t, sim.DistConfig{Policy: p, Source: sim.DistFailing{P: row.P}})
		what := fmt.Sprintf("p %v, %d attempts: ", row.P, row.K)
		agree(t, what+"sent", r.A.Attempts.Value, row.Attempts, 1e-9)
		agree(t, what+"success", r.A.Success.Value, row.Success, 1e-12)
		if r.A.How != sim.DistExact {
			t.Errorf("%ssampled: %s", what, r.A.Why)
		}
	}
}

func TestDistSmooth(t *testing.T) {
	t.Parallel()
	for _, row := range readLaws(t).Smooth {
		p := parsed(t, fmt.Sprintf("retries=%d base=1s cap=none jitter=smooth", row.Retries))
		r := dist(t, sim.DistConfig{Policy: p, Source: sim.DistFailing{P: 1}})
		agreeSpread(t, &r.A.Wait, 1, row.Mean, row.SD, row.Q)
		agree(t, "least", r.A.Wait.Min.Seconds(), row.Min, 1e-8)
		agree(t, "greatest", r.A.Wait.Max.Seconds(), row.Max, 1e-8)
	}
}

// near compares a sampled figure with the true one, in standard errors.
func near(t *testing.T, what string, got, se, want float64) {
	t.Helper()
	if math.Abs(got-want) > 4*se+1e-9 {
		t.Errorf("%s: %.9g ± %.3g, want %.9g (%.1f standard errors)", what, got, se, want, (got-want)/se)
	}
}

// shareSE is the standard error that a drawn share should have. What was drawn has none where it never came, or always.
func shareSE(p float64, n int) float64 { return max(math.Sqrt(p*(1-p)/float64(n)), 0.25/float64(n)) }

func nearSpread(t *testing.T, s *sim.DistSpread, unit, mean, sd float64, q map[string]float64) {
	t.Helper()
	near(t, "mean", s.Mean.Seconds(), s.MeanSE.Seconds(), mean*unit)
	agree(t, "sd", s.SD.Seconds(), sd*unit, 0.03*sd*unit)
	for i, share := range sim.DistShares {
		if want, ok := q[strconv.FormatFloat(share, 'g', -1, 64)]; ok {
			near(t, fmt.Sprintf("q%v", share), s.Q[i].Seconds(), s.QSE[i].Seconds(), want*unit)
		}
	}
}

func TestDistDecorrelated(t *testing.T) {
	t.Parallel()
	laws := readLaws(t)
	for _, row := range laws.Decorrelated {
		t.Run(row.ID, func(t *testing.T) {
			t.Parallel()
			p, unit := laws.policy(t, row.ID, "decorrelated")
			p.Base, p.Cap = seconds(row.Base*unit), seconds(row.Cap*unit)
			r := dist(t, sim.DistConfig{Policy: p, Source: sim.DistFailing{P: 1}, Draws: 20_000, Seed: 11})
			w := &r.A.Wait
			if w.How != sim.DistSampled || r.A.Why == "" {
				t.Fatalf("it is %v (%q)", w.How, r.A.Why)
			}
			nearSpread(t, w, unit, row.Mean, row.SD, row.Q)
			if w.Min.Seconds() < row.Min*unit-1e-8 || w.Max.Seconds() > row.Max*unit+1e-8 {
				t.Errorf("from %v to %v, outside [%v, %v]", w.Min, w.Max, row.Min, row.Max)
			}
			for _, o := range row.Outage {
				r := dist(t, sim.DistConfig{Policy: p, Source: sim.DistOutage{Down: seconds(o.Outage * unit)}, Draws: 6_000, Seed: 12})
				what := fmt.Sprintf("outage %v: ", o.Outage)
				near(t, what+"survive", r.A.Success.Value, shareSE(o.Survive, r.Draws), o.Survive)
				failed := r.A.Attempts.Value - r.A.Success.Value
				near(t, what+"failed", failed, r.A.Attempts.SE+shareSE(o.Survive, r.Draws), o.Failed)
			}
		})
	}
}

// What has a closed form comes out the same when it is drawn: two ways to the same figures.
func TestDistSampledAgreesWithExact(t *testing.T) {
	t.Parallel()
	sources := map[string]sim.DistSource{
		"half": sim.DistFailing{P: 0.5}, "most": sim.DistFailing{P: 0.9}, "all": sim.DistFailing{P: 1},
		"0.7s": sim.DistOutage{Down: 700 * time.Millisecond}, "10s": sim.DistOutage{Down: 10 * time.Second},
	}
	texts := []string{
		"attempts=10 base=100ms", "attempts=5 jitter=equal", "attempts=6 jitter=scale:0.5..1.5 factor=1.5", "attempts=4 jitter=none",
		"attempts=7 first=immediate", "attempts=5 jitter=additive:100ms curve=linear", "attempts=8 base=1s cap=none jitter=smooth",
		"attempts=30 base=1s cap=1s", "attempts=6 budget=tokens:3/1/1", "attempts=5 first=unjittered cap=300ms", "attempts=9 retry-on=429",
	}
	for name, source := range sources {
		for _, text := range texts {
			t.Run(name+"/"+text, func(t *testing.T) {
				t.Parallel()
				cfg := sim.DistConfig{Policy: parsed(t, text), Source: source, Deadline: 3 * time.Second, Draws: 8_000, Seed: 5}
				exact := dist(t, cfg).A
				if exact.How != sim.DistExact {
					t.Fatalf("sampled: %s", exact.Why)
				}
				cfg.Sampled = true
				sameLane(t, &exact, &dist(t, cfg).A)
			})
		}
	}
}

func sameLane(t *testing.T, exact, drawn *sim.DistLane) {
	t.Helper()
	figure := func(what string, e, d sim.DistFigure) {
		t.Helper()
		near(t, what, d.Value, max(d.SE, shareSE(min(e.Value, 1), 8_000)), e.Value)
	}
	figure("success", exact.Success, drawn.Success)
	figure("within", exact.Within, drawn.Within)
	figure("wait within", exact.WaitWithin, drawn.WaitWithin)
	figure("attempts", exact.Attempts, drawn.Attempts)
	for i, c := range drawn.Counts {
		figure(fmt.Sprintf("%d attempts", i+1), exact.Counts[i], c)
	}
	sameSpread(t, "wait", &exact.Wait, &drawn.Wait)
	sameSpread(t, "time", &exact.Time, &drawn.Time)
	for i := range drawn.Retries {
		if i < len(exact.Retries) {
			figure(fmt.Sprintf("retry %d", i+1), exact.Retries[i].Sent, drawn.Retries[i].Sent)
			sameSpread(t, fmt.Sprintf("retry %d", i+1), &exact.Retries[i].At, &drawn.Retries[i].At)
		}
	}
	for _, d := range drawn.Ends {
		found := false
		for _, e := range exact.Ends {
			if e.Result == d.Result && e.Reason == d.Reason {
				found = true
				figure(fmt.Sprintf("%v %v", e.Result, e.Reason), e.Share, d.Share)
			}
		}
		if !found {
			t.Errorf("some end as %v %v", d.Result, d.Reason)
		}
	}
}

func sameSpread(t *testing.T, what string, exact, drawn *sim.DistSpread) {
	t.Helper()
	if drawn.None || drawn.N < 200 {
		return
	}
	near(t, what+" mean", drawn.Mean.Seconds(), drawn.MeanSE.Seconds(), exact.Mean.Seconds())
	if d := math.Abs(drawn.SD.Seconds() - exact.SD.Seconds()); d > 0.15*exact.SD.Seconds()+1e-8 {
		t.Errorf("%s sd: %v, want %v", what, drawn.SD, exact.SD)
	}
	if drawn.Min < exact.Min-2 || drawn.Max > exact.Max+2 {
		t.Errorf("%s: drawn from %v to %v, outside [%v, %v]", what, drawn.Min, drawn.Max, exact.Min, exact.Max)
	}
	// The shares are held against each other, not the quantiles: one next to a jump may lie on either side of it.
	for _, share := range []float64{0.05, 0.25, 0.5, 0.75, 0.95} {
		for i := range sim.DistShares {
			if sim.DistShares[i] != share {
				continue
			}
			at := drawn.Q[i]
			got := drawn.CDF(at)
			want := exact.CDF(at + 1)
			near(t, fmt.Sprintf("%s: the share up to %v", what, at), got, math.Sqrt(share*(1-share)/float64(drawn.N))+1e-4, want)
		}
	}
}
