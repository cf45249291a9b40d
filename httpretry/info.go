package httpretry

import (
	"net/http"
	"time"

	"github.com/retryscope/retryscope/engine"
)

// Info is what the transport knows of one attempt beyond its outcome. Texts and headers are as the server sent them:
// not to be changed, and to be cleaned before they reach a terminal.
type Info struct {
	// Attempt is the attempt's number, from 1.
	Attempt int
	// Status is that of the answer, 0 where there is none; Reason its phrase, Proto as "HTTP/1.1".
	Status        int
	Reason, Proto string
	// RetryAfter is the raw header, HasRetryAfter whether there was one. Lines that do not say the same are in it one behind
	// the other, with a comma between.
	RetryAfter    string
	HasRetryAfter bool
	// Header is the answer's.
	Header http.Header
	// DNS, Connect, TLS, Wait (for the answer's first byte, from the end of the request) and Body (read inside the
	// attempt) are how long each phase took, by the clock of the loop, up to the end of the attempt; 0 where it did not
	// take place. With redirects followed by the transport below they are sums.
	DNS, Connect, TLS, Wait, Body time.Duration
	// Reused says that the connection had been used before.
	Reused bool
	// Resent counts the hidden re-sends by the transport below.
	Resent int
	// BodyBytes is how much of the answer's body was read inside the attempt; BodyCut says that there was more.
	BodyBytes int64
	BodyCut   bool
	// Wall is when the answer came, by the wall clock: a date in Retry-After is counted from it where the answer has no
	// readable Date.
	Wall time.Time
	// Hints are the headers that the policy in force reads before Retry-After.
	Hints engine.Hints
	// Reads are the forms in which that policy reads a wait.
	Reads engine.Reads
	// Err is the attempt's error, nil for an answer that is a success.
	Err error

	where where
}

// where is how far an attempt got, seen by httptrace. It tells apart what has no type of its own in net/http.
type where struct {
	asked     bool // a connection was asked for
	connected bool // a TCP connection was made for it
	insecure  bool // the TLS handshake on it failed
	got       bool // the request was given a connection
	sent      bool // it was given one at least once: something may have been sent
	answered  bool // the first byte of the answer came
	hops      bool // an earlier request of the same attempt was answered: a redirect was followed
	http2     bool // the connection is HTTP/2
	ended     bool // the attempt's context ended
	late      bool // by its deadline
	bodyRead  bool // a body that can be read once only was begun
}
