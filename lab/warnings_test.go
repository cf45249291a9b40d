package lab_test

import (
	"strings"
	"testing"
	"time"

	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
)

func TestWarnings(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`503, 429 after=2, 200`:                     nil,
		`429 after="Thu, 01 Jan 2026 00:00:30 GMT"`: nil,
		`503, 429 after=1h, 200`:                    {`step 2: after="1h" is neither seconds nor an HTTP date`},
		`503 after=, 429 after=-5 x2, reset`:        {`step 1: after=""`, `step 2: after="-5"`},
		`503 after=2 header="retry-after: 20", 429 after=2 header="Retry-After: 2 ", 429 header="Retry-After: 1" header="Retry-After: 2" header="Retry-After: 1"`: {
			`step 1: 2 lines of Retry-After that differ`, `step 3: 3 lines of Retry-After that differ`,
		},
		`503 after="\x1b[2J"`: {`step 1: after="\x1b[2J"`},
	} {
		s, err := script.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got := lab.Warnings(s, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		if len(got) != len(want) {
			t.Errorf("%s: %q", text, got)
			continue
		}
		for i := range want {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("%s: %q, want %q", text, got[i], want[i])
			}
		}
	}
}
