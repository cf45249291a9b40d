package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/retryscope/retryscope/engine"
)

// distOutput is what dist prints of arguments.
func distOutput(t *testing.T, columns int, args ...string) string {
	t.Helper()
	var out strings.Builder
	env := map[string]string{"COLUMNS": fmt.Sprint(columns), "LANG": "C.UTF-8"}
	code := Main(t.Context(), Env{Args: append([]string{"dist"}, args...), Stdout: &out, Stderr: io.Discard, Getenv: func(k string) string { return env[k] }})
	if code != ExitSucceeded {
		t.Fatalf("%q: exit %d", args, code)
	}
	return out.String()
}

// The tables and pictures fit, whatever the policy, the source and the width.
func TestDistFits(t *testing.T) {
	t.Parallel()
	for k, source := range [][]string{{"--fail", "30%"}, {"--fail", "1"}, {"--fail", "0"}, {"--outage", "10s"}, {"--outage", "40h"}, {"--script", "20% 200, 80% 429 after=5"}} {
		for l, policy := range []string{"default", "attempts=12 base=1s", "attempts=1", "attempts=90 jitter=none cap=1m", "attempts=8 jitter=smooth", "jitter=decorrelated", "base=1us attempts=30 cap=none jitter=decorrelated", "base=0s"} {
			for i, against := range []string{"", "jitter=none"} {
				for j, columns := range []int{80, 120} {
					if (i+j+k+l)%2 != 0 {
						continue // half of them: each policy and each source comes with each of the four
					}
					args := append([]string{"--policy", policy, "--deadline", "3s", "--draws", "200", "--seed", "1"}, source...)
					if against != "" {
						args = append(args, "--against", against)
					}
					for line := range strings.Lines(distOutput(t, columns, args...)) {
						if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > columns && !strings.Contains(line, "ends") {
							t.Errorf("%q: %d columns of %d: %s", args, n, columns, line)
						}
					}
				}
			}
		}
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0", 1: "1ns", 999: "999ns", 1500: "1.5µs", 123_456: "123µs", 999_900: "1.0ms", 1_234_567: "1.2ms", 32_640_000: "33ms", 999_499_999: "999ms",
		999_600_000: "1.00s", time.Second: "1s", 1600 * time.Millisecond: "1.60s", 1234 * time.Millisecond: "1.23s", 22_418 * time.Millisecond: "22.4s",
		59_990 * time.Millisecond: "60.0s", time.Minute: "1m", 90 * time.Second: "1.50m", 100 * time.Minute: "1.67h", 30 * time.Hour: "1.25d", 1000 * time.Hour: "41.7d",
		engine.Forever: "ever", -2 * time.Second: "-2s",
	} {
		got := brief(d)
		if got != want {
			t.Errorf("%d ns: %s, want %s", d, got, want)
		}
	}
	for d := time.Duration(1); d < 1000*time.Hour; d = d*9/8 + 1 {
		if n := utf8.RuneCountInString(brief(d)); n > 5 {
			t.Errorf("%d ns: %s", d, brief(d))
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{0: "0%", 1: "100%", 0.5: "50%", 0.910719: "91.07%", 0.99999999: ">99.99%", 1e-9: "<0.001%", 0.999: "99.9%"} {
		if got := percent(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

// Every field of the JSON stands in help figures.
func TestFiguresTopicIsWhole(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--fail", "0.5", "--json", "--against", "jitter=decorrelated", "--draws", "50"},
		{"--outage", "1s", "--json"},
		{"--script", "503, 200", "--json", "--draws", "3", "--deadline", "1s"},
	} {
		var v any
		if err := json.Unmarshal([]byte(distOutput(t, 80, args...)), &v); err != nil {
			t.Fatal(err)
		}
		eachKey(v, func(key string) {
			if !strings.Contains(figuresTopic, key) {
				t.Errorf("help figures lacks %q", key)
			}
		})
	}
	for line := range strings.Lines(figuresTopic) {
		if n := len([]rune(line)); n > helpWidth+1 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func eachKey(v any, f func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for k, sub := range v {
			f(k)
			eachKey(sub, f)
		}
	case []any:
		for _, sub := range v {
			eachKey(sub, f)
		}
	}
}
