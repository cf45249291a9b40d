package sim_test

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/sim"
)

// again tells whether a field's text gives the same fleet again.
func again(t *testing.T, f *sim.Field, c *sim.Config) {
	t.Helper()
	d, text := *c, f.Get(c)
	if err := f.Set(&d, text); err != nil {
		t.Fatalf("%s: its own text %q is refused: %v", f.Name, text, err)
	}
	if !reflect.DeepEqual(c, &d) {
		t.Fatalf("%s: %q gives another fleet:\n%+v\n%+v", f.Name, text, c, d)
	}
}

// What a field says of itself it reads again, to the last bit.
func TestFieldRoundTrip(t *testing.T) {
	t.Parallel()
	for _, row := range [][2]string{
		{"rate", "5s:100"},
		{"rate", "0s:1 0.1ms:2e-9,3h:1e7"},
		{"fail", "0.1234567890123456"},
		{"fail", "33.3333333333333333%"},
		{"fail", "7%"},
		{"faults", "brownout 1ns-2s 0.333333333333333; slow 1h-2h x1.00000000000001"},
		{"throttle", "breaker:3/1.000000001s"},
		{"throttle", "breaker:3/23h59m59.999999999s"},
		{"budget", "grpc:0.1/10"},
		{"budget", "aws:1e9/1e9"},
		{"capacity", "0.1"},
		{"clients", "1_000_000"},
		{"method", "M-SEARCH"},
	} {
		c := sim.DefaultFleet()
		f, _ := sim.FieldOf(row[0])
		if err := f.Set(&c, row[1]); err != nil {
			t.Fatal(err)
		}
		again(t, f, &c)
	}
	r := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		c := anyFleet(t, r)
		for _, f := range sim.Fields() {
			again(t, &f, &c)
		}
	}
}

// What cannot be is refused, and changes nothing.
func TestFieldRefuses(t *testing.T) {
	t.Parallel()
	for _, row := range [][2]string{
		{"method", ""},
		{"method", "GET\x00"},
		{"method", "GE T"},
		{"horizon", "2562047h47m16.854775807s"},
		{"latency", "-1s"},
		{"latency", "0.1ns"},
		{"latency", "5"},
		{"faults", "down 5s-2562047h47m16.854775807s"},
		{"faults", "down 5s"},
		{"faults", "down 1s-2s 50%"},
		{"faults", "slow 1s-2s 5"},
		{"faults", "down 1s-2s;"},
		{"throttle", "breaker:3/25h"},
		{"throttle", "adaptive:2/3"},
		{"budget", "none:1"},
		{"budget", "aws:5"},
		{"fail", "101%"},
		{"fail", "NaN"},
		{"capacity", "Inf"},
		{"clients", "1e7"},
		{"clients", "99999999999999999999"},
		{"queue", "-1"},
		{"order", "FIFO"},
		{"nosuch", "1"},
	} {
		c := sim.DefaultFleet()
		if err := c.Set(row[0], row[1]); err == nil {
			t.Errorf("%s: %q is taken", row[0], row[1])
		}
		if want := sim.DefaultFleet(); !reflect.DeepEqual(c, want) {
			t.Errorf("%s: %q is refused, and changes the fleet", row[0], row[1])
		}
	}
}

func FuzzField(f *testing.F) {
	f.Add(uint8(0), "stream")
	f.Add(uint8(3), "0s:100 10s:300 20s:100")
	f.Add(uint8(19), "33.3333333333%")
	f.Add(uint8(20), "down 0s-10s; brownout 3s-5s 50%; slow 10s-20s x5")
	f.Add(uint8(21), "grpc:0.1/10")
	f.Add(uint8(23), "breaker:5/1.5s")
	f.Add(uint8(26), "PATCH")
	fields := sim.Fields()
	f.Fuzz(func(t *testing.T, n uint8, value string) {
		field := &fields[int(n)%len(fields)]
		c := sim.DefaultFleet()
		if field.Set(&c, value) == nil {
			again(t, field, &c)
		}
		_ = c.Validate() // it may be refused, and must not panic
	})
}

func FuzzParseScenario(f *testing.F) {
	for _, s := range sim.Scenarios() {
		text, _ := sim.ScenarioText(s.Name)
		f.Add(string(text))
	}
	f.Add("title = 3\npolicies = \"a\"\nfleet = [1]\nx = 1")
	f.Add("\ufefftitle = \"a\\u001b[31m\\nb\"\n[fleet]\r\nfail = 0.5\nclients = 7\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := sim.ParseScenario("any.toml", []byte(text))
		if err != nil {
			if strings.ContainsRune(err.Error(), '\x1b') {
				t.Fatalf("%q", err)
			}
			return
		}
		if err := s.Fleet.Validate(); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(s.Title, "\x1b\n\r") || strings.ContainsAny(s.Story, "\x1b\r") {
			t.Fatalf("%q, %q", s.Title, s.Story)
		}
		for _, field := range sim.Fields() {
			again(t, &field, &s.Fleet)
		}
	})
}
