package httpretry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Classify says what an attempt came back with: an answer (resp, and err if it is no success), or a failure (err). info
// may be nil; with it, failures for which net/http has no type are told apart by how far the attempt got. No error's
// text is ever looked at.
func Classify(resp *http.Response, err error, info *Info) engine.Outcome {
	if info == nil {
		info = &Info{}
	}
	if resp != nil {
		return answerOutcome(resp, err, &reading{info.Hints, info.Reads, func() time.Time { return info.Wall }})
	}
	o := failureOutcome(err, &info.where, info.Wall)
	o.NotSent = info.where.notSent(&o)
	if o.Kind == engine.KindInvalidResponse {
		o.Status = info.Status
	}
	return withMark(o, err)
}

// notSent tells whether nothing of the request left, or nothing of it was worked on. What has reached a connection may
// have been sent, whatever failed after it; a body begun is a body lost.
func (w *where) notSent(o *engine.Outcome) bool {
	switch {
	case w.bodyRead:
		return false
	case o.Cause == engine.CauseHTTP2:
		return o.NotSent && !w.hops
	case w.asked:
		return !w.sent
	default:
		return o.NotSent
	}
}

// answerOutcome is the outcome of an answer that came whole. Only a wait that it asks for needs the wall clock.
func answerOutcome(resp *http.Response, err error, r *reading) engine.Outcome {
	o := engine.Outcome{Kind: engine.KindStatus, Status: resp.StatusCode}
	if resp.StatusCode/100 != 2 {
		o.Hint = r.hint(resp.Header)
		return o
	}
	if err == nil {
		o.Kind = engine.KindSuccess
		return o
	}
	return refused(o, err, resp.Header, r)
}

// refused is the outcome of an answer that looked like a success to all but who looked into it.
func refused(o engine.Outcome, err error, h http.Header, r *reading) engine.Outcome {
	var status *engine.StatusError
	switch {
	case errors.As(err, &status): // whoever looked into the answer found a status there
		o.Status = status.Status
	case errors.Is(err, context.DeadlineExceeded):
		o.Kind = engine.KindTimeout
	case errors.Is(err, context.Canceled):
		o.Kind = engine.KindCancelled
	default:
		o.Kind = engine.KindDecoding
	}
	o.Hint = r.hint(h)
	o = withMark(o, err)
	if o.Kind == engine.KindUnknown {
		o.Kind = engine.KindDecoding
	}
	return o
}

func hint(reads engine.Reads, value string, present bool, dateText string, wall time.Time) engine.Hint {
	date, hasDate := ParseDate(trimOWS(dateText), wall)
	return ReadRetryAfter(reads, value, present, date, hasDate, wall)
}

func first(h http.Header, key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// withMark lets a caller's marker on the error have its word.
func withMark(o engine.Outcome, err error) engine.Outcome {
	marked := engine.ClassifyError(err)
	o.Say = marked.Say
	if o.Kind == engine.KindCancelled && o.Say == engine.SayRetry {
		o.Kind = engine.KindUnknown // that of somebody below: whether the caller is gone is asked of its own context
	}
	if marked.Hint.State != engine.HintNone {
		o.Hint = marked.Hint
	}
	return o
}

// failureOutcome asks in order: what is wrong with the request itself, what ended the attempt from outside, what has a
// type, and at last where it happened.
func failureOutcome(err error, w *where, wall time.Time) engine.Outcome {
	if err == nil {
		return engine.Outcome{Kind: engine.KindSuccess}
	}
	if o, ok := ownFault(err); ok {
		return o
	}
	if w.late && isTimeout(err) {
		return engine.Outcome{Kind: engine.KindTimeout}
	}
	if o, ok := typed(err, w, wall); ok {
		return o
	}
	if w.ended { // the error is what the end of the context made of the connection
		if w.late {
			return engine.Outcome{Kind: engine.KindTimeout}
		}
		return engine.Outcome{Kind: engine.KindCancelled}
	}
	return placed(err, w)
}

// ownFault is a failure on this side of the network.
func ownFault(err error) (engine.Outcome, bool) {
	var request *RequestError
	var body *BodyError
	var loop *RedirectLoopError
	var redirect *RedirectError
	var resend *ResendError
	switch {
	case errors.As(err, &resend): // before the cancel by which net/http was stopped
		return engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseClosed}, true
	case errors.As(err, &request):
		return engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseRequest, Permanent: true, NotSent: true}, true
	case errors.As(err, &body):
		return engine.Outcome{Kind: engine.KindTransport, Cause: engine.CauseBody, Permanent: true}, true
	case errors.As(err, &loop):
		return engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseRedirectLoop, Permanent: true}, true
	case errors.As(err, &redirect):
		return engine.Outcome{Kind: engine.KindInvalidResponse, Cause: engine.CauseMalformed, Permanent: true}, true
	default:
		return engine.Outcome{}, false
	}
}

