// Package httpretry is the engine's loop as an http.RoundTripper: it obeys a policy, tells real failures of net/http
// apart by type, and reads Retry-After. It knows nothing of JSON, logs nothing and prints nothing.
package httpretry
