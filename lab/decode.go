package lab

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/retryscope/retryscope/httpretry"
)

// EncodingError is a body that came whole and is not in the encoding it says. It holds nothing of the body, and matches
// httpretry.ErrMalformed.
type EncodingError struct {
	// Behind says that it is, up to bytes that stand behind its end.
	Behind bool
}

func (e *EncodingError) Error() string {
	if e.Behind {
		return fmt.Sprintf("%v: the body goes on behind the end of its gzip", httpretry.ErrMalformed)
	}
	return fmt.Sprintf("%v: the body says that it is gzip and is not", httpretry.ErrMalformed)
}

// Is matches httpretry.ErrMalformed.
func (e *EncodingError) Is(target error) bool { return target == httpretry.ErrMalformed }

// encoding is what the body of an answer is encoded in.
type encoding uint8

const (
	plain   encoding = iota
	gzipped          // decoded here, whoever asked for it
	foreign          // nobody here reads it
)

// encodingOf reads Content-Encoding.
func encodingOf(h http.Header) encoding {
	found := plain
	for _, line := range h["Content-Encoding"] {
		for word := range strings.SplitSeq(line, ",") {
			switch strings.ToLower(strings.TrimSpace(word)) {
			case "", "identity":
			case "gzip", "x-gzip":
				if found != plain { // twice over: nobody means that
					return foreign
				}
				found = gzipped
			default:
				return foreign
			}
		}
	}
	return found
}

// acceptGzip is what net/http does by itself where a request says nothing of encodings. Asked for here, the answer comes
// as it was sent: whether its body came whole, and whether it can be decoded, are two questions then.
func acceptGzip(method string, h http.Header) {
	if h.Get("Accept-Encoding") == "" && h.Get("Range") == "" && method != http.MethodHead {
		h.Set("Accept-Encoding", "gzip")
	}
}

// gunzip decodes a body. Where that fails, what the body itself ended with comes first.
type gunzip struct {
	from *bufio.Reader
	body lastError
	z    *gzip.Reader
	// inside says that a member was begun, begun that there was one at all.
	inside, begun bool
	// open says that only the end of the connection ends the body: one that ends too early looks whole.
	open bool
}

// lastError is a reader that keeps the error of the one it reads from.
type lastError struct {
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (l *lastError) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	l.err = err
	return n, err
}

func newGunzip(resp *http.Response) *gunzip {
	g := &gunzip{open: resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 && resp.ProtoMajor == 1}
	g.body.r = resp.Body
	g.from = bufio.NewReader(&g.body)
	return g
}

// Read implements io.Reader.
func (g *gunzip) Read(p []byte) (int, error) {
	for {
		if !g.inside {
			if err := g.member(); err != nil {
				return 0, err
			}
		}
		n, err := g.z.Read(p)
		switch {
		case errors.Is(err, io.EOF):
			g.inside = false
		case err != nil:
			return n, g.fault(err)
		}
		if n > 0 || len(p) == 0 {
			return n, nil
		}
	}
}

// member begins the next part of the body: io.EOF where there is none. An empty body is as good as one of nothing.
func (g *gunzip) member() error {
	magic, err := g.from.Peek(2)
	switch {
	case len(magic) == 0:
		return err
	case len(magic) == 1 && !errors.Is(err, io.EOF):
		return err
	case len(magic) == 1 || magic[0] != 0x1f || magic[1] != 0x8b:
		return &EncodingError{Behind: g.begun}
	}
	if g.z == nil {
		g.z = new(gzip.Reader)
	}
	if err := g.z.Reset(g.from); err != nil {
		return g.fault(err)
	}
	g.z.Multistream(false)
	g.inside, g.begun = true, true
	return nil
}

// fault is what a body that cannot be decoded comes to.
func (g *gunzip) fault(err error) error {
	switch {
	case g.body.err != nil && !errors.Is(g.body.err, io.EOF):
		return g.body.err
	case g.open && errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	default:
		return &EncodingError{}
	}
}
