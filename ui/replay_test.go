package ui

import (
	"net"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/retryscope/retryscope/lab"
)

// What a script cannot give back is said in one line of a narrow screen, with how much more there is of it.
func TestReplayNote(t *testing.T) {
	t.Parallel()
	request := lab.Request{URL: "http://server.test/"}
	synctest.Test(t, func(t *testing.T) {
		away := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ENETUNREACH}
		m := sentTo(t, &faulty{err: away}, request)
		press(m, "f")
		wants(t, m, "a script, but answer 1 as refused: the cause was unreachable (+3)")
	})
	synctest.Test(t, func(t *testing.T) {
		header := http.Header{"Retry-After": {"Thu, 01 Jan 1970 00:00:00 GMT"}, "X-Ratelimit-Reset": {"1767225600"}}
		m := sentTo(t, &faulty{status: http.StatusServiceUnavailable, header: header}, request)
		press(m, "f")
		wants(t, m, "a script, but answer 1 as 503: X-Ratelimit-Reset is a time without a Date (+3)")
	})
}
