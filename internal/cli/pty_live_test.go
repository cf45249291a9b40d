//go:build unix

package cli_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/retryscope/retryscope/internal/cli"
	"github.com/retryscope/retryscope/script"
)

// site is a server on the loopback that counts what it is asked.
type site struct {
	*httptest.Server
	asked atomic.Int32
	keys  sync.Map // of idempotency keys seen
}

func newSite(t *testing.T, answer http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		s.keys.Store(r.Header.Get("Idempotency-Key"), true)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// unavailable answers 503, and when to come again.
func unavailable(retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// Nothing is sent before S; x stops a running wait at once, the answers make a script, and a quit in a wait is instant.
func TestPtyLive(t *testing.T) {
	t.Parallel()
	s := newSite(t, unavailable("25"))
	c := newConsole(t, 120, 40).start(nil, s.URL+"/", "--seed", "1")
	c.see("LIVE", "not sent yet")
	c.keys(right + "j" + right + "rnf x") // neither a knob nor any other key sends
	c.settle()
	if n := s.asked.Load(); n != 0 {
		t.Fatalf("%d requests before S", n)
	}
	c.keys("S").see("waiting", "for attempt 2", "the server asked for it", "1 of 100 sends")
	was := c.screen()
	c.await("a countdown", func(s string) bool { return s != was })
	from := time.Now()
	c.keys("x").see("cancelled")
	if d := time.Since(from); d > deadline/2 {
		t.Errorf("stopped after %v", d)
	}
	c.settle()
	if n := s.asked.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	c.keys("f").see("script: 503 after=25")
	c.keys("u").see("LIVE")
	c.keys("S").see("waiting", "2 of 100 sends")
	from = time.Now()
	c.keys("q").exits(0)
	if d := time.Since(from); d > deadline/2 {
		t.Errorf("quit after %v", d)
	}
	if n := s.asked.Load(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// A run to its end; a knob turned meanwhile counts from the next decision, and it says so.
func TestPtyLiveTurns(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := newSite(t, func(w http.ResponseWriter, _ *http.Request) {
		<-release
		w.WriteHeader(503)
	})
	c := newConsole(t, 120, 40).start(nil, s.URL+"/", "--base", "1ms", "--jitter", "none", "--attempts", "2", "--send")
	c.see("LIVE", "under way")
	c.keys(right).see("‹ 3 ›", "attempts", "counts from")
	close(release)
	c.see("3 attempts of 3", "503", "no attempts left", "3 of 100 sends")
	if n := s.asked.Load(); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
	c.settle()
	if !c.rests(500 * time.Millisecond) {
		t.Error("bytes are written after the run is over")
	}
	c.keys("q").exits(0)
}

// The same inside of the tests, where the race detector looks at it: a key of every kind while answers come.
func TestPtyLiveInside(t *testing.T) {
	t.Parallel()
	s := newSite(t, unavailable(""))
	c := newConsole(t, 120, 40)
	c.startFunc(func(tty *os.File) int {
		return cli.Main(t.Context(), cli.Env{
			Args:  []string{s.URL, "--base", "20ms", "--curve", "constant", "--jitter", "none", "--attempts", "unlimited", "--max-sends", "5000"},
			Stdin: tty, Stdout: tty, Stderr: tty, Getenv: func(string) string { return "" },
		})
	})
	c.see("LIVE", "not sent yet")
	// What a wait of 20 ms shows may never be drawn where a frame takes longer: the requests are counted.
	c.keys("S").await("three requests", func(string) bool { return s.asked.Load() >= 3 })
	for _, key := range []string{down, right, "z", "z", "A", "u", "\t", "\t", "+", "0", "p"} {
		c.keys(key)
		n := s.asked.Load()
		c.await("one more request", func(string) bool { return s.asked.Load() > n })
	}
	c.see("┌─ Presets")
	c.keys(down).see("▸ first-principles")
	c.keys("\x1b").unsee("┌─")
	c.keys("x").see("cancelled")
	c.keys("q").exits(0)
}

// A method that is not idempotent asks once more; nothing is sent for a no.
func TestPtyLiveAsks(t *testing.T) {
	t.Parallel()
	s := newSite(t, unavailable(""))
	c := newConsole(t, 80, 24).start(nil, s.URL+"/", "-X", "POST")
	c.see("LIVE", "POST")
	c.keys("S").see("Send for real?")
	c.keys("n").unsee("Send for real?")
	c.settle()
	if n := s.asked.Load(); n != 0 {
		t.Errorf("%d requests after a no", n)
	}
	c.keys("S").see("Send for real?")
	c.keys("y").see("not idempotent", "1 of 100 sends")
	if n := s.asked.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	c.keys("q").exits(0)
}

// The hard stop holds for the whole session.
func TestPtyLiveMaxSends(t *testing.T) {
	t.Parallel()
	s := newSite(t, unavailable(""))
	c := newConsole(t, 80, 24).start(nil, s.URL+"/", "--base", "0", "--max-sends", "6")
	c.see("LIVE")
	c.keys("S").see("4 of 6 sends", "no attempts left")
	c.keys("S").see("6 of 6 sends")
	c.keys("S").see("no send is left")
	if n := s.asked.Load(); n != 6 {
		t.Errorf("%d requests, want 6", n)
	}
	c.keys("q").exits(0)
}

// What net/http sends again by itself is in the count on the screen, and not sent where the count is full.
func TestPtyLiveHiddenSends(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	answers, err := script.Parse("503, reset, 200, 503, reset, 200")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	s.Config.Handler = script.NewHandler(answers, 1, script.Options{OnRequest: func(script.Request) { asked.Add(1) }})
	c := newConsole(t, 80, 24).start(nil, s.URL+"/", "--base", "0", "--max-sends", "5")
	c.see("LIVE")
	c.keys("S").see("3 of 5 sends", "succeeded")
	c.keys("S").see("5 of 5 sends", "no sends left")
	if n := asked.Load(); n != 5 {
		t.Errorf("%d requests, want 5", n)
	}
	c.keys("q").exits(0)
}

// The signals, while a real request waits: the terminal is restored at once.
func TestPtyLiveSignals(t *testing.T) {
	t.Parallel()
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			c := newConsole(t, 80, 24).start(nil, s.URL+"/", "--send")
			c.see("under way")
			c.signal(sig)
			c.exits(code)
		})
	}
	// ctrl+c stops what is under way, and only then the program.
	s := newSite(t, unavailable("20"))
	c := newConsole(t, 80, 24).start(nil, s.URL+"/", "--send")
	c.see("waiting")
	c.keys("\x03").see("cancelled")
	c.keys("\x03").exits(0)
}

// A hostile server changes nothing on the screen but words, and no secret is seen in anything written.
func TestPtyLiveHostile(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	var n atomic.Int32
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close() //nolint:errcheck // the other side has its answer
		header := "X-Request-Id: a\u202e\u009d0;b\x9b2J\r\n"
		if n.Add(1) == 1 { // net/http takes no such header, and says so with its text
			header = "Retry-After: 0\x1b[2J\x1b]0;title\x07\r\n"
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 503 no\x1b[31m\x1b]52;c;SGk=\x07\x9b2J\x1bP$q\x1b\\\x1b]8;;\u202e\u009d\x1bc\x1b[6n\r\n"+header+
			"Connection: close\r\nContent-Length: 9\r\n\r\n\x1b[2J\x1b]8;;") // else net/http may send again on what is closed
	})
	home := t.TempDir()
	env := append(environment(t), "XDG_STATE_HOME="+home)
	url := strings.Replace(s.URL, "http://", "http://user:s3cret@", 1) + "/p?token=s3cret&q=seen"
	c := newConsole(t, 120, 40).start(env, url, "-H", "Authorization: Bearer s3cret", "--base", "0", "--attempts", "3")
	c.see("LIVE", "q=seen")
	c.keys("S").see("no attempts left", "503", "3 of 100 sends")
	for _, key := range []string{"2", "3", "4", "5", "?", "\x1b"} {
		c.keys(key)
		c.settle()
	}
	c.keys("w").see("Write the run")
	run := filepath.Join(home, "run.jsonl")
	c.keys("\x15" + run + enter).see("run.jsonl")
	c.unsee("┌─")
	c.keys("y").see("copied")
	c.keys("i").see("Request")
	c.settle()
	c.keys("\x1b").unsee("┌─")
	c.keys("q").exits(0)
	all := c.written()
	for _, bad := range []string{"s3cret", "\x1b]52;c;SGk=", "\x1b[2J\x1b]", "\x1b]0;", "\x1bP", "\x1bc", "\x1b]8", "\u202e", "\u009d", "\x1b[6n"} {
		if strings.Contains(all, bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
	if !utf8.ValidString(all) {
		t.Error("bytes that are no text reached the terminal")
	}
	data, err := os.ReadFile(run)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "s3cret") {
		t.Error("a secret is in the run that was written")
	}
	if err := plainText(string(data)); err != nil {
		t.Error(err)
	}
}

