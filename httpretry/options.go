package httpretry

import (
	"crypto/rand"
	"fmt"
	"net/http"

	"github.com/retryscope/retryscope/engine"
)

// Option changes a Transport as it is made.
type Option func(*options)

// WithEngine passes options on to the engine: its clock, seed, draw, observer, session, limit on sends, budget.
func WithEngine(opts ...engine.Option) Option {
	return func(o *options) { o.engine = append(o.engine, opts...) }
}

// WithRead has up to n bytes of each 2xx answer's body read inside the attempt, so that a body that ends early, is reset
// or takes too long is a failed attempt and not the caller's trouble. The caller still reads the body whole: those
// bytes, then the rest. What comes behind the n bytes is not seen: where it ends early, that is an error of the caller's
// own Read, and no other attempt follows. n of 0 or less reads nothing. The n bytes are kept until the body is read.
func WithRead(n int64) Option { return func(o *options) { o.read = n } }

// WithInspect has f judge each 2xx answer by what WithRead read of its body: an error makes the attempt a failed one.
// Mark it with engine.Transient, engine.Permanent or engine.RetryAfter, or return an *engine.StatusError; a plain error
// is of kind decoding, which is permanent unless the policy names it. The final answer is handed over all the same, and
// ErrorOf says what f said. f must not read or close the answer's body, and may not keep the bytes.
func WithInspect(f func(answer *http.Response, body []byte) error) Option {
	return func(o *options) { o.inspect = f }
}

// WithAttemptHook has f told of each attempt as it ends, before the engine's observer hears of its outcome. It runs on
// the goroutine of RoundTrip.
func WithAttemptHook(f func(Info)) Option { return func(o *options) { o.hook = f } }

// WithGeneratedKey gives each request whose method is not idempotent, and that has none, an Idempotency-Key: one for all
// attempts of the operation and all hops of a redirect. It makes such requests safe to repeat only where the server
// honors the key. newKey makes the keys; where it is nil they are random UUIDs. The caller's request is not changed.
func WithGeneratedKey(newKey func() string) Option {
	if newKey == nil {
		newKey = randomKey
	}
	return func(o *options) { o.newKey = newKey }
}

// keyHeader makes any method safe to repeat (draft-ietf-httpapi-idempotency-key-header).
const keyHeader = "Idempotency-Key"

// randomKey is a UUID of version 4 (RFC 9562, section 5.4).
func randomKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails: since Go 1.24 the program ends instead
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
