package httpretry

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// probe sees, through httptrace, how far one attempt gets and how long each phase takes. Its hooks are called from other
// goroutines too, some after the attempt is over.
type probe struct {
	hooks httptrace.ClientTrace
	// hooked is a context with the hooks and those of the caller in it; nil where the caller has none.
	hooked context.Context

	mu    sync.Mutex
	where where
	// unanswered says that a request was written that no answer has begun to come for.
	unanswered bool
	reused     bool
	resent     int
	// sends is the limit that hidden re-sends count against; nil for none. stop, if not nil, ends the request once one was
	// refused, which held notes.
	sends *engine.Sends
	stop  func()
	held  bool
	// told is set where somebody will be told of phases and hidden re-sends.
	told *phases
}

// phases are how long each phase took, by the clock of the loop.
type phases struct {
	clock engine.Clock
	of    [numPhases]phase
}

const (
	phaseDNS = iota
	phaseConnect
	phaseTLS
	phaseWait // after those that make a connection
	numPhases
)

// phase is how long something took in all, and since when it is under way.
type phase struct {
	sum, since time.Duration
	underWay   bool
}

// newProbe puts hooks into a context below under. Phases and hidden re-sends are only looked for where somebody will be
// told of them.
func newProbe(under context.Context, clock engine.Clock, told bool, sends *engine.Sends) *probe {
	p := &probe{sends: sends}
	hooks := &p.hooks
	hooks.GetConn = func(string) { p.getConn() }
	hooks.GotConn = p.gotConn
	hooks.GotFirstResponseByte = p.firstByte
	hooks.ConnectDone = func(_, _ string, err error) { p.connectDone(err) }
	hooks.TLSHandshakeDone = func(_ tls.ConnectionState, err error) { p.tlsDone(err) }
	if told || sends != nil {
		hooks.WroteHeaders = p.wroteHeaders
	}
	if told {
		p.told = &phases{clock: clock}
		hooks.DNSStart = func(httptrace.DNSStartInfo) { p.begin(phaseDNS) }
		hooks.DNSDone = func(httptrace.DNSDoneInfo) { p.done(phaseDNS) }
		hooks.ConnectStart = func(_, _ string) { p.begin(phaseConnect) }
		hooks.TLSHandshakeStart = func() { p.begin(phaseTLS) }
		hooks.WroteRequest = func(httptrace.WroteRequestInfo) { p.wroteRequest() }
	}
	if netKey == nil || httptrace.ContextClientTrace(under) != nil {
		p.hooked = httptrace.WithClientTrace(under, hooks)
	}
	return p
}

// value is what a context with the hooks has under key. What net asks for is made when it asks: few attempts dial.
func (p *probe) value(key any) any {
	switch {
	case p.hooked != nil:
		return p.hooked.Value(key)
	case key == traceKey:
		return &p.hooks
	case key == netKey:
		return httptrace.WithClientTrace(context.Background(), &p.hooks).Value(key)
	default:
		return nil
	}
}

// traceKey and netKey are the keys under which net/http and net look for hooks in a context, nil if there is no telling.
// Hooks cost a dozen allocations; known by its key, the question for them can be waited for, and who never asks does not
// pay.
var traceKey, netKey = hookKeys()

func hookKeys() (trace, network any) {
	n := keyNoter{Context: context.Background()}
	httptrace.ContextClientTrace(&n)
	trace = n.only()
	n.keys = nil
	if _, err := new(net.Dialer).DialContext(&n, "no network", ""); err != nil {
		network = n.only()
	}
	return trace, network
}

// keyNoter notes the keys that are asked for.
type keyNoter struct {
	context.Context
	keys []any
}

// Value notes the key.
func (n *keyNoter) Value(key any) any {
	n.keys = append(n.keys, key)
	return nil
}

func (n *keyNoter) only() any {
	if len(n.keys) != 1 {
		return nil
	}
	return n.keys[0]
}

