package cli_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// A fleet has one verdict: the same word in the table, under the picture, in JSON and in a sweep.
func TestOneVerdict(t *testing.T) {
	t.Parallel()
	const slow = "--load stream --rate 150 --capacity 0 --workers 20 --service 100ms --queue endless --horizon 60s --faults"
	for _, tc := range []struct{ name, args, want, why string }{
		{"gives up", "--policy attempts=4", "gives up", "of the calls had given up before the server was back"},
		{"gives up, seeds", "--policy attempts=4 --seeds 3", "gives up", "of the calls had given up before the server was back"},
		{"recovers", "--policy attempts=unlimited", "recovers", ""},
		{"a queue at the end", "--policy attempts=1 " + slow + " slow/0s-40s/x10", "stuck", "in the queue, at this rate until about 2m"},
		{"overload", "--policy attempts=1 " + slow + " none --rate 300", "stuck", "more calls come"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			args := []string{"fleet"}
			for word := range strings.FieldsSeq(tc.args) {
				args = append(args, strings.ReplaceAll(word, "/", " "))
			}
			r := execute(t, append(args, "--json")...)
			var out struct {
				Policies []struct {
					Verdict, Why string
					Drained      float64 `json:"drained_ms"`
				}
			}
			if err := json.Unmarshal([]byte(r.out), &out); err != nil {
				t.Fatal(err, r.err)
			}
			if got := out.Policies[0]; got.Verdict != tc.want || !strings.Contains(got.Why, tc.why) {
				t.Errorf("--json: %+v; want %s: %s", got, tc.want, tc.why)
			}
			if ms := out.Policies[0].Drained; strings.Contains(tc.why, "in the queue") != (ms > 120_000 && ms < 180_000) || ms > 0 != strings.Contains(r.out, "drained_ms") {
				t.Errorf("drained_ms is %g", ms)
			}
			text := strings.Split(execute(t, args...).out, "\n")
			rows, bands := 0, 0
			for _, line := range text {
				if strings.HasPrefix(line, "A  ") && strings.Contains(line, tc.want) {
					rows++
				} else if strings.Contains(line, "│") && strings.Contains(line, " "+tc.want) {
					bands++
				}
			}
			if rows != 1 || bands != 1 {
				t.Errorf("%q is in %d rows and %d bands:\n%s", tc.want, rows, bands, strings.Join(text, "\n"))
			}
		})
	}
	r := execute(t, "fleet", "sweep", "--scenario", "herd", "--policy", "attempts=4", "--over", "clients=500:1000:500", "--json")
	if strings.Count(r.out, `"verdict": "gives up"`) != 2 {
		t.Errorf("the sweep: %s", r.out)
	}
}
