package httpretry_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// A body is made again when the next attempt is decided on, while the answer of the latest is still there: where that
// cannot be done, the answer is handed back, nothing more was sent, and both errors are told of.
func TestBodyThatCannotBeMadeAgain(t *testing.T) {
	t.Parallel()
	disk := errors.New("disk")
	for _, c := range []struct {
		name, policy string
		steps        []step
		works        int // how often GetBody does
		status       int
		sends        int
		text         string
	}{
		{"after a 503", "", []step{status(503, "busy")}, 0, 503, 1, "503 Service Unavailable (not-replayable after 1 attempt: request body: disk)"},
		{"after a second one", "", []step{status(502, ""), status(503, "busy")}, 1, 503, 2, "503 Service Unavailable (not-replayable after 2 attempts: request body: disk)"},
		{"after a reset", "", []step{fails(errReset)}, 0, 0, 1, "connection reset by peer (not-replayable after 1 attempt: request body: disk)"},
		{"where nothing was sent", "", []step{dialFails(syscall.ECONNREFUSED).RoundTrip}, 0, 0, 1, "connection refused (not-replayable after 1 attempt: request body: disk)"},
		{"in the policy's last words", "attempts=2", []step{status(503, "")}, 1, 503, 2, "503 Service Unavailable (attempts-exhausted after 2 attempts)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock, loop := virtual(t)
			p := newPeer(c.steps...)
			var decided []engine.Reason
			observe := engine.WithObserver(func(e *engine.Event) {
				if e.Kind == engine.EventDecision && e.Decision.Verdict == engine.Stop {
					decided = append(decided, e.Decision.Reason)
					if why := e.Policy.Why(engine.GateReplayable, &e.Decision, &e.Outcome, &e.Facts); e.Decision.Reason == engine.ReasonNotReplayable && why != "the body could not be made again" {
						t.Errorf("why: %s", why)
					}
				}
			})
			rt := transport(t, p, "base=1s jitter=none "+c.policy, loop, httpretry.WithEngine(observe))
			asked := 0
			req := request(t, "PUT", "http://a.test/", strings.NewReader("hello"))
			req.GetBody = func() (io.ReadCloser, error) {
				if asked++; asked > c.works {
					return nil, disk
				}
				return io.NopCloser(strings.NewReader("hello")), nil
			}
			resp, err := rt.RoundTrip(req)
			report, ok := httpretry.ReportOf(resp)
			if resp != nil {
				err = httpretry.ErrorOf(resp)
				if text := readAll(t, resp); c.steps[0] != nil && strings.Contains(c.name, "503") && text != "busy" {
					t.Errorf("the answer reads %q", text)
				}
			}
			var whole *httpretry.Error
			if errors.As(err, &whole) {
				report, ok = whole.Report, true
			}
			lost := strings.Contains(c.text, "disk")
			if got := httpStatus(err); !ok || got != c.status || report.Attempts != c.sends || p.count() != c.sends || at(clock) != time.Duration(c.sends-1)*time.Second {
				t.Errorf("%d, %+v, %d sends at %v", got, report, p.count(), at(clock))
			}
			if errors.Is(err, disk) != lost || errors.Is(err, httpretry.ErrBody) != lost || errors.Is(err, errReset) != (c.name == "after a reset") {
				t.Errorf("%v", err)
			}
			if !strings.HasSuffix(err.Error(), c.text) {
				t.Errorf("%q, want %q", err, c.text)
			}
			want := engine.ReasonNotReplayable
			if !lost {
				want = engine.ReasonAttempts
			}
			if report.Reason != want || len(decided) != 1 || decided[0] != want || report.Last.Cause == engine.CauseBody {
				t.Errorf("%+v, decided %v", report, decided)
			}
		})
	}
}

// httpStatus is the status inside an error, 0 for none.
func httpStatus(err error) int {
	var e *engine.StatusError
	if errors.As(err, &e) {
		return e.Status
	}
	return 0
}

// A body is made again for each further attempt that is decided on, and for no other; what was made for one that is never
// sent is closed.
func TestBodyIsMadeAgainOnlyForARetry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, policy string
		steps        []step
		cancelAt     time.Duration
		made, sends  int
	}{
		{"a success", "", []step{status(200, "")}, 0, 0, 1},
		{"each retry", "", []step{status(503, ""), status(503, ""), status(200, "")}, 0, 2, 3},
		{"until the attempts run out", "attempts=3", []step{status(503, "")}, 0, 2, 3},
		{"not retryable", "", []step{status(404, "")}, 0, 0, 1},
		{"deferred", "", []step{status(503, "", "Retry-After: 3600")}, 0, 0, 1},
		{"too late", "timeout=500ms", []step{status(503, "")}, 0, 0, 1},
		{"no budget", "budget=tokens:1/14/1", []step{status(503, "")}, 0, 0, 1},
		{"cancelled in the wait", "", []step{status(503, "")}, 1500 * time.Millisecond, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock, loop := virtual(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancelAt > 0 {
				clock.At(c.cancelAt, engine.RankCancel, cancel)
			}
			p := newPeer(c.steps...)
			rt := transport(t, p, "base=1s curve=constant jitter=none "+c.policy, loop)
			own := &watched{Reader: strings.NewReader("hello")}
			req := request(t, "PUT", "http://a.test/", own).WithContext(ctx)
			var made []*watched
			req.GetBody = func() (io.ReadCloser, error) {
				made = append(made, &watched{Reader: strings.NewReader("hello")})
				return made[len(made)-1], nil
			}
			_, _, _ = roundTrip(t, rt, req)
			if len(made) != c.made || p.count() != c.sends || own.closed.Load() != 1 {
				t.Errorf("made %d times, sent %d times, the caller's closed %d times", len(made), p.count(), own.closed.Load())
			}
			for i, b := range made {
				if b.closed.Load() != 1 {
					t.Errorf("body %d was closed %d times", i+1, b.closed.Load())
				}
			}
			for _, s := range p.sent {
				if s.body != "hello" {
					t.Errorf("sent %q", s.body)
				}
			}
		})
	}
}

// Whose cancel it was, that of the caller or of somebody below, is asked of the caller's context.
func TestMarkedCancelOfSomebodyBelow(t *testing.T) {
	t.Parallel()
	marked := engine.Transient(context.Canceled)
	for _, c := range []struct {
		name  string
		err   error
		kind  engine.Kind
		sends int
	}{
		{"plain", context.Canceled, engine.KindCancelled, 1},
		{"marked", marked, engine.KindUnknown, 4},
		{"with a wait", engine.RetryAfter(context.Canceled, time.Second), engine.KindUnknown, 4},
	} {
		_, loop := virtual(t)
		p := newPeer(fails(c.err))
		_, report, _ := roundTrip(t, transport(t, p, "", loop), request(t, "GET", "http://a.test/", nil))
		if p.count() != c.sends || report.Last.Kind != c.kind || report.Result != engine.ResultFailed {
			t.Errorf("%s: %d sends, %+v", c.name, p.count(), report)
		}
	}
	p := newPeer(status(200, "{"))
	_, loop := virtual(t)
	rt := transport(t, p, "", loop, httpretry.WithRead(9), httpretry.WithInspect(func(*http.Response, []byte) error { return marked }))
	if code, report, err := roundTrip(t, rt, request(t, "GET", "http://a.test/", nil)); p.count() != 4 || code != 200 || report.Last.Kind != engine.KindDecoding {
		t.Errorf("inspected: %d sends, %d, %+v, %v", p.count(), code, report, err)
	}
}
