package script

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// addr is the address a scripted request goes to.
type addr string

func (a addr) Network() string { return "tcp" }
func (a addr) String() string  { return string(a) }

// conn stands for the connection a hook is told of: it has an address, and
// nothing can be read from it or written to it.
type conn struct{ addr addr }

func (c conn) Read([]byte) (int, error)         { return 0, net.ErrClosed }
func (c conn) Write([]byte) (int, error)        { return 0, net.ErrClosed }
func (c conn) Close() error                     { return nil }
func (c conn) LocalAddr() net.Addr              { return addr("127.0.0.1:0") }
func (c conn) RemoteAddr() net.Addr             { return c.addr }
func (c conn) SetDeadline(time.Time) error      { return nil }
func (c conn) SetReadDeadline(time.Time) error  { return nil }
func (c conn) SetWriteDeadline(time.Time) error { return nil }

// body is the body of a scripted answer. As with net/http it cannot be read
// once it is closed or the request's context has ended.
type body struct {
	ctx context.Context
	end error // what comes after the last byte

	mu     sync.Mutex
	rest   strings.Reader
	closed bool
}

func newBody(ctx context.Context, a answer) *body {
	b := &body{ctx: ctx, end: io.EOF}
	b.rest.Reset(a.body)
	if a.missing > 0 {
		b.end = io.ErrUnexpectedEOF
	}
	return b
}

// Read gives what comes of the body, then its end.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	n, err := b.rest.Read(p)
	if err != nil {
		err = b.end
	}
	return n, err
}

// Close ends the body; more than once is fine.
func (b *body) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return nil
}
