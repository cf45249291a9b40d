package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	benchPackage = "github.com/retryscope/retryscope/bench"
	// idle takes its ten seconds each time, so it is run once and not in the rounds.
	idle = "^BenchmarkIdle$"
	// roundTime is what each benchmark gets in each round.
	roundTime = "200ms"
)

// measure compiles the benchmarks once and runs them in rounds; it returns all they printed.
func measure(ctx context.Context, rounds int, only string, progress io.Writer) (output []byte, err error) {
	listed, err := exec.CommandContext(ctx, "go", "list", "-f", "{{.Dir}}", benchPackage).Output()
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", benchPackage, withStderr(err))
	}
	scratch, err := os.MkdirTemp("", "retryscope-bench")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	binary := filepath.Join(scratch, "bench.test")
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, benchPackage)
	if text, compileErr := compile.CombinedOutput(); compileErr != nil {
		return nil, fmt.Errorf("compile the benchmarks: %w\n%s", compileErr, text)
	}
	dir := strings.TrimSpace(string(listed))
	var all bytes.Buffer
	for round := range rounds {
		_, _ = fmt.Fprintf(progress, "round %d of %d\n", round+1, rounds)
		if err := benchmark(ctx, &all, dir, binary, "-test.bench="+only, "-test.skip="+idle, "-test.benchtime="+roundTime); err != nil {
			return nil, err
		}
	}
	if only != "." {
		return all.Bytes(), nil
	}
	_, _ = fmt.Fprintln(progress, "idle, ten seconds each")
	// Without it the other lines are still worth printing: its targets are absent, and so not met.
	if err := benchmark(ctx, &all, dir, binary, "-test.bench="+idle, "-test.benchtime=1x"); err != nil {
		_, _ = fmt.Fprintln(progress, err)
	}
	return all.Bytes(), nil
}

// benchmark runs the compiled benchmarks once in dir and appends what they print to all.
func benchmark(ctx context.Context, all *bytes.Buffer, dir, binary string, args ...string) error {
	cmd := exec.CommandContext(ctx, binary, append([]string{"-test.run=^$"}, args...)...)
	cmd.Dir = dir
	var output, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run the benchmarks: %w\n%s%s", err, output.Bytes(), stderr.Bytes())
	}
	_, err := output.WriteTo(all)
	return err
}

// withStderr adds what the command said to the error it ended with.
func withStderr(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(exit.Stderr))
	}
	return err
}
