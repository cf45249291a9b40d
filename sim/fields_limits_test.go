package sim_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/retryscope/retryscope/sim"
)

var bounds = regexp.MustCompile(`from (\d+) to (\d+)`)

// What a setting says that it may be is what it may be: the ends are, and what is beyond them is not.
func TestFieldsKeepTheirBounds(t *testing.T) {
	t.Parallel()
	found := 0
	for _, f := range sim.Fields() {
		m := bounds.FindStringSubmatch(f.Allowed)
		if m == nil {
			continue
		}
		found++
		lo, _ := strconv.Atoi(m[1])
		hi, _ := strconv.Atoi(m[2])
		for _, tc := range []struct {
			value int
			ok    bool
		}{{lo - 1, false}, {lo, true}, {hi, true}, {hi + 1, false}} {
			c := set(t, sim.DefaultFleet(), stream+"throttle-shared=0\nbudget-shared=0")
			c.Policy = policy(t, "attempts=3")
			c.Server.Queue = 0
			err := f.Set(&c, strconv.Itoa(tc.value))
			if err == nil {
				err = c.Validate()
			}
			if (err == nil) != tc.ok {
				t.Errorf("%s=%d: %v; allowed is %s", f.Name, tc.value, err, f.Allowed)
			}
		}
	}
	if found < 4 {
		t.Errorf("only %d settings have bounds", found)
	}
}
