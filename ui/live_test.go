package ui

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/trace"
)

// fakeLive is a live source over a server in memory.
type fakeLive struct {
	ctx   context.Context //nolint:containedctx // of the test
	base  http.RoundTripper
	sends *engine.Sends

	run    *lab.Live
	cancel context.CancelFunc
	starts int
}

func (f *fakeLive) Start(p engine.Policy, r lab.Request) error {
	l, err := lab.NewLive(lab.LiveConfig{Config: lab.Config{Policy: p, Request: r, Seed: 1, Draw: -1}, Base: f.base, Sends: f.sends})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(f.ctx)
	f.run, f.cancel = l, cancel
	f.starts++
	go func() {
		defer cancel()
		if _, err := l.Run(ctx); err != nil {
			panic(err)
		}
	}()
	return nil
}

func (f *fakeLive) Snapshot() *trace.Trace {
	if f.run == nil {
		return nil
	}
	return f.run.Snapshot()
}

func (f *fakeLive) Elapsed() time.Duration {
	if f.run == nil {
		return 0
	}
	return f.run.Elapsed()
}
func (f *fakeLive) SetPolicy(p engine.Policy) error { return f.run.SetPolicy(p) }
func (f *fakeLive) Cancel()                         { f.cancel() }
func (f *fakeLive) SignOut()                        { f.run.SignOut() }
func (f *fakeLive) Sends() (used, most int)         { return 3, 100 }

// answers is a server in memory: a status after a while, one after the other, the last for ever.
type answers struct {
	mu   sync.Mutex
	n    int
	list []int
	took time.Duration
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	code := a.list[min(a.n, len(a.list)-1)]
	a.n++
	a.mu.Unlock()
	select {
	case <-time.After(a.took):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	h := http.Header{}
	if code == 429 {
		h.Set("Retry-After", "2")
	}
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", Header: h, Body: http.NoBody, Request: r,
	}, nil
}

func liveScreen(t *testing.T, list ...int) (*Model, *fakeLive) {
	t.Helper()
	f := &fakeLive{ctx: t.Context(), base: &answers{list: list, took: 100 * time.Millisecond}}
	m := newScreen(t, 120, 40, func(o *Options) {
		o.Live = f
		o.Request = lab.Request{URL: "https://rates.example.test/v1/spot?api_key=hunter2"}
	})
	return m, f
}

// run lets the time pass that a tick asked for, d in all.
func runTicks(m *Model, cmd tea.Cmd, d time.Duration) tea.Cmd {
	end := time.Now().Add(d)
	for cmd != nil && time.Now().Before(end) {
		_, cmd = m.Update(cmd())
	}
	return cmd
}

func TestLive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, f := liveScreen(t, 503, 429, 200)
		wants(t, m, "LIVE", "not sent yet", "S sends", "GET https://rates.example.test/v1/spot?api_key=•••", "policy default")
		wantsNot(t, m, "hunter2")
		for _, key := range []string{"space", "r", "n", "e", ".", "enter", "esc", "f", "x", "right", "u"} {
			press(m, key)
		}
		if f.starts != 0 {
			t.Fatal("something but S sends")
		}
		cmd := press(m, "S")
		if cmd == nil || f.starts != 1 {
			t.Fatal("S does not send")
		}
		cmd = runTicks(m, cmd, 150*time.Millisecond)
		wants(t, m, "x stops it", "3 of 100 sends", "503")
		cmd = runTicks(m, cmd, 800*time.Millisecond)
		wants(t, m, "the server asked for it", "next", "Why: attempt 2 is retried", "Answer 2", "429")
		press(m, "j", "j", "j", "j", "j", "left")
		wants(t, m, "timeout changed none", "counts from the decision after attempt 3")
		if again := press(m, "S"); again != nil || f.starts != 1 {
			t.Error("a second send while one is under way")
		}
		if cmd = runTicks(m, cmd, time.Minute); cmd != nil {
			t.Fatal("it is over, and the ticks go on")
		}
		wants(t, m, "✓ succeeded", "3 attempts of 4", "S sends")
		press(m, "f")
		wants(t, m, "script: 503 latency=100ms, 429 after=2 latency=100ms, 200 latency=100ms", "a script now")
		press(m, "u")
		wants(t, m, "LIVE", "✓ succeeded")
	})
}