// getConn begins a request: the attempt's own, a hop of a redirect, or a hidden re-send.
func (p *probe) getConn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where = where{asked: true, sent: p.where.sent, hops: p.where.hops || p.where.answered}
}

// gotConn is told of the connection that a request is about to go to. Where the request before it in the same hop was
// written and has had no answer, this is a hidden re-send: it counts against the limit on sends, and where none is left
// nothing can be written to that connection any more.
func (p *probe) gotConn(info httptrace.GotConnInfo) {
	secure, ok := info.Conn.(*tls.Conn)
	http2 := ok && secure.ConnectionState().NegotiatedProtocol == "h2"
	for which := range phaseWait {
		p.done(which) // another connection may have come free first, and the dialing goes on for somebody else
	}
	p.mu.Lock()
	p.where.got, p.where.sent, p.where.http2 = true, true, http2
	p.reused = info.Reused
	refused := p.unanswered && !p.sends.Take()
	switch {
	case refused:
		p.held = true
	case p.unanswered:
		p.resent++
	}
	stop := p.stop
	p.mu.Unlock()
	if !refused {
		return
	}
	if stop != nil {
		stop() // HTTP/2 looks at the context before it writes a header
	}
	if stop == nil || !http2 { // HTTP/1 does not; of HTTP/2 others may be using the connection
		_ = info.Conn.Close() // nothing was written to it
	}
}

// wroteHeaders notes that something was sent. The wait for an answer begins here at the latest: it may come before the
// end of the request.
func (p *probe) wroteHeaders() {
	p.mu.Lock()
	defer p.mu.Unlock()
	again := p.unanswered
	p.unanswered = true
	if p.told == nil {
		return
	}
	now := p.told.clock.Now()
	if again {
		p.told.of[phaseWait].end(now) // of the one before, which nobody answered
	}
	p.told.of[phaseWait].start(now)
}

// wroteRequest begins the wait for an answer, unless that has come before we heard of the end of the request.
func (p *probe) wroteRequest() {
	now := p.told.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unanswered {
		p.told.of[phaseWait].start(now)
	}
}

func (p *probe) firstByte() {
	p.done(phaseWait)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where.answered, p.unanswered = true, false
}

func (p *probe) connectDone(err error) {
	if err == nil { // of several addresses tried at once, the one that answers is what counts
		p.done(phaseConnect)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where.connected = p.where.connected || err == nil
}

func (p *probe) tlsDone(err error) {
	p.done(phaseTLS)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where.insecure = err != nil
}

func (ph *phase) start(now time.Duration) { ph.since, ph.underWay = now, true }

func (ph *phase) end(now time.Duration) { ph.sum, ph.underWay = ph.until(now), false }

// until is how long the phase took up to now, also where it is under way.
func (ph *phase) until(now time.Duration) time.Duration {
	if !ph.underWay {
		return ph.sum
	}
	return ph.sum + now - ph.since
}

// begin starts a phase, unless it is under way already. It is called only where somebody will be told.
func (p *probe) begin(which int) {
	now := p.told.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if ph := &p.told.of[which]; !ph.underWay {
		ph.start(now)
	}
}

// done ends a phase and adds it to the sum.
func (p *probe) done(which int) {
	if p.told == nil {
		return
	}
	now := p.told.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told.of[which].end(now)
}

// heldBack tells whether a hidden re-send was refused.
func (p *probe) heldBack() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// describe copies what the probe has seen so far. A phase that the attempt ended in lasts until now.
func (p *probe) describe(info *Info) {
	var now time.Duration
	if p.told != nil {
		now = p.told.clock.Now()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	info.where = p.where
	info.Reused, info.Resent = p.reused, p.resent
	if p.told != nil {
		of := &p.told.of
		info.DNS, info.Connect = of[phaseDNS].until(now), of[phaseConnect].until(now)
		info.TLS, info.Wait = of[phaseTLS].until(now), of[phaseWait].until(now)
	}
}
