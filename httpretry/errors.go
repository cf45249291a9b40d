package httpretry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/retryscope/retryscope/engine"
)

// Errors to match with errors.Is.
var (
	// ErrRequest: the request is malformed, and nothing was sent.
	ErrRequest = errors.New("malformed request")
	// ErrBody: the caller's own request body could not be read.
	ErrBody = errors.New("request body")
	// ErrProxy: the proxy refused the tunnel.
	ErrProxy = errors.New("proxy")
	// ErrRedirectLoop: the redirects never end.
	ErrRedirectLoop = errors.New("redirect loop")
	// ErrRedirect: a redirect leads nowhere that can be followed.
	ErrRedirect = errors.New("redirect refused")
	// ErrNoSend: a connection was lost before an answer, and no send was left to repeat the request.
	ErrNoSend = errors.New("the connection was lost before an answer, and no send is left to repeat the request")
	// ErrMalformed: what came back is no HTTP answer, though net/http took it for one.
	ErrMalformed = errors.New("malformed answer")
	// ErrNoAnswer: the transport below returned neither an answer nor an error.
	ErrNoAnswer = errors.New("the transport below returned neither an answer nor an error")
)

// Error is what RoundTrip returns where there is no answer to hand over: how the operation ended, and why. errors.Is and
// errors.As reach the engine's error and the last real one.
type Error struct {
	// Report is the whole operation in figures.
	Report engine.Report
	// Err is the engine's: *engine.FailedError, *engine.DeferredError, *engine.TimeoutError or *engine.InterruptedError.
	Err error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap is the engine's error.
func (e *Error) Unwrap() error { return e.Err }

// Timeout tells, as net.Error does, whether time ran out: that of the operation, of its caller, or of its last attempt.
func (e *Error) Timeout() bool {
	return e.Report.Result == engine.ResultTimedOut || e.Report.Last.Kind == engine.KindTimeout
}

// RequestError is a request that no transport could send. It is found before anything is sent and is permanent.
type RequestError struct {
	// Part is what is wrong: "URL", "scheme", "host", "method", "header" or "trailer".
	Part string
	// Text says how. It holds no value of a header and no part of the URL but scheme and host.
	Text string
}

func (e *RequestError) Error() string { return ErrRequest.Error() + ": " + e.Part + ": " + e.Text }

// Is matches ErrRequest.
func (e *RequestError) Is(target error) bool { return target == ErrRequest }

// BodyError is a failure of the caller's own request body, not of the network: it is permanent.
type BodyError struct {
	// Err is the error of the body's Read, or of the request's GetBody.
	Err error
}

func (e *BodyError) Error() string { return ErrBody.Error() + ": " + e.Err.Error() }

// Is matches ErrBody.
func (e *BodyError) Is(target error) bool { return target == ErrBody }

// Unwrap is the body's error.
func (e *BodyError) Unwrap() error { return e.Err }

// LengthError is a request body that is not as long as its request says.
type LengthError struct{ Want, Got int64 }

func (e *LengthError) Error() string {
	return fmt.Sprintf("the request says %d bytes, its body has %d", e.Want, e.Got)
}

// ProxyError is a proxy's refusal to open a tunnel. The status is the proxy's, never the origin's.
type ProxyError struct {
	// Proxy is the proxy's host and port.
	Proxy string
	// Status is what it answered to CONNECT.
	Status int

	retryAfter, date string
	asked            int // in how many lines
}

func (e *ProxyError) Error() string {
	return fmt.Sprintf("%s %s answered %d %s to CONNECT", ErrProxy, e.Proxy, e.Status, http.StatusText(e.Status))
}

// Is matches ErrProxy.
func (e *ProxyError) Is(target error) bool { return target == ErrProxy }

// CheckProxy is for the OnProxyConnectResponse of an http.Transport. It turns a proxy's refusal into a *ProxyError:
// without it net/http has only a text for it, which tells nobody the status, nor that it was not the origin's.
func CheckProxy(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	e := &ProxyError{Status: answer.StatusCode}
	e.date, _ = field(answer.Header, "Date")
	e.retryAfter, e.asked = field(answer.Header, "Retry-After")
	if proxy != nil {
		e.Proxy = proxy.Host
	}
	return e
}

// RedirectLoopError is for a transport below that follows redirects by itself: they go in a circle, or there are more of
// them than it follows. Asking again gives the same, so it is permanent.
type RedirectLoopError struct {
	// Hops is how many redirects were followed.
	Hops int
	// Status is that of the last one.
	Status int
}

func (e *RedirectLoopError) Error() string {
	return fmt.Sprintf("%s after %d hops, the last a %d", ErrRedirectLoop, e.Hops, e.Status)
}

// Is matches ErrRedirectLoop.
func (e *RedirectLoopError) Is(target error) bool { return target == ErrRedirectLoop }

// RedirectError is for a transport below that follows redirects by itself: the Location of one cannot be followed.
// Asking again gives the same, so it is permanent. It holds nothing of the Location.
type RedirectError struct {
	// Text says what is wrong with it.
	Text string
}

func (e *RedirectError) Error() string { return ErrRedirect.Error() + ": " + e.Text }

// Is matches ErrRedirect.
func (e *RedirectError) Is(target error) bool { return target == ErrRedirect }

// ResendError is an attempt whose connection was lost before an answer, and that net/http was about to send again by
// itself when no send was left (engine.WithSends). What net/http made of the first loss it keeps to itself, so that the
// cause is engine.CauseClosed whatever it was.
type ResendError struct {
	// Err is what came of the connection that was not used.
	Err error
}

func (e *ResendError) Error() string { return ErrNoSend.Error() }

// Is matches ErrNoSend.
func (e *ResendError) Is(target error) bool { return target == ErrNoSend }

// Unwrap is what came of the connection that was not used.
func (e *ResendError) Unwrap() error { return e.Err }

// AnswerError is an answer that is none: net/http takes any three digits for a status.
type AnswerError struct {
	// Status is what it has for one, below 100.
	Status int
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("%s: %03d is no status", ErrMalformed, e.Status)
}

// Is matches ErrMalformed.
func (e *AnswerError) Is(target error) bool { return target == ErrMalformed }