// typed tells failures apart by their type. A failed dial comes with a cause of its own, and nothing was sent.
func typed(err error, w *where, wall time.Time) (engine.Outcome, bool) {
	o := engine.Outcome{Kind: engine.KindTransport, NotSent: isDial(err)}
	var proxy *ProxyError
	var dns *net.DNSError
	switch {
	case errors.As(err, &proxy):
		o.Cause, o.NotSent, o.Permanent = engine.CauseProxy, true, !proxyMayHeal(proxy.Status)
		o.Hint = differing(hint(engine.Reads(0), proxy.retryAfter, proxy.asked > 0, proxy.date, wall), proxy.asked)
	case errors.As(err, &dns):
		o.Cause, o.NotSent, o.Permanent = engine.CauseDNS, true, dns.IsNotFound
	case isTLS(err):
		o.Cause, o.Permanent, o.NotSent = engine.CauseTLS, isWrongPeer(err), isWrongPeer(err)
	case errors.Is(err, context.Canceled):
		o.Kind = engine.KindCancelled
	case isTimeout(err):
		o.Kind = engine.KindTimeout
	case isStreamReset(err, &o):
		o.Cause = engine.CauseHTTP2
	case isErrno(err, refusedErrnos):
		o.Cause = engine.CauseRefused
	case isErrno(err, unreachableErrnos):
		o.Cause = engine.CauseUnreachable
	case isErrno(err, resetErrnos):
		o.Cause = engine.CauseReset
	case errors.Is(err, ErrMalformed):
		o.Kind, o.Cause = engine.KindInvalidResponse, engine.CauseMalformed
	case errors.Is(err, io.ErrUnexpectedEOF) && (w.answered || !w.asked):
		o.Kind, o.Cause = engine.KindInvalidResponse, engine.CauseCut
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		o.Cause = engine.CauseClosed
	default:
		return o, false
	}
	return o, true
}

// placed tells by where it happened what has no type, or only that of some network error.
func placed(err error, w *where) engine.Outcome {
	network := isNet(err)
	o := engine.Outcome{Kind: engine.KindTransport}
	switch {
	case w.answered && !network:
		o.Kind, o.Cause = engine.KindInvalidResponse, engine.CauseMalformed
	case w.answered:
	case w.got && w.http2:
		o.Cause = engine.CauseHTTP2
	case w.got: // net/http keeps to itself that the server closed an idle connection
		o.Cause = engine.CauseClosed
	case w.insecure:
		o.Cause = engine.CauseTLS
	case w.connected: // between the connection and the request there is only a proxy that can fail
		o.Cause, o.Permanent = engine.CauseProxy, !network
	case w.asked, network:
		o.NotSent = isDial(err)
	default:
		o.Kind = engine.KindUnknown
	}
	return o
}

// isDial tells whether the failure was one of dialing. A proxy's is one too.
func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks connect")
}

// isTimeout tells whether time ran out, by any clock.
func isTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || anyIn(err, func(e error) bool {
		t, ok := e.(interface{ Timeout() bool })
		return ok && t.Timeout()
	})
}

// isNet tells whether some network error is inside.
func isNet(err error) bool {
	return anyIn(err, func(e error) bool {
		_, wrapper := e.(*url.Error) //nolint:errorlint // anyIn unwraps
		_, ok := e.(net.Error)       //nolint:errorlint // anyIn unwraps
		return ok && !wrapper
	})
}

// anyIn tells whether f holds for an error or any inside it. errors.As would stop at the first that has the methods of a
// net.Error, and *url.Error has them whatever it wraps.
func anyIn(err error, f func(error) bool) bool {
	for err != nil {
		if f(err) {
			return true
		}
		switch w := err.(type) { //nolint:errorlint // this is the unwrapping
		case interface{ Unwrap() []error }:
			for _, e := range w.Unwrap() {
				if anyIn(e, f) {
					return true
				}
			}
			return false
		default:
			err = errors.Unwrap(err)
		}
	}
	return false
}

// isTLS tells whether there is no secure connection.
func isTLS(err error) bool {
	var alert tls.AlertError
	var hello *tls.ECHRejectionError
	if isWrongPeer(err) || errors.As(err, &alert) || errors.As(err, &hello) {
		return true
	}
	var op *net.OpError // crypto/tls wraps an alert, whose type it keeps to itself, in an operation of its own
	return errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error")
}

// isWrongPeer tells whether the certificate does not verify, or the peer does not speak TLS at all: it will give the same
// again. An alert may come of a peer that is just starting.
func isWrongPeer(err error) bool {
	var (
		record    tls.RecordHeaderError
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		invalid   x509.CertificateInvalidError
		host      x509.HostnameError
		roots     x509.SystemRootsError
		critical  x509.UnhandledCriticalExtension
		algorithm x509.InsecureAlgorithmError
		limit     x509.ConstraintViolationError
	)
	return errors.As(err, &record) || errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &invalid) || errors.As(err, &host) ||
		errors.As(err, &roots) || errors.As(err, &critical) || errors.As(err, &algorithm) || errors.As(err, &limit) ||
		errors.Is(err, http.ErrSchemeMismatch)
}

// proxyMayHeal tells whether a proxy's refusal may pass: it is overloaded or cannot reach the origin. That it wants
// other credentials does not pass.
func proxyMayHeal(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported, http.StatusNetworkAuthenticationRequired:
		return false
	default:
		return status >= http.StatusInternalServerError
	}
}

// streamError has the shape of the HTTP/2 stream error inside net/http, which errors.As fills in by that shape.
type streamError struct {
	StreamID uint32
	Code     uint32
	Cause    error
}

func (streamError) Error() string { return "stream error" }

// refusedStream is REFUSED_STREAM: the peer did no work on the stream (RFC 9113, section 8.7).
const refusedStream = 7

func isStreamReset(err error, o *engine.Outcome) bool {
	var stream streamError
	if !errors.As(err, &stream) {
		return false
	}
	o.NotSent = stream.Code == refusedStream
	return true
}

func isErrno(err error, errnos []syscall.Errno) bool {
	for _, e := range errnos {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
