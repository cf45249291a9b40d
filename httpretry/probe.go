package httpretry

import (
	"context"
	"crypto/tls"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// probe sees, through httptrace, how far one attempt gets and how long each phase takes. Its hooks are called from other
// goroutines too, some after the attempt is over.
type probe struct {
	clock engine.Clock
	// hooked is the context the hooks are in.
	hooked context.Context

	mu    sync.Mutex
	where where
	// unanswered says that a request was written that no answer has begun to come for.
	unanswered bool
	reused     bool
	resent     int
	phases     phases
}

// phases are how long each took, and since when those under way do.
type phases struct {
	dns, connect, tls, wait                                 time.Duration
	dnsSince, connectSince, tlsSince, waitSince             time.Duration
	dnsUnderWay, connectUnderWay, tlsUnderWay, waitUnderWay bool
}

func newProbe(under context.Context, clock engine.Clock) *probe {
	p := &probe{clock: clock}
	p.hooked = httptrace.WithClientTrace(under, &httptrace.ClientTrace{
		GetConn:              func(string) { p.getConn() },
		GotConn:              p.gotConn,
		GotFirstResponseByte: p.firstByte,
		DNSStart:             func(httptrace.DNSStartInfo) { p.begin(&p.phases.dnsUnderWay, &p.phases.dnsSince) },
		DNSDone:              func(httptrace.DNSDoneInfo) { p.done(&p.phases.dnsUnderWay, &p.phases.dnsSince, &p.phases.dns) },
		ConnectStart:         func(_, _ string) { p.begin(&p.phases.connectUnderWay, &p.phases.connectSince) },
		ConnectDone:          func(_, _ string, err error) { p.connectDone(err) },
		TLSHandshakeStart:    func() { p.begin(&p.phases.tlsUnderWay, &p.phases.tlsSince) },
		TLSHandshakeDone:     func(_ tls.ConnectionState, err error) { p.tlsDone(err) },
		WroteHeaders:         p.wroteHeaders,
		WroteRequest:         func(httptrace.WroteRequestInfo) { p.begin(&p.phases.waitUnderWay, &p.phases.waitSince) },
	})
	return p
}

// getConn begins a request: the attempt's own, a hop of a redirect, or a hidden re-send.
func (p *probe) getConn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where = where{asked: true, sent: p.where.sent, hops: p.where.hops || p.where.answered}
}

func (p *probe) gotConn(info httptrace.GotConnInfo) {
	secure, ok := info.Conn.(*tls.Conn)
	http2 := ok && secure.ConnectionState().NegotiatedProtocol == "h2"
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where.got, p.where.sent, p.where.http2 = true, true, http2
	p.reused = info.Reused
}

// wroteHeaders counts a hidden re-send where the request before has had no answer. What follows an answer is a redirect.
func (p *probe) wroteHeaders() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unanswered {
		p.resent++
	}
	p.unanswered = true
}

func (p *probe) firstByte() {
	p.done(&p.phases.waitUnderWay, &p.phases.waitSince, &p.phases.wait)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where.answered, p.unanswered = true, false
}

func (p *probe) connectDone(err error) {
	if err == nil { // of several addresses tried at once, the one that answers is what counts
		p.done(&p.phases.connectUnderWay, &p.phases.connectSince, &p.phases.connect)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where.connected = p.where.connected || err == nil
}

func (p *probe) tlsDone(err error) {
	p.done(&p.phases.tlsUnderWay, &p.phases.tlsSince, &p.phases.tls)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.where.insecure = err != nil
}

// begin starts a phase, unless it is under way already.
func (p *probe) begin(underWay *bool, since *time.Duration) {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !*underWay {
		*underWay, *since = true, now
	}
}

// done ends a phase and adds it to the sum.
func (p *probe) done(underWay *bool, since, sum *time.Duration) {
	now := p.clock.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if *underWay {
		*underWay = false
		*sum += now - *since
	}
}

// describe copies what the probe has seen so far.
func (p *probe) describe(info *Info) {
	p.mu.Lock()
	defer p.mu.Unlock()
	info.where = p.where
	info.Reused, info.Resent = p.reused, p.resent
	info.DNS, info.Connect, info.TLS, info.Wait = p.phases.dns, p.phases.connect, p.phases.tls, p.phases.wait
}
