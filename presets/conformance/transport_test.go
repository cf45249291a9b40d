package conformance

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"time"
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

// connections are the same of a tool, with two retries and one. What nobody took cannot be counted: it is told by the
// wait that a second try begins with.
func (k *toolCheck) connections(wait time.Duration) {
	w, _ := k.tool.run(k.t, 2, http.MethodGet, 10, reset())
	k.compare("broken connection", fmt.Sprint(k.mine(k.twice, http.MethodGet, 10, reset()).sends()), fmt.Sprint(w.sends()))
	mine, theirs := "final", "tried again"
	if k.mine(k.once, http.MethodGet, 1, refused()).sends() > 1 {
		mine = "tried again"
	}
	for range 3 { // a busy machine is late, and never early
		if k.tool.refused(k) < wait {
			theirs = "final"
		}
	}
	k.compare("refused connection", mine, theirs)
}

// refused is how long the tool takes to give up with one retry where nobody listens.
func (c *tool) refused(k *toolCheck) time.Duration {
	k.t.Helper()
	l, err := (&net.ListenConfig{}).Listen(k.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		k.t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		k.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(k.t.Context(), watched)
	defer cancel()
	from := time.Now()
	_ = exec.CommandContext(ctx, c.binary, c.command(1, http.MethodGet, url)...).Run() // it fails in any case
	return time.Since(from)
}
