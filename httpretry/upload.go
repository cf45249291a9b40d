package httpretry

import (
	"io"
	"net/http"
	"sync"

	"github.com/retryscope/retryscope/engine"
)

// upload is the caller's request body over all attempts of an operation. However many there are, the body the caller
// gave is closed exactly once.
type upload struct {
	kind engine.Body
	req  *http.Request

	mu     sync.Mutex
	latest *sending      // that reads the caller's own body
	next   io.ReadCloser // a body made for the next attempt; only the loop looks at it
	read   bool          // somebody began to read it
	closed bool
	over   bool // the operation has ended
}

func newUpload(req *http.Request) *upload {
	u := &upload{req: req, kind: engine.BodyOnce}
	if req.GetBody != nil {
		u.kind = engine.BodyReplayable
	}
	return u
}

// again makes the body of the next attempt, while the answer of the latest is still there: the engine's Again. A body that
// can be read only once is sent again where nobody began to read it, and is what it was.
func (u *upload) again() error {
	if u.kind != engine.BodyReplayable {
		return nil
	}
	body, err := u.req.GetBody()
	if err != nil {
		return &BodyError{Err: err}
	}
	u.next = body
	return nil
}

// attach gives an attempt its body: the caller's own to the first, and to later ones where it can be read only once (the
// engine comes to that only if nobody began to read it); a new one to the others.
func (u *upload) attach(req *http.Request, n int) *sending {
	s := &sending{want: req.ContentLength}
	if u.kind == engine.BodyOnce || n == 1 {
		s.u, s.rc = u, u.req.Body
		u.mu.Lock()
		u.latest = s
		u.mu.Unlock()
	} else {
		s.rc, u.next = u.next, nil
	}
	req.Body = s
	if u.kind == engine.BodyReplayable {
		req.GetBody = func() (io.ReadCloser, error) { return s.again(u.req) }
	}
	return s
}

// begun tells whether a body that can be read only once was begun: then it is used up.
func (u *upload) begun() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.kind == engine.BodyOnce && u.read
}

// end closes the caller's body, unless a transport still reads it: then it is closed when that is done with it. So it does
// with one made for an attempt that was never sent.
func (u *upload) end() {
	if u.next != nil {
		_ = u.next.Close() // nothing was read of it
		u.next = nil
	}
	u.mu.Lock()
	u.over = true
	if u.latest != nil && !u.latest.closed {
		u.mu.Unlock()
		return
	}
	_ = u.close() // the operation has ended: there is nobody left to tell
}

// close closes the caller's body if that is still to be done. It is called with mu held and gives it back: a body may
// take its time to close.
func (u *upload) close() error {
	todo := !u.closed
	u.closed = true
	u.mu.Unlock()
	if !todo {
		return nil
	}
	return u.req.Body.Close()
}

// sending is the body of one attempt. It notes what goes wrong on the caller's side, and can be told from the next
// attempt's: a transport may still hold it when that has begun.
type sending struct {
	rc   io.ReadCloser
	want int64   // the length the request says, 0 or less for unknown
	u    *upload // set where rc is the caller's own body

	closed bool // with u.mu held; only where u is set

	mu  sync.Mutex
	n   int64
	err error
}

// Read reads on, unless the body belongs to a later attempt by now.
func (s *sending) Read(p []byte) (int, error) {
	if s.u != nil && !s.u.mayRead(s) {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := s.rc.Read(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n += int64(n)
	switch {
	case err == nil:
	case err != io.EOF:
		s.fail(err)
	case s.want > 0 && s.n != s.want:
		s.fail(&LengthError{Want: s.want, Got: s.n})
	}
	return n, err
}

// fail keeps the first error.
func (s *sending) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// fault is what went wrong on the caller's side.
func (s *sending) fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close closes a body made for this attempt alone. The caller's own is closed if it is used up or the operation has
// ended; unread, it is kept for the next attempt.
func (s *sending) Close() error {
	if s.u == nil {
		return s.rc.Close()
	}
	return s.u.put(s)
}

func (u *upload) mayRead(s *sending) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.latest != s || s.closed || u.closed {
		return false
	}
	u.read = true
	return true
}

// put takes back the caller's body from an attempt.
func (u *upload) put(s *sending) error {
	u.mu.Lock()
	s.closed = true
	if u.latest == s && (u.read || u.over || u.kind == engine.BodyReplayable) {
		return u.close()
	}
	u.mu.Unlock()
	return nil
}

// again makes the body of a hidden re-send. Its faults are those of the attempt.
func (s *sending) again(req *http.Request) (io.ReadCloser, error) {
	body, err := req.GetBody()
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.fail(err)
		return nil, err
	}
	return &resending{ReadCloser: body, s: s}, nil
}

// resending is the body of a hidden re-send.
type resending struct {
	io.ReadCloser
	s *sending
}

// Read notes a fault.
func (r *resending) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		r.s.mu.Lock()
		defer r.s.mu.Unlock()
		r.s.fail(err)
	}
	return n, err
}