func TestLiveStopsAtOnce(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"x", "ctrl+c"} {
		synctest.Test(t, func(t *testing.T) {
			m, _ := liveScreen(t, 503)
			cmd := runTicks(m, press(m, "S"), 150*time.Millisecond)
			before := time.Now()
			press(m, key)
			if m.live.trace.Done == nil {
				cmd = runTicks(m, cmd, time.Minute)
			}
			if m.live.trace.Done == nil || time.Since(before) > 110*time.Millisecond {
				t.Errorf("%s: stopped after %v", key, time.Since(before))
			}
			if cmd != nil {
				t.Error("the ticks go on")
			}
			wants(t, m, "⊗", "cancelled")
			if _, ok := press(m, "ctrl+c")().(tea.QuitMsg); !ok {
				t.Error("ctrl+c does not quit once nothing runs")
			}
		})
	}
}

func TestLiveSignOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, _ := liveScreen(t, 503)
		cmd := runTicks(m, press(m, "S"), 150*time.Millisecond)
		press(m, "?")
		typeText(m, "sign")
		press(m, "enter")
		runTicks(m, cmd, time.Minute)
		wants(t, m, "signed out")
	})
}

// Each send that may do its work once more is asked about, and none that may not.
func TestLiveAsksEachTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, f := liveScreen(t, 200)
		press(m, "i", "p", "enter", "S")
		wants(t, m, "Send for real?", "POST is not idempotent")
		press(m, "n")
		open := m.doc.policy
		open.Methods = engine.MethodsAny
		m.commit(policyEdit{open, "methods"})
		press(m, "S")
		wants(t, m, "Send for real?", "it is sent once, whatever methods says")
		press(m, "n", "u")
		if f.starts != 0 {
			t.Fatal("sent after a no")
		}
		for n := range 2 {
			press(m, "S")
			wants(t, m, "Send for real?")
			runTicks(m, press(m, "y"), time.Minute)
			if f.starts != n+1 {
				t.Fatalf("sent %d times after %d times yes", f.starts, n+1)
			}
			wants(t, m, "✓ succeeded")
		}
		press(m, "i", "down", "down")
		typeText(m, "k")
		runTicks(m, press(m, "enter", "S"), time.Minute)
		if f.starts != 3 {
			t.Error("it asks although there is a key")
		}
	})
	// A key among the headers is one, too.
	synctest.Test(t, func(t *testing.T) {
		m, f := liveScreen(t, 200)
		m.doc.request.Method, m.doc.request.Header = "POST", http.Header{"Idempotency-Key": {"k"}}
		runTicks(m, press(m, "S"), time.Minute)
		if f.starts != 1 {
			t.Error("it asks although there is a key in a header")
		}
	})
}

// Before the first send the screen speaks of the request that would be sent.
func TestLiveBeforeTheSend(t *testing.T) {
	t.Parallel()
	m, _ := liveScreen(t, 200)
	wants(t, m, "not sent yet", "up to 4 attempts", "GET", "if 1 fails", "if 3 fails")
	press(m, "i", "p", "enter")
	wants(t, m, "not sent yet", "1 attempt: POST is not idempotent", "POST https://rates")
	wantsNot(t, m, "if 1 fails", "up to 4")
	press(m, "i", "down", "down")
	typeText(m, "k")
	press(m, "enter")
	wants(t, m, "up to 4 attempts", "POST + idem. key", "if 3 fails")
	press(m, "i", "down", "down", "down")
	typeText(m, "body")
	press(m, "down", "space", "enter")
	wants(t, m, "1 attempt: the body can be read only once")
	wantsNot(t, m, "if 1 fails")
}

