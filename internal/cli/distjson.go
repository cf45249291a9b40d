package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/retryscope/retryscope/sim"
)

// The fields of dist --json; figuresTopic tells of each.
type (
	distOut struct {
		Source     distSource `json:"source"`
		Seed       uint64     `json:"seed"`
		DeadlineMS *float64   `json:"deadline_ms"`
		Draws      int        `json:"draws"`
		Wanted     int        `json:"wanted"`
		Partial    bool       `json:"partial"`
		Lanes      []laneOut  `json:"lanes"`
		Difference *diffOut   `json:"difference"`
	}
	figureOut struct {
		Value float64  `json:"value"`
		SE    *float64 `json:"se"`
		How   string   `json:"how"`
	}
	countOut struct {
		Attempts int       `json:"attempts"`
		Share    figureOut `json:"share"`
	}
	quantileOut struct {
		Q    float64  `json:"q"`
		MS   float64  `json:"ms"`
		SEMS *float64 `json:"se_ms"`
	}
	spreadOut struct {
		How       string        `json:"how"`
		N         int64         `json:"n"`
		MeanMS    float64       `json:"mean_ms"`
		MeanSEMS  *float64      `json:"mean_se_ms"`
		SDMS      float64       `json:"sd_ms"`
		MinMS     float64       `json:"min_ms"`
		MaxMS     float64       `json:"max_ms"`
		Quantiles []quantileOut `json:"quantiles"`
	}
	retryOut struct {
		Retry int        `json:"retry"`
		Sent  figureOut  `json:"sent"`
		At    *spreadOut `json:"at"`
	}
	endOut struct {
		Result string    `json:"result"`
		Reason string    `json:"reason"`
		Share  figureOut `json:"share"`
	}
	laneOut struct {
		Policy        string     `json:"policy"`
		How           string     `json:"how"`
		Why           string     `json:"why"`
		Success       figureOut  `json:"success"`
		Within        figureOut  `json:"success_within_deadline"`
		WaitWithin    figureOut  `json:"wait_within_deadline"`
		Attempts      figureOut  `json:"attempts"`
		Amplification figureOut  `json:"amplification"`
		Counts        []countOut `json:"attempts_histogram"`
		Wait          *spreadOut `json:"total_wait"`
		Time          *spreadOut `json:"time_to_success"`
		Retries       []retryOut `json:"retries"`
		Ends          []endOut   `json:"ends"`
	}
	diffOut struct {
		Success  figureOut `json:"success"`
		Within   figureOut `json:"success_within_deadline"`
		Attempts figureOut `json:"attempts"`
		Wait     struct {
			MS   float64  `json:"ms"`
			SEMS *float64 `json:"se_ms"`
			How  string   `json:"how"`
		} `json:"mean_total_wait"`
	}
)

// distJSON prints the result as one object.
func distJSON(w io.Writer, p *distPlan, r *sim.DistResult) error {
	out := distOut{Source: p.source, Seed: r.Seed, Draws: r.Draws, Wanted: r.Wanted, Partial: r.Partial, Lanes: []laneOut{outLane(&r.A)}}
	if r.Deadline > 0 {
		ms := inMillis(r.Deadline)
		out.DeadlineMS = &ms
	}
	if r.B != nil {
		out.Lanes = append(out.Lanes, outLane(r.B))
		d := &diffOut{Success: outFigure(r.Diff.Success), Within: outFigure(r.Diff.Within), Attempts: outFigure(r.Diff.Attempts)}
		d.Wait.MS, d.Wait.SEMS, d.Wait.How = inMillis(r.Diff.Wait), errorMillis(r.Diff.WaitSE), r.Diff.WaitHow.String()
		out.Difference = d
	}
	b, err := json.MarshalIndent(out, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", b)
	}
	return err
}

func inMillis(d time.Duration) float64 { return float64(d) / 1e6 }

