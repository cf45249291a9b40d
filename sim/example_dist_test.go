package sim_test

import (
	"context"
	"fmt"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
)

// Of ten attempts over an outage of ten seconds full jitter gets .91 of the calls through. Nothing is drawn for that.
func ExampleDist() {
	p, err := engine.ParsePolicy("attempts=10 base=100ms cap=10s jitter=full", engine.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := sim.Dist(context.Background(), sim.DistConfig{Policy: p, Source: sim.DistOutage{Down: 10 * time.Second}, Deadline: 15 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f succeed (%v), %.6f within 15s\n", r.A.Success.Value, r.A.Success.How, r.A.Within.Value)
	fmt.Printf("%.3f sends a call, median to success %v\n", r.A.Attempts.Value, r.A.Time.Q[2].Round(time.Millisecond))
	// Output:
	// 0.910719 succeed (exact), 0.664241 within 15s
	// 9.328 sends a call, median to success 13.17s
}

// A first picture of few draws, and a better one of more.
func ExampleNewDist() {
	p, err := engine.ParsePolicy("attempts=10 base=100ms cap=10s jitter=decorrelated", engine.Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := sim.NewDist(sim.DistConfig{Policy: p, Source: sim.DistOutage{Down: 10 * time.Second}, Seed: 7})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range []int{1000, run.Wanted() - 1000} {
		if err := run.More(context.Background(), n); err != nil {
			fmt.Println(err)
			return
		}
		r := run.Result()
		fmt.Printf("%5d draws: %.1f%% ± %.1f\n", r.Draws, 100*r.A.Success.Value, 100*r.A.Success.SE)
	}
	// Output:
	//  1000 draws: 50.8% ± 1.6
	// 20000 draws: 50.0% ± 0.4
}
