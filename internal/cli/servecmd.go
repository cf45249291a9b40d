package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
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
	log := &serveLog{env: env, asJSON: asJSON}
	base, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	srv := &http.Server{
		Handler:           script.NewHandler(s, seed, script.Options{OnRequest: log.request}),
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: time.Minute,
	}
	log.listening("http://"+l.Addr().String()+"/", seed)
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
	return nil
}

// serveLog prints what the server sees.
type serveLog struct {
	env    *Env
	asJSON bool
}

type listeningEvent struct {
	Event string `json:"event"`
	URL   string `json:"url"`
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

func (s *serveLog) listening(url string, seed uint64) {
	if s.asJSON {
		s.line(listeningEvent{"listening", url})
		return
	}
	_, _ = fmt.Fprintf(s.env.Stdout, "listening on %s (seed %d); ctrl+c stops\n", url, seed)
}

func (s *serveLog) request(r script.Request) {
	if s.asJSON {
		s.line(requestEvent{"request", r.N, millis(r.T), millis(r.Gap), r.Method, r.Path, r.Step, r.Answer})
		return
	}
	_, _ = fmt.Fprintf(s.env.Stdout, "%4d  %10.3fs  +%.3fs  %s %s  step %d: %s\n",
		r.N, r.T.Seconds(), r.Gap.Seconds(), trace.Clean(r.Method), trace.Clean(r.Path), r.Step, r.Answer)
}

func (s *serveLog) line(v any) {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = s.env.Stdout.Write(append(b, '\n'))
	}
	if err != nil {
		_, _ = fmt.Fprintf(s.env.Stderr, "retryscope: %v\n", err)
	}
}

// millis is a duration in milliseconds, to the microsecond.
func millis(d time.Duration) float64 { return float64(d/time.Microsecond) / 1000 }
