package script_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/script"
)

func TestTransportBodies(t *testing.T) {
	t.Parallel()
	rt := script.NewTransport(mustParse(t, "cut body=half, cut, badjson, cut"), engine.NewVirtual(wall), 1)
	resp, body, err := send(t, rt)
	if body != "half" || resp.ContentLength <= 4 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut: %q of %d, %v", body, resp.ContentLength, err)
	}
	if _, body, err = send(t, rt); body == "" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut: %q, %v", body, err)
	}
	resp, body, err = send(t, rt)
	if err != nil || body == "" || resp.Header.Get("Content-Type") != "application/json" || resp.StatusCode != 200 {
		t.Errorf("badjson: %v %q %v", resp, body, err)
	}
	// The answer to a HEAD has a length and no body: nothing of it can be cut.
	resp, err = rt.RoundTrip(request(t.Context(), t, http.MethodHead))
	if err != nil || resp.Body != http.NoBody || resp.ContentLength == 0 {
		t.Errorf("HEAD: %+v %v", resp, err)
	}
}

// A body is gone once it is closed or the context it was got under has ended.
func TestTransportBodyLifetime(t *testing.T) {
	t.Parallel()
	rt := script.NewTransport(mustParse(t, "200 body=abc"), engine.NewVirtual(wall), 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	resp, err := rt.RoundTrip(request(ctx, t, http.MethodGet))
	if err != nil {
		t.Fatal(err)
	}
	one := make([]byte, 1)
	if n, err := resp.Body.Read(one); n != 1 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
	cause := errors.New("enough")
	cancel(cause)
	if _, err := resp.Body.Read(one); !errors.Is(err, cause) {
		t.Errorf("after the end of the context: %v", err)
	}
	if err := errors.Join(resp.Body.Close(), resp.Body.Close()); err != nil {
		t.Error(err)
	}
	if _, err := resp.Body.Read(one); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("after Close: %v", err)
	}
}

// given is a request body that counts.
type given struct {
	io.Reader
	read, closed int
	fail         error
}

func (g *given) Read(p []byte) (int, error) {
	n, err := g.Reader.Read(p)
	g.read += n
	if g.fail != nil && err != nil {
		err = g.fail
	}
	return n, err
}

func (g *given) Close() error {
	g.closed++
	return nil
}

func TestTransportRequestBody(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	tests := []struct {
		text   string
		length int64
		fail   error
		read   int
		wrong  bool // the body itself is at fault
	}{
		{text: "200", length: 5, read: 5},
		{text: "200", length: -1, read: 5},
		{text: "reset", length: 5, read: 5},
		{text: "hang", length: 5, read: 5},
		{text: "refused", length: 5},
		{text: "dns", length: 5},
		{text: "tls", length: 5},
		{text: "200", length: 9, read: 5, wrong: true},
		{text: "200", length: 5, read: 5, fail: broken, wrong: true},
	}
	for _, tt := range tests {
		rt := script.NewTransport(mustParse(t, tt.text), engine.NewVirtual(wall), 1)
		body := &given{Reader: strings.NewReader("hello"), fail: tt.fail}
		req := request(t.Context(), t, http.MethodPost)
		req.Body, req.ContentLength = body, tt.length
		before := req.Clone(t.Context())
		resp, err := rt.RoundTrip(req)
		if err == nil {
			err = resp.Body.Close()
			if tt.wrong || err != nil {
				t.Errorf("%+v: an answer, %v", tt, err)
			}
		}
		if tt.fail != nil && !errors.Is(err, tt.fail) {
			t.Errorf("%+v: %v", tt, err)
		}
		if body.read != tt.read || body.closed != 1 {
			t.Errorf("%+v: read %d, closed %d times", tt, body.read, body.closed)
		}
		if !reflect.DeepEqual(req.Header, before.Header) || req.URL.String() != before.URL.String() || req.ContentLength != tt.length {
			t.Errorf("%+v: the request was written to", tt)
		}
	}
}
