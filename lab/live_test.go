package lab_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// live is a run against a script that stands in for the network.
func live(t testing.TB, scriptText, policyText string, change func(*lab.LiveConfig)) *lab.Live {
	t.Helper()
	cfg := lab.LiveConfig{Config: config(t, scriptText, policyText)}
	cfg.Base = script.NewTransport(cfg.Script, engine.Real(), cfg.Seed)
	cfg.Script = nil
	cfg.Request.URL = "http://server.test/"
	if change != nil {
		change(&cfg)
	}
	l, err := lab.NewLive(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// started runs l beside the test; what comes back gives its record.
func started(ctx context.Context, t *testing.T, l *lab.Live) func() *trace.Trace {
	t.Helper()
	done := make(chan struct{})
	var tr *trace.Trace
	var err error
	go func() {
		defer close(done)
		tr, err = l.Run(ctx)
	}()
	return func() *trace.Trace {
		t.Helper()
		<-done
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
}

func TestLiveRecordsWhatHappens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := live(t, "503 latency=80ms, 429 after=2, 200", "jitter=none", nil)
		if tr := l.Snapshot(); len(tr.Attempts) != 0 || tr.Head.URL != "http://server.test/" || !tr.Head.Live || l.Elapsed() != 0 {
			t.Errorf("before the start: %+v", tr.Head)
		}
		finish := started(t.Context(), t, l)
		<-time.After(180 * ms)
		mid := l.Snapshot()
		if w := mid.Attempts[0].Wait; !w.Begun || w.Ended || w.For != 200*ms || l.Elapsed() != 180*ms {
			t.Errorf("in the wait: %+v at %v", w, l.Elapsed())
		}
		if l.Snapshot() != mid {
			t.Error("nothing happened, and the record is another one")
		}
		tr := finish()
		want{attempts: 3, waits: []time.Duration{200 * ms, 2 * time.Second}, at: 2280 * ms}.check(t, "live", tr)
		if len(mid.Attempts) != 1 || mid.Done != nil {
			t.Error("a snapshot changed afterwards")
		}
		if _, err := l.Run(t.Context()); !errors.Is(err, lab.ErrRan) {
			t.Errorf("run twice: %v", err)
		}
	})
}

// A knob turned while it runs counts from the next decision, and the record says from which.
func TestLiveSetPolicy(t *testing.T) {
	t.Parallel()
	const start = "base=1s cap=30s jitter=none attempts=3"
	tests := []struct {
		name  string
		turns map[time.Duration]string // when, to what
		note  string
		after int
		waits []time.Duration
	}{
		{
			"in a wait",
			map[time.Duration]string{600 * ms: "base=1s cap=1500ms jitter=none attempts=3"},
			"cap changed 30s → 1.5s at 600ms: counts from the decision after attempt 2", 2,
			[]time.Duration{time.Second, 1500 * ms},
		},
		{
			"in an attempt",
			map[time.Duration]string{50 * ms: "base=500ms cap=30s jitter=none attempts=3"},
			"base changed 1s → 500ms at 50ms: counts from the decision after attempt 1", 1,
			[]time.Duration{500 * ms, time.Second},
		},
		{
			"several knobs, and one of them twice",
			map[time.Duration]string{
				200 * ms: "base=1s cap=9s jitter=none attempts=3", 300 * ms: "base=1s cap=1500ms jitter=none attempts=4",
			},
			"attempts changed 3 → 4, cap changed 30s → 1.5s at 300ms: counts from the decision after attempt 2", 2,
			[]time.Duration{time.Second, 1500 * ms, 1500 * ms},
		},
		{
			"and back again",
			map[time.Duration]string{200 * ms: "base=1s cap=9s jitter=none attempts=3", 300 * ms: start},
			"", 0,
			[]time.Duration{time.Second, 2 * time.Second},
		},
		{
			"more attempts in the last one",
			map[time.Duration]string{3250 * ms: "base=1s cap=30s jitter=none attempts=4"},
			"attempts changed 3 → 4 at 3.3s: counts from the decision after attempt 3", 3,
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second},
		},
		{
			"fewer attempts",
			map[time.Duration]string{600 * ms: "base=1s cap=30s jitter=none attempts=2"},
			"attempts changed 3 → 2 at 600ms: counts from the decision after attempt 2", 2,
			[]time.Duration{time.Second},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := live(t, "503 latency=100ms", start, nil)
				finish := started(t.Context(), t, l)
				var turned sync.WaitGroup
				for at, text := range tt.turns {
					turned.Go(func() {
						<-time.After(at)
						if err := l.SetPolicy(policy(t, text)); err != nil {
							t.Error(err)
						}
						if notes := l.Snapshot().Notes; len(notes) != 1 && tt.note != "" {
							t.Errorf("at once: %v", notes)
						}
					})
				}
				turned.Wait()
				tr := finish()
				if got := waits(tr); !equal(got, tt.waits) {
					t.Errorf("waits %v, want %v", got, tt.waits)
				}
				switch {
				case tt.note == "" && len(tr.Notes) == 0:
				case len(tr.Notes) != 1 || tr.Notes[0].Text != tt.note || tr.Notes[0].After != tt.after:
					t.Errorf("notes %+v", tr.Notes)
				case !strings.Contains(jsonOf(t, tr), `{"event":"note","t_ms":`):
					t.Error("it is not in the JSON")
				}
				if !tr.Checks.OK() {
					t.Error(tr.Broken)
				}
			})
		})
	}
}

func TestLiveSetPolicyBeforeAndAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := live(t, "503", "base=1s jitter=none", nil)
		if err := l.SetPolicy(engine.Policy{}); err == nil {
			t.Error("a policy that is not valid was taken")
		}
		if err := l.SetPolicy(policy(t, "attempts=2 base=3s jitter=none")); err != nil {
			t.Fatal(err)
		}
		if l.Snapshot().Head.Policy.Attempts != 2 {
			t.Error("the record has another policy")
		}
		tr := started(t.Context(), t, l)()
		if err := l.SetPolicy(policy(t, "attempts=3")); err != nil {
			t.Fatal(err)
		}
		want{result: engine.ResultFailed, reason: engine.ReasonAttempts, attempts: 2, waits: []time.Duration{3 * time.Second}}.check(t, "before", tr)
		if len(l.Snapshot().Notes) != 0 || tr.Head.Policy.Base != 3*time.Second {
			t.Errorf("%+v", l.Snapshot().Notes)
		}
	})
}

func TestLiveInterrupted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		at           time.Duration
		signOut      bool
		want         want
	}{
		{"cancelled in a wait", "503", 300 * ms, false, want{result: engine.ResultCancelled, reason: engine.ReasonCancelled, attempts: 1, at: 300 * ms}},
		{"cancelled in an attempt", "hang", 300 * ms, false, want{result: engine.ResultCancelled, reason: engine.ReasonCancelled, attempts: 1, at: 300 * ms}},
		{"signed out in a wait", "503", 300 * ms, true, want{result: engine.ResultFailed, reason: engine.ReasonStaleGeneration, attempts: 1, at: 300 * ms}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				l := live(t, tt.script, "base=1s jitter=none", nil)
				finish := started(ctx, t, l)
				<-time.After(tt.at)
				if tt.signOut {
					l.SignOut()
				} else {
					cancel()
				}
				tt.want.check(t, tt.name, finish())
			})
		})
	}
}

// The hard stop is for the whole session: what one run used is gone for the next.
func TestLiveMaxSends(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sends := engine.NewSends(5)
		first := started(t.Context(), t, live(t, "503", "attempts=3", func(c *lab.LiveConfig) { c.Sends = sends }))()
		want{result: engine.ResultFailed, reason: engine.ReasonAttempts, attempts: 3}.check(t, "first", first)
		second := started(t.Context(), t, live(t, "503", "attempts=3", func(c *lab.LiveConfig) { c.Sends = sends }))()
		want{result: engine.ResultFailed, reason: engine.ReasonMaxSends, attempts: 2, err: "503"}.check(t, "second", second)
		third := started(t.Context(), t, live(t, "503", "attempts=3", func(c *lab.LiveConfig) { c.Sends = sends }))()
		want{result: engine.ResultFailed, reason: engine.ReasonMaxSends, attempts: 0, err: "no send is left"}.check(t, "third", third)
		own := started(t.Context(), t, live(t, "503", "attempts=3", func(c *lab.LiveConfig) { c.MaxSends = 1 }))()
		want{result: engine.ResultFailed, reason: engine.ReasonMaxSends, attempts: 1}.check(t, "own", own)
	})
}

// Unlimited attempts of a live run are not endless: it is the user's to end them.
func TestLiveUnlimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := live(t, "503 x10500, 200", "attempts=unlimited base=1ms jitter=none cap=1ms", nil)
		want{attempts: 10501}.check(t, "unlimited", started(t.Context(), t, l)())
	})
}

type panics struct{}

func (panics) RoundTrip(*http.Request) (*http.Response, error) { panic("out of order") }

func TestLivePanicIsAnError(t *testing.T) {
	t.Parallel()
	l := live(t, "200", "", func(c *lab.LiveConfig) { c.Base = panics{} })
	tr, err := l.Run(t.Context())
	var p *engine.PanicError
	if !errors.As(err, &p) || p.Value != "out of order" || len(p.Stack) == 0 {
		t.Errorf("%v", err)
	}
	if tr.Done == nil || tr.Done.Result != engine.ResultFailed || !strings.Contains(tr.Done.Err, "out of order") || len(tr.Attempts) != 1 {
		t.Errorf("%+v", tr)
	}
}