// A script and a URL: typing one makes it the source, and nothing is sent before S; e goes back to the script.
func TestScriptGoesLive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeLive{ctx: t.Context(), base: &answers{list: []int{503, 200}, took: time.Millisecond}}
		m := newScreen(t, 80, 24, func(o *Options) { o.Live, o.Scripted, o.SendAtOnce = f, true, true })
		settle(m, m.Init())
		wants(t, m, "script: 503")
		press(m, "S")
		wants(t, m, "i gives the request one")
		press(m, "i", "down")
		typeText(m, "http://a.test/x")
		wants(t, m, "LIVE")
		press(m, "esc")
		wants(t, m, "script: 503") // it was only tried
		press(m, "i", "down")
		typeText(m, "http://a.test/x")
		press(m, "enter")
		wants(t, m, "LIVE", "GET http://a.test/x", "not sent yet", "S sends")
		if f.starts != 0 {
			t.Fatal("sent by typing a URL")
		}
		cmd := press(m, "S")
		press(m, "e")
		wants(t, m, "a live run is under way: x stops it")
		runTicks(m, cmd, time.Minute)
		wants(t, m, "✓ succeeded", "2 attempts of 4")
		press(m, "e", "enter")
		wants(t, m, "script: 503", "at end")
		press(m, "S")
		wants(t, m, "'live source' in ?")
		press(m, "?")
		typeText(m, "live source")
		press(m, "enter")
		wants(t, m, "LIVE", "✓ succeeded")
		press(m, "u")
		wants(t, m, "script: 503")
		if f.starts != 1 {
			t.Errorf("sent %d times", f.starts)
		}
	})
	// What is no URL changes nothing.
	m := newScreen(t, 80, 24, func(o *Options) { o.Live, o.Scripted = &fakeLive{}, true })
	press(m, "i", "down")
	typeText(m, "nothing")
	press(m, "enter")
	wants(t, m, "Request", "scheme")
	wantsNot(t, m, "LIVE")
}

// Going through a live run that is over is told from the run itself.
func TestLiveReplay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, _ := liveScreen(t, 503, 200)
		runTicks(m, press(m, "S"), time.Minute)
		wants(t, m, "LIVE", "S sends")
		press(m, "1", "home")
		wants(t, m, "replay at", "replay of what was sent", "attempt 1 is under way")
		wantsNot(t, m, "LIVE", "S sends", "not sent yet")
		press(m, "end", "space")
		wants(t, m, "replay playing")
		press(m, "space", ",", ",", ",", ",")
		wantsNot(t, m, "not sent yet")
		press(m, "end")
		wants(t, m, "LIVE", "✓ succeeded", "S sends")
	})
}

// refusing is a live source that takes no request.
type refusing struct{ fakeLive }

func (*refusing) Start(engine.Policy, lab.Request) error { return errTest }

func TestLiveThatCannotStart(t *testing.T) {
	t.Parallel()
	m := newScreen(t, 80, 24, func(o *Options) { o.Live = &refusing{} })
	if cmd := press(m, "S"); cmd != nil {
		t.Error("nothing runs, and there is a tick")
	}
	wants(t, m, errTest.Error())
}

func TestSendAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &fakeLive{ctx: t.Context(), base: &answers{list: []int{200}, took: time.Millisecond}}
		m := newScreen(t, 80, 24, func(o *Options) {
			o.Live, o.SendAtOnce, o.Request.URL = f, true, "http://a.test/"
		})
		_, cmd := m.Update(m.Init()())
		runTicks(m, cmd, time.Minute)
		if f.starts != 1 || m.live.trace == nil || m.live.trace.Done == nil {
			t.Error("not sent at once")
		}
	})
}

// lockedWriter is an output that two goroutines may use.
type lockedWriter struct {
	mu sync.Mutex
	b  strings.Builder
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *lockedWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// The whole program: it paints, plays, and writes not a byte while nothing moves.
func TestProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := &lockedWriter{}
		m := newScreen(t, 80, 24)
		p := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(out), tea.WithoutSignalHandler(), tea.WithFPS(30),
			tea.WithWindowSize(80, 24), tea.WithContext(t.Context()))
		done := make(chan error, 1)
		go func() {
			_, err := p.Run()
			done <- err
		}()
		time.Sleep(time.Second)
		if !strings.Contains(out.String(), "succeeded") {
			t.Error("nothing was painted")
		}
		n := len(out.String())
		time.Sleep(10 * time.Second)
		if got := len(out.String()); got != n {
			t.Errorf("idle, it wrote %d bytes", got-n)
		}
		p.Send(keyOf("space"))
		time.Sleep(4 * time.Second)
		if len(out.String()) < n+1000 {
			t.Error("it does not play")
		}
		n = len(out.String())
		time.Sleep(10 * time.Second)
		if got := len(out.String()); got != n {
			t.Errorf("played to the end, it wrote %d bytes", got-n)
		}
		p.Send(keyOf("q"))
		if err := <-done; err != nil && !errors.Is(err, tea.ErrProgramKilled) {
			t.Error(err)
		}
		time.Sleep(time.Second)
		for _, title := range []string{"\x1b]0;", "\x1b]1;", "\x1b]2;"} {
			if strings.Contains(out.String(), title) {
				t.Errorf("the title of the window was set: %q", title)
			}
		}
	})
}