// TestLiveHostile asks run of the same, and of bodies without an end.
func TestLiveHostile(t *testing.T) {
	t.Parallel()
	huge := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", fmt.Sprint(1<<30))
		chunk := make([]byte, 1<<20)
		for range 1 << 10 {
			if _, err := w.Write(chunk); err != nil || r.Context().Err() != nil {
				return
			}
		}
	})
	from := time.Now()
	all := events(t, 0, huge.URL)
	if d := time.Since(from); d > deadline/2 {
		t.Errorf("a body of 1 GB took %v", d)
	}
	if got := all[len(all)-1].value("status"); got != "200" {
		t.Errorf("status %s", got)
	}
	if got := named(all, "outcome")[0].value("body_partly_read"); got != "true" {
		t.Errorf("that it was not read whole is %s", got)
	}
	if r := execute(t, "run", huge.URL); !strings.Contains(r.out, "only the first 8388608 bytes of the body were read") {
		t.Errorf("in words:\n%s", r.out)
	}
	drip := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "x")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done() // the next byte would come in ten seconds
	})
	all = events(t, 1, drip.URL, "--attempts", "2", "--base", "1ms", "--attempt-timeout", "100ms")
	if got := named(all, "outcome")[0].value("kind"); got != "timeout" {
		t.Errorf("a body that drips is %s", got)
	}
	if n := drip.asked.Load(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// A signal during a live wait: run prints what it did, and exits with the signal's code.
func TestRunSignals(t *testing.T) {
	t.Parallel()
	s := newSite(t, unavailable("25"))
	for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		for _, args := range [][]string{{s.URL}, {"--script", "503 after=25", "--realtime"}} {
			t.Run(sig.String()+" "+args[0], func(t *testing.T) {
				t.Parallel()
				testRunSignal(t, sig, code, append([]string{"run", "--json"}, args...))
			})
		}
	}
}

// What a server says unasked is no word on the terminal, whoever finds it.
func TestLiveUnsolicited(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\nEVIL\x1b]0;title\a")
		}
	}()
	r := execute(t, "run", "http://"+l.Addr().String()+"/", "--attempts", "3", "--base", "50ms", "--jitter", "none")
	if r.code != 1 || strings.Contains(r.out+r.err, "EVIL") || strings.Contains(r.err, "nsolicited") {
		t.Errorf("exit %d\n%s\n%s", r.code, r.out, r.err)
	}
	for line := range strings.Lines(r.err) {
		if !strings.HasPrefix(line, "attempt ") && !strings.HasPrefix(line, "waiting ") {
			t.Errorf("on standard error: %q", line)
		}
	}
}
