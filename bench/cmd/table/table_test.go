package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// sampleRun is three rounds of a made-up run.
const sampleRun = `goos: linux
goarch: amd64
cpu: Test
BenchmarkFirstTry/by=ours-2     1000  12.0 ns/op  0 B/op  0 allocs/op
BenchmarkFirstTry/by=floor-2    1000   5.0 ns/op  0 B/op  0 allocs/op
BenchmarkFirstTry/by=quick-2    1000  10.0 ns/op  0 B/op  0 allocs/op
BenchmarkFirstTry/by=slow-2     1000  90.0 ns/op  9 B/op  3 allocs/op
BenchmarkFirstTry/by=ours-2     1000  14.0 ns/op  0 B/op  0 allocs/op
BenchmarkFirstTry/by=floor-2    1000   5.0 ns/op  0 B/op  0 allocs/op
BenchmarkFirstTry/by=quick-2    1000  10.0 ns/op  0 B/op  0 allocs/op
BenchmarkFirstTry/by=ours-2     1000  90.0 ns/op  0 B/op  0 allocs/op
BenchmarkFirstTry/by=floor-2    1000   5.0 ns/op  0 B/op  0 allocs/op
BenchmarkFirstTry/by=quick-2    1000  10.0 ns/op  0 B/op  0 allocs/op
BenchmarkIdle/by=ours-2            1  1e10 ns/op  0.25 cpu-sec  7 written-B
PASS
`

func TestJudge(t *testing.T) {
	s, err := parse([]byte(sampleRun))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		target
		want  verdict
		ratio float64 // 0 where there is none
		best  string
	}{
		{"the median counts, not the mean", target{bench: "FirstTry", unit: seconds, against: peersOnly, rule: timesBest, limit: 1.5}, met, 1.4, "quick"},
		{"just over", target{bench: "FirstTry", unit: seconds, against: peersOnly, rule: timesBest, limit: 1.39}, missed, 1.4, "quick"},
		{"slower than a peer", target{bench: "FirstTry", unit: seconds, against: peersOnly, rule: belowBest}, missed, 1.4, "quick"},
		{"the floor is no peer", target{bench: "FirstTry", unit: seconds, against: "floor", rule: timesBest, limit: 2.81}, met, 2.8, "floor"},
		{"no allocations", target{bench: "FirstTry", unit: allocs, against: "slow", rule: atMost}, met, 1e-9, "slow"},
		{"a difference", target{bench: "FirstTry", unit: octets, ours: "slow", against: "quick", rule: overBest, limit: 8}, missed, 0, "quick"},
		{"an own metric", target{bench: "Idle", unit: "cpu-sec", rule: atMost, limit: 0.1}, missed, 0, ""},
		{"shown only", target{bench: "FirstTry", unit: seconds, against: "floor", rule: shown}, none, 2.8, "floor"},
		{"not measured", target{bench: "View", unit: seconds, rule: atMost, limit: 1}, absent, 0, ""},
		{"nobody to compare with", target{bench: "FirstTry", unit: seconds, against: "nobody", rule: timesBest, limit: 9}, absent, 0, ""},
		{"shown but not measured", target{bench: "View", unit: seconds, against: "floor", rule: shown}, absent, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := judgeOne(c.target, s)
			if got.verdict != c.want || got.bestName != c.best {
				t.Errorf("got %q against %q, want %q against %q", got.verdict, got.bestName, c.want, c.best)
			}
			if c.ratio > 0 && (got.ratio < c.ratio-1e-9 || got.ratio > c.ratio+1e-9) {
				t.Errorf("ratio %v, want %v", got.ratio, c.ratio)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":      "PASS\n",
		"a torn line":  "BenchmarkX 10 12 ns/op 3\n",
		"no iteration": "BenchmarkX ten 12 ns/op\n",
	} {
		if _, err := parse([]byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestExitCodes(t *testing.T) {
	file := t.TempDir() + "/raw.txt"
	write(t, file, sampleRun)
	for _, c := range []struct {
		args string
		want int
	}{
		{"-from " + file, exitMissed},
		{"-report -from " + file, exitMet},
		{"-bench Idle -from " + file, exitMissed},
		{"-from " + file + ".none", exitError},
		{"-bench [ -from " + file, exitError},
		{"-unknown", exitError},
		{"-h", exitMet},
	} {
		var out, errs bytes.Buffer
		if got := run(t.Context(), strings.Fields(c.args), &out, &errs); got != c.want {
			t.Errorf("%s: exit %d, want %d\n%s%s", c.args, got, c.want, out.String(), errs.String())
		}
	}
}

func TestTableIsOneLineATarget(t *testing.T) {
	file := t.TempDir() + "/raw.txt"
	write(t, file, sampleRun)
	var out, errs bytes.Buffer
	run(t.Context(), []string{"-from", file}, &out, &errs)
	for _, want := range []string{"linux, amd64, Test", "14.00 ns", "quick 10.00 ns", "1.40×", "≤ 1.5×", "met", "0.25 cpu-sec", "≤ 0.10 cpu-sec", "MISSED", "ABSENT", "≤ 48 state-B"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if got, want := strings.Count(out.String(), "\n"), len(targets)+5; got != want {
		t.Errorf("%d lines, want %d:\n%s", got, want, out.String())
	}
}

// write makes a file for a test.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
