package sim_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/sim"
)

// A file that sets nothing is no scenario; one that says anything of it is.
func TestScenarioWithoutASetting(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n\n", "\ufeff", "# clients = 100\n", "[fleet]\n", "[fleet]\n# clients = 100\n"} {
		_, err := sim.ParseScenario("dir/mine.toml", []byte(text))
		if !errors.Is(err, sim.ErrNoSetting) || !strings.HasPrefix(err.Error(), "dir/mine.toml: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
	// What the error calls the smallest scenario is one.
	said := sim.ErrNoSetting.Error()
	_, lines, _ := strings.Cut(said, "the two lines ")
	s, err := sim.ParseScenario("mine.toml", []byte(strings.Replace(lines, " and ", "\n", 1)))
	if err != nil || s.Fleet.Load.Clients != 100 {
		t.Errorf("%q: %v, %+v", lines, err, s.Fleet.Load)
	}
	for _, text := range []string{"title = 'one'", "[fleet]\nclients = 1", "policies = ['default']"} {
		if _, err := sim.ParseScenario("mine.toml", []byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	// What is wrong besides is told, and not that nothing is set.
	if _, err := sim.ParseScenario("mine.toml", []byte("flet = 1")); err == nil || errors.Is(err, sim.ErrNoSetting) {
		t.Error(err)
	}
}
