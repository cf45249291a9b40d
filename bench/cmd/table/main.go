// Command table runs the benchmarks in rounds, so that a slow minute of the machine falls on every contestant alike,
// summarizes them the way benchstat does, and prints one table: the work, ours, the best of the others, the ratio,
// the target and whether it is met. It exits with 1 when a target is missed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// Exit codes.
const (
	exitMet    = 0
	exitMissed = 1
	exitError  = 2
)

const (
	fullRounds  = 10
	quickRounds = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code) //nolint:forbidigo // this is a main, in a module of its own
}

// run is main with the world handed in.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("table", flag.ContinueOnError)
	flags.SetOutput(stderr)
	quick := flags.Bool("quick", false, "three rounds in place of ten")
	report := flags.Bool("report", false, "exit 0 although a target is missed")
	raw := flags.String("raw", "", "also write what the benchmarks printed to this `file` (read it with: go tool benchstat -col /by file)")
	from := flags.String("from", "", "judge a `file` written with -raw and run nothing")
	only := flags.String("bench", ".", "run the benchmarks that match this `regexp`, and leave the other targets out")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitMet
		}
		return exitError
	}
	missed, err := table(ctx, options{quick: *quick, raw: *raw, from: *from, only: *only}, stdout, stderr)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "table:", err)
		return exitError
	}
	if missed > 0 && !*report {
		return exitMissed
	}
	return exitMet
}

// options are what the flags say.
type options struct {
	quick     bool
	raw, from string
	only      string
}

// table measures or reads, judges and prints; it returns how many targets are missed.
func table(ctx context.Context, opts options, stdout, stderr io.Writer) (int, error) {
	output, err := measurements(ctx, opts, stderr)
	if err != nil {
		return 0, err
	}
	samples, err := parse(output)
	if err != nil {
		return 0, err
	}
	chosen, err := choose(targets, opts.only)
	if err != nil {
		return 0, err
	}
	lines := judge(chosen, samples)
	return missedIn(lines), printTable(stdout, samples.machine, lines)
}

// measurements is the text of the benchmarks: run now, or kept from an earlier run.
func measurements(ctx context.Context, opts options, progress io.Writer) ([]byte, error) {
	if opts.from != "" {
		return os.ReadFile(opts.from)
	}
	rounds := fullRounds
	if opts.quick {
		rounds = quickRounds
	}
	output, err := measure(ctx, rounds, opts.only, progress)
	if err != nil {
		return nil, err
	}
	if opts.raw != "" {
		err = os.WriteFile(opts.raw, output, 0o600)
	}
	return output, err
}