// errorMillis is null where the draws do not tell.
func errorMillis(d time.Duration) *float64 {
	if d == sim.NoSE {
		return nil
	}
	ms := inMillis(d)
	return &ms
}

func outFigure(f sim.DistFigure) figureOut {
	out := figureOut{Value: f.Value, How: f.How.String()}
	if !math.IsNaN(f.SE) {
		out.SE = &f.SE
	}
	return out
}

func outLane(l *sim.DistLane) laneOut {
	out := laneOut{
		Policy: l.Policy.String(), How: l.How.String(), Why: l.Why,
		Success: outFigure(l.Success), Within: outFigure(l.Within), WaitWithin: outFigure(l.WaitWithin),
		Attempts: outFigure(l.Attempts), Amplification: outFigure(l.Attempts),
		Counts: []countOut{}, Retries: []retryOut{}, Ends: []endOut{},
		Wait: outSpread(&l.Wait), Time: outSpread(&l.Time),
	}
	for i, c := range l.Counts {
		if c.Value > 0 {
			out.Counts = append(out.Counts, countOut{i + 1, outFigure(c)})
		}
	}
	for i := range l.Retries {
		r := &l.Retries[i]
		out.Retries = append(out.Retries, retryOut{r.Number, outFigure(r.Sent), outSpread(&r.At)})
	}
	for _, e := range l.Ends {
		out.Ends = append(out.Ends, endOut{e.Result.String(), e.Reason.String(), outFigure(e.Share)})
	}
	return out
}

// outSpread is nil where there is nothing to tell of.
func outSpread(s *sim.DistSpread) *spreadOut {
	if s.None {
		return nil
	}
	out := &spreadOut{
		How: s.How.String(), N: s.N, MeanMS: inMillis(s.Mean), MeanSEMS: errorMillis(s.MeanSE), SDMS: inMillis(s.SD), MinMS: inMillis(s.Min), MaxMS: inMillis(s.Max),
	}
	for i, q := range sim.DistShares {
		out.Quantiles = append(out.Quantiles, quantileOut{q, inMillis(s.Q[i]), errorMillis(s.QSE[i])})
	}
	return out
}

const figuresTopic = `
dist --json prints one object. Times are in milliseconds (fields that end in _ms, and ms),
shares and chances from 0 to 1. A figure is {value, se, how}: how is exact (a closed form,
8 digits or more; se is 0) or sampled (from draws; se is the standard error, null where they
are too few to tell; of a share it is never 0, and of a quantile next to a jump it covers that).

  source        kind (fail, outage, script), and p (chance of a failure), outage_ms or script
  seed          of every draw
  deadline_ms   the --deadline; null where there is none
  draws         calls that were drawn; 0 where all is exact
  wanted        calls that were to be drawn
  partial       true where it was stopped before that
  lanes         the policy, and the one of --against:
    policy      in full
    how, why    exact where every figure is; else sampled, and why
    success     share of calls that succeed
    success_within_deadline   share that does so within the deadline
    wait_within_deadline      share whose total wait is within it
    attempts    mean number of sends of a call
    amplification             sends for each call: the load against no retries; the same number
    attempts_histogram        attempts, and the share of calls that send so often
    total_wait  of all waits of a call, whether it succeeds or not
    time_to_success           from the start, of those that succeed; null where none does
    retries     the first 100, and what more than one call in ten million comes to: retry (1 is
                the second attempt), sent (share of calls that send it), at (when they do)
    ends        result, reason (as in the events) and share
  difference    second lane less the first, call by call on the same chance; null without
                --against: success and success_within_deadline (differences of shares),
                attempts, and mean_total_wait with ms, se_ms, how

total_wait, time_to_success and at hold how, n (draws in it, 0 where exact), mean_ms,
mean_se_ms, sd_ms, min_ms and max_ms (what can be where exact, else what was drawn) and
quantiles: q, ms (the smallest time with that share at or below it), se_ms.`
