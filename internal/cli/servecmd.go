package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// shutdownTime is how long requests under way may still take once the server is told to stop.
const shutdownTime = 200 * time.Millisecond

func newServe(env *Env) *cobra.Command {
	var f *flags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve a script over real HTTP, to point any client at",
		Long: `serve gives any client the answers of a script over real HTTP: resets, cut bodies and
garbage are real ones on the wire. It prints its address and a line for each request,
with the gap since the one before.`,
		Example: "  retryscope serve --script '503 x2, 429 after=1, 200' --addr 127.0.0.1:8080",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var bad faults
			_, s := f.readScript(&input{ctx: cmd.Context(), stdin: env.Stdin}, &bad)
			seed := f.readSeed(&bad)
			if _, _, err := net.SplitHostPort(f.addr.value); err != nil {
				bad.addf("--addr %q: HOST:PORT, like 127.0.0.1:8080", f.addr.value)
			}
			if err := bad.err(); err != nil {
				return err
			}
			return serve(cmd.Context(), env, s, seed, f.addr.value, f.asJSON)
		},
	}
	f = newFlags(c)
	f.serve()
	return c
}

func serve(ctx context.Context, env *Env, s *script.Script, seed uint64, addr string, asJSON bool) error {
	for _, caveat := range s.WireCaveats() {
		_, _ = fmt.Fprintf(env.Stderr, "retryscope: %s\n", caveat)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return usage("--addr %q: %w", addr, err)
	}
	base, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	log := &serveLog{out: printer{w: env.Stdout}, asJSON: asJSON, stop: stop}
	srv := &http.Server{
		Handler:           script.NewHandler(s, seed, script.Options{OnRequest: log.request}),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: time.Minute,
	}
	log.listening(l.Addr(), seed)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return failed(err)
	case <-ctx.Done():
	}
	hangUp() // whoever hangs by script would hang the shutdown
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		err = srv.Close()
		if err != nil {
			return failed(err)
		}
	}
	if err := <-served; err != nil && !errors.Is(err, http.ErrServerClosed) {
		return failed(err)
	}
	return log.err()
}

// serveLog prints what the server sees, and stops the server once nobody can read it.
type serveLog struct {
	asJSON bool
	stop   context.CancelCauseFunc

	mu  sync.Mutex
	out printer
}

type listeningEvent struct {
	Event string `json:"event"`
	URL   string `json:"url"`
	Seed  uint64 `json:"seed"`
}

type requestEvent struct {
	Event  string  `json:"event"`
	N      int     `json:"n"`
	T      float64 `json:"t_ms"`
	Gap    float64 `json:"gap_ms"`
	Method string  `json:"method"`
	Path   string  `json:"path"`
	Step   int     `json:"step"`
	Answer string  `json:"answer"`
}

func (s *serveLog) listening(at net.Addr, seed uint64) {
	url, all := usable(at)
	if s.asJSON {
		s.json(listeningEvent{"listening", url, seed})
		return
	}
	s.line(fmt.Sprintf("listening on %s (%sseed %d); ctrl+c stops\n", url, all, seed))
}

// usable is the URL of an address as this machine can ask it, and words for where else it listens: the address of all of
// them is none to ask.
func usable(at net.Addr) (url, all string) {
	host := at.String()
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host, all = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port)), "and every other address of this machine, "
	}
	return "http://" + host + "/", all
}

func (s *serveLog) request(r script.Request) {
	if s.asJSON {
		s.json(requestEvent{"request", r.N, millis(r.T), millis(r.Gap), r.Method, r.Path, r.Step, r.Answer})
		return
	}
	s.line(fmt.Sprintf("%4d  %10.3fs  +%.3fs  %s %s  step %d: %s\n",
		r.N, r.T.Seconds(), r.Gap.Seconds(), trace.Clean(r.Method), trace.Clean(r.Path), r.Step, r.Answer))
}

func (s *serveLog) json(v any) {
	b, err := json.Marshal(v)
	if err != nil { // numbers and texts always have a JSON form
		s.stop(err)
		return
	}
	s.line(string(b) + "\n")
}

func (s *serveLog) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out.write([]byte(text)); s.out.err != nil {
		s.stop(s.out.err)
	}
}

// err is why what the server saw could not be told.
func (s *serveLog) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return written(s.out.err)
}

// millis is a duration in milliseconds, to the microsecond.
func millis(d time.Duration) float64 { return float64(d/time.Microsecond) / 1000 }
