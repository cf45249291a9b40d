//go:build unix

package cli_test

import (
	"strings"
	"testing"
)

// TestPtyTour is the round a newcomer makes, at the smallest size of the whole screen.
func TestPtyTour(t *testing.T) {
	t.Parallel()
	env := environment(t)
	c := newConsole(t, 80, 24).start(env, "--seed", "42")
	s := c.see("✓ succeeded in 2.73s", "‹ 4 ›", "4  200")
	if strings.Contains(s, "if 4 fails") {
		t.Fatalf("a fifth attempt under four:\n%s", s)
	}
	c.keys(right).see("‹ 5 ›", "5  if 4 fails") // attempts: one more row at once
	c.keys(down+right).see("base           ‹ 500ms ›", "0–0.5s → 0–1s")
	c.keys("u").see("base           ‹ 200ms ›", "0–0.2s → 0–0.4s")

	c.keys("\t").settle() // the timeline: back by events, and cancelled there
	c.keys(",,,,").settle()
	c.keys("x").see("⊗", "cancelled")
	c.keys("u").see("✓ succeeded")

	before := c.settle()
	c.keys("p").see("Presets", "server-led")
	c.keys(down + down + down) // server-led tries a reset no more: it shows before it is taken
	c.see("not retryable")
	c.keys("\x1b").unsee("┌─")
	c.see("✓ succeeded")
	if after := c.settle(); timelineOf(after) != timelineOf(before) {
		t.Errorf("the preset left something behind:\n%s\n%s", before, after)
	}

	c.keys("i").see("Request")
	c.keys(right).settle()
	for range 8 { // until it is a POST
		if strings.Contains(c.settle(), "POST") && strings.Contains(c.screen(), "not idempotent") {
			break
		}
		c.keys(right)
	}
	c.see("not idempotent", "1 attempt of 5")
	c.keys("\x1b").unsee("┌─")

	c.keys("?").see("Everything")
	c.keys("full").see("full screen")
	c.keys(enter).unsee("┌─")
	c.unsee("┬") // no two panes beside each other
	c.keys("z").see("┬")

	c.keys("w").see("Save the policy")
	c.keys("\x15carom" + enter).see("is the name of a preset")
	c.keys("\x15mine" + enter).unsee("┌─")
	c.see("mine")
	c.keys("q").exits(0)

	// What was saved goes by its name.
	c = newConsole(t, 120, 40).start(env, "run", "--policy", "mine", "--seed", "42")
	c.exits(0)
	if all := c.written(); !strings.Contains(all, "policy   mine\r\n") || !strings.Contains(all, "4 attempts of 5") {
		t.Errorf("%s", all)
	}
}

// timelineOf is the part of a screen above the policy.
func timelineOf(screen string) string {
	top, _, _ := strings.Cut(screen, " 2 Policy")
	return top
}
