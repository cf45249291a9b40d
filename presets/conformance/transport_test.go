package conformance

import (
	"fmt"
	"slices"
	"strings"
)

// connections compares what happens where no answer comes at all: the connection breaks while it is awaited, or nobody
// takes it.
func (k *checker) connections() {
	if !k.c.noBroken {
		k.connection("broken connection", reset())
	}
	if !k.c.noRefused {
		k.connection("refused connection", refused())
	}
}

// connection compares how often the first method is sent where each send fails in that way, and which others are sent
// again.
func (k *checker) connection(check string, a answer) {
	k.t.Helper()
	k.compare2(check, func(send sender) string {
		w, _, _ := run(send, k.method, stop, a)
		sends := fmt.Sprint(w.sends())
		if w.sends() > stop {
			sends = fmt.Sprintf("%d or more", stop)
		}
		if len(k.c.methods) == 0 {
			return sends
		}
		var again []string
		for _, m := range k.c.methods {
			w, _, _ := run(send, m, 1, a)
			if w.sends() > 1 {
				again = append(again, m)
			}
		}
		if len(again) == 0 {
			return sends + ", none again"
		}
		slices.Sort(again)
		return sends + ", again " + strings.Join(again, " ")
	})
}
