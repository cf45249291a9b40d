package cli

import (
	"errors"
	"fmt"

	"github.com/retryscope/retryscope/sim"
)

// fit makes settings that go without saying follow those that were given, and names what is missing.
func (f *fleetFlags) fit(c *sim.Config, bad *faults) {
	if !f.given("scenario") && f.given("workers") && !f.given("capacity") && c.Server.Workers > 0 {
		c.Server.Limit = 0 // the default is not a wish for a second limit
	}
	if c.Load.Kind != sim.Herd && c.Horizon == 0 && !f.given("horizon") {
		kind, _ := sim.FieldOf("load")
		bad.addf("--horizon: say when the run ends, as 60s: the calls of a %s keep coming", kind.Get(c))
	}
}

// flagged puts the flag's dashes before each setting that an error names.
func flagged(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range all.Unwrap() {
			out = append(out, flagged(e))
		}
		return errors.Join(out...)
	}
	var field *sim.FieldError
	if errors.As(err, &field) {
		if _, ok := sim.FieldOf(field.Field); ok {
			return fmt.Errorf("--%w", err)
		}
	}
	return err
}
