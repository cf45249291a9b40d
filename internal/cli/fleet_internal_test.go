package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/sim"
	"github.com/retryscope/retryscope/ui"
)

// Figures have three digits, columns stay narrow, and only all is all.
func TestFleetFigures(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		got, want string
	}{
		{share(0), "0%"},
		{share(1), "100%"},
		{share(0.00009064), "<0.1%"},
		{share(0.00166), "0.17%"},
		{share(0.0853), "8.53%"},
		{share(0.09999), "10%"},
		{share(0.832512), "83.3%"},
		{share(0.9994), "99.9%"},
		{share(0.99951), ">99.9%"},
		{share(0.999999), ">99.9%"},
		{times(1), "1.00x"},
		{times(9.994), "9.99x"},
		{times(9.996), "10.0x"},
		{times(123.4), "123x"},
		{digits(0), "0"},
		{digits(0.087), "0.09"},
		{digits(9.996), "10"},
		{digits(42.42), "42.4"},
		{digits(99.96), "100"},
		{digits(1537.4), "1537"},
		{ui.FleetTime(0.0126), "13ms"},
		{ui.FleetTime(1.2345), "1.23s"},
		{ui.FleetTime(42.6543), "42.7s"},
		{ui.FleetTime(123.456), "2m3s"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s, want %s", tc.got, tc.want)
		}
	}
}

// breaks is a writer that panics.
type breaks struct{}

func (breaks) Write([]byte) (int, error) { panic("the writer broke") }

// A panic in the goroutine of a run is a failure of the command, with its stack, and not partial figures.
func TestFleetPanics(t *testing.T) {
	t.Parallel()
	c := sim.DefaultFleet()
	c.Policy = engine.Default()
	p := &fleetPlan{seeds: 3, fleets: []sim.Config{c, c}}
	_, err := p.simulate(t.Context(), &progress{w: breaks{}, since: time.Unix(0, 0)}, false)
	err = panicIn(err)
	if !errors.Is(err, errFailed) || !strings.Contains(err.Error(), "the writer broke") || !strings.Contains(err.Error(), "fleet_internal_test.go") {
		t.Errorf("%v", err)
	}
	if panicIn(nil) != nil || panicIn(context.Canceled) != nil {
		t.Error("what was cancelled is no panic")
	}
}