// A panic of who watches is one too, and leaves no lock behind.
func TestLivePanicOfTheObserver(t *testing.T) {
	t.Parallel()
	l := live(t, "200", "", func(c *lab.LiveConfig) {
		c.Observe = func(_ *trace.Trace, e trace.Event) {
			if e.Kind == trace.KindOutcome {
				panic("no more")
			}
		}
	})
	_, err := l.Run(t.Context())
	var p *engine.PanicError
	if !errors.As(err, &p) || l.Snapshot().Done == nil {
		t.Errorf("%v", err)
	}
}

// What is streamed may be looked at, and so may a snapshot from within.
func TestLiveStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l *lab.Live
		var streamed []byte
		l = live(t, "503 latency=10ms, 429 after=1, 200", "", func(c *lab.LiveConfig) {
			c.Observe = func(tr *trace.Trace, e trace.Event) {
				l.Snapshot()
				streamed = tr.AppendJSON(streamed, e)
			}
		})
		if tr := started(t.Context(), t, l)(); jsonOf(t, tr) != string(streamed) {
			t.Errorf("streamed\n%s\nwritten\n%s", streamed, jsonOf(t, tr))
		}
	})
}

// Everybody may look and turn knobs at once: a test for the race detector.
func TestLiveIsSharedSafely(t *testing.T) {
	t.Parallel()
	l := live(t, "503 x40, 200", "attempts=50 base=1us jitter=none cap=1us", nil)
	stop := make(chan struct{})
	var others sync.WaitGroup
	for i := range 4 {
		others.Go(func() {
			p := policy(t, "attempts=50 base=1us jitter=none cap=1us")
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				tr := l.Snapshot()
				if _, last := jsonOf(t, tr), l.Elapsed(); last < 0 {
					t.Error(last)
				}
				p.Cap = time.Duration(1+n%3) * time.Microsecond
				if i == 0 {
					if err := l.SetPolicy(p); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	tr, err := l.Run(t.Context())
	close(stop)
	others.Wait()
	if err != nil || !tr.Checks.OK() || tr.Done.Attempts != 41 {
		t.Errorf("%v, %v, %+v", err, tr.Broken, tr.Done)
	}
}

func TestNewLiveRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, part string
		request    lab.Request
	}{
		{"no URL", "URL", lab.Request{}},
		{"another scheme", "URL", lab.Request{URL: "ftp://h/"}},
		{"no host", "URL", lab.Request{URL: "http:///x"}},
		{"no host but a port", "URL", lab.Request{URL: "http://:80/"}},
		{"a new line", "URL", lab.Request{URL: "https://exa\nmple.com"}},
		{"a password with a slash", "URL", lab.Request{URL: "http://user:hunter/2@h/"}},
		{"an escape that is none", "URL", lab.Request{URL: "http://h/%zz?token=hunter"}},
		{"a port too high", "URL", lab.Request{URL: "http://h:99999/"}},
		{"port 0", "URL", lab.Request{URL: "https://h:0/"}},
		{"no method", "method", lab.Request{URL: "http://h/", Method: "GET /"}},
		{"no header", "header", lab.Request{URL: "http://h/", Header: http.Header{"A b": {"x"}}}},
		{"a header of two lines", "header", lab.Request{URL: "http://h/", Header: http.Header{"A": {"hunter\r\nB: c"}}}},
		{"a key of two lines", "header", lab.Request{URL: "http://h/", Key: "hunter\n"}},
	}
	for _, tt := range tests {
		cfg := lab.LiveConfig{Config: lab.Config{Policy: engine.Default(), Request: tt.request}}
		_, err := lab.NewLive(cfg)
		var re *lab.RequestError
		if !errors.As(err, &re) || !errors.Is(err, lab.ErrRequest) || re.Part != tt.part {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err == nil || strings.Contains(err.Error(), "hunter") || trace.Clean(err.Error()) != err.Error() {
			t.Errorf("%s: %q", tt.name, err)
		}
	}
	for _, good := range []string{"http://[::1]:8080/", "HTTP://x", "http://a:b@evil@127.0.0.1/"} {
		r := lab.Request{URL: good}
		if err := r.Check(); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	if _, err := lab.NewLive(lab.LiveConfig{Config: config(t, "200", "")}); !errors.Is(err, lab.ErrScripted) {
		t.Error(err)
	}
	var fe *engine.FieldError
	if _, err := lab.NewLive(lab.LiveConfig{Config: lab.Config{Request: lab.Request{URL: "http://h/"}}}); !errors.As(err, &fe) {
		t.Error(err)
	}
}

// Who watches is told of the end of a run that panicked, as of any other.
func TestLivePanicIsToldOf(t *testing.T) {
	t.Parallel()
	var told []trace.EventKind
	l := live(t, "200", "", func(c *lab.LiveConfig) {
		c.Base = panics{}
		c.Observe = func(_ *trace.Trace, e trace.Event) { told = append(told, e.Kind) }
	})
	if _, err := l.Run(t.Context()); err == nil {
		t.Fatal("no error")
	}
	if n := len(told); n == 0 || told[n-1] != trace.KindDone {
		t.Errorf("told of %v", told)
	}
}
