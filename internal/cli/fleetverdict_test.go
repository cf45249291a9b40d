package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
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
		{"a queue at the end", "--policy attempts=1 " + slow + " slow/0s-40s/x10", "unknown", "in the queue, at this rate until about 2m"},
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
				} else if strings.ContainsAny(line, "│┤") && strings.Contains(line, " "+tc.want) {
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

// The columns of a sweep are those that help figures names, in that order, and each is told of.
func TestSweepColumnsAreTold(t *testing.T) {
	t.Parallel()
	r := execute(t, "fleet", "sweep", "--scenario", "herd", "--over", "clients=100:200:100", "--seeds", "2", "--csv", "--policy", "attempts=3")
	rows, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v: %s%s", err, r.out, r.err)
	}
	_, help, _ := strings.Cut(execute(t, "help", "figures").out, "fleet sweep --json")
	if flat := strings.Join(strings.Fields(help), " "); !strings.Contains(flat, " "+strings.Join(rows[0], ", ")+" ") {
		t.Errorf("the columns are %v, and help figures says: %s", rows[0], help)
	}
	told := map[string]bool{}
	for line := range strings.Lines(help) {
		line, isField := strings.CutPrefix(line, "  ")
		names, _, ok := strings.Cut(line, "  ")
		if isField && ok {
			for name := range strings.SplitSeq(names, ", ") {
				told[name] = true
			}
		}
	}
	for _, name := range rows[0] {
		if of, is := strings.CutSuffix(name, "_se"); !told[name] && (!is || !told["NAME_se"] || !told[of]) {
			t.Errorf("%s is not told of", name)
		}
	}
	var points []map[string]any
	if err := json.Unmarshal([]byte(execute(t, "fleet", "sweep", "--scenario", "herd", "--over", "clients=100:200:100", "--json").out), &points); err != nil {
		t.Fatal(err)
	}
	for name := range points[0] {
		if !slices.Contains(rows[0], name) {
			t.Errorf("--json has %s, and --csv has not", name)
		}
	}
	if len(points[0]) != len(rows[0])-4 {
		t.Errorf("%d fields and %d columns", len(points[0]), len(rows[0]))
	}
}

// Runs that are all the same have no error, and times are whole in nanoseconds.
func TestFiguresWithoutNoise(t *testing.T) {
	t.Parallel()
	r := execute(t, "fleet", "--seeds", "7", "--json", "--policy", "attempts=unlimited base=100ms jitter=none retry-after=ignore attempt-timeout=none")
	for _, want := range []string{`"mean": 42700,` + "\n        \"se\": 0\n", `"ms": 32700,`, `"peak_over_capacity": 20,`} {
		if !strings.Contains(r.out, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if noise := regexp.MustCompile(`[0-9]e-[0-9]+|\.[0-9]{9,}`).FindString(r.out); noise != "" {
		t.Errorf("noise: %s", noise)
	}
}
