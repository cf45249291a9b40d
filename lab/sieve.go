package lab

import (
	"errors"
	"io"
	"net/http"
)

// sieve is the body of a success. The first Read goes through the real one, up to BodyLimit, and keeps nothing of it:
// whoever reads a sieve gets no byte, and the error that the real one ended with. What says that it is JSON is checked
// on the way.
type sieve struct {
	body io.ReadCloser
	// text is what the body says, decoded where it is encoded.
	text io.Reader
	json bool
	// read is how much there was, more that there was more than BodyLimit; bad is what is wrong with the JSON.
	read int64
	more bool
	bad  error

	done bool
	err  error
}

// sift puts a sieve before the body of a success; nil where there is none.
func sift(resp *http.Response) *sieve {
	if resp == nil || resp.StatusCode/100 != 2 || !hasBody(resp) {
		return nil
	}
	in := encodingOf(resp.Header)
	isJSON := saysJSON(resp.Header.Get("Content-Type")) && whole(resp) && in != foreign
	if resp.Body == http.NoBody && !isJSON {
		return nil
	}
	s := &sieve{body: resp.Body, text: resp.Body, json: isJSON}
	if in == gzipped && whole(resp) {
		s.text = newGunzip(resp)
	}
	resp.Body = s
	return s
}

// Read is whole at once.
func (s *sieve) Read([]byte) (int, error) {
	if !s.done {
		s.done = true
		s.err = s.pump()
	}
	return 0, s.err
}

// Close closes the real body.
func (s *sieve) Close() error { return s.body.Close() }

// pump reads the body; io.EOF where it is whole, or as whole as it shall be.
func (s *sieve) pump() error {
	from := &counted{r: s.text}
	if s.json {
		s.bad = checkJSON(from)
	}
	// What is left, whatever the JSON was like: a body that ends early is the worse fault.
	_, err := io.Copy(io.Discard, from)
	s.read = from.n
	switch {
	case errors.Is(err, errMore):
		s.more = true
	case err != nil:
		return &wireError{err: err, body: true}
	}
	var bad *JSONError
	if errors.As(s.bad, &bad) {
		bad.Bytes = s.read
	}
	return io.EOF
}

var errMore = errors.New("there is more than is read")

// counted reads up to BodyLimit, and tells by errMore that there is more. An error comes again at each Read.
type counted struct {
	r   io.Reader
	n   int64
	err error
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	var one [1]byte
	room := p
	if left := BodyLimit - c.n; left == 0 {
		room = one[:]
	} else if int64(len(room)) > left {
		room = room[:left]
	}
	n, err := c.r.Read(room)
	c.err = err
	if c.n == BodyLimit && n > 0 {
		c.err = errMore
		return 0, c.err
	}
	c.n += int64(n)
	return n, c.err
}

func hasBody(resp *http.Response) bool {
	return resp.StatusCode != http.StatusNoContent && resp.StatusCode != http.StatusResetContent &&
		(resp.Request == nil || resp.Request.Method != http.MethodHead)
}

// whole tells whether the body of an answer is all there is, and not the part that a Range or a delta asked for: what
// such a part looks like says nothing about it.
func whole(resp *http.Response) bool {
	return resp.StatusCode != http.StatusPartialContent && resp.StatusCode != http.StatusIMUsed
}
