package conformance

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/test/bufconn"
)

// stdClients are what net/http does below every client.
func stdClients() []client {
	return []client{
		{
			preset: "net-http-h1", module: "net/http", methods: append(anyMethod(), http.MethodTrace), fail: reset(), noEnd: true, noRefused: true,
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				tr := &http.Transport{DialContext: pipe(func(c net.Conn) { serveHTTP1(c, w) })}
				defer tr.CloseIdleConnections()
				c := &http.Client{Transport: tr}
				// Only a connection that was used before is tried again.
				warm, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://service.test/warm", nil)
				if err != nil {
					return 0, err
				}
				if _, err := answered(c.Do(warm)); err != nil {
					return 0, err
				}
				return answered(c.Do(newRequest(ctx, method)))
			},
		},
		{
			preset: "net-http-h2", module: "net/http", methods: anyMethod(), noEnd: true, noBroken: true, noRefused: true,
			fail: answer{err: refusedStream{}},
			send: func(ctx context.Context, w *wire, method string) (int, error) {
				p := new(http.Protocols)
				p.SetUnencryptedHTTP2(true)
				tr := &http.Transport{Protocols: p, DialContext: pipe(func(c net.Conn) { _ = serveHTTP2(c, w) })}
				defer tr.CloseIdleConnections()
				return answered((&http.Client{Transport: tr}).Do(newRequest(ctx, method)))
			},
			named: map[string]string{"wait 6": "The sixth wait is 16s to 17s"},
		},
	}
}

// pipe dials a connection that serve answers.
func pipe(serve func(net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		l := bufconn.Listen(1 << 16)
		go func() {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			serve(c)
		}()
		return l.DialContext(ctx)
	}
}

// serveHTTP1 answers from the wire; a failed answer closes the connection.
func serveHTTP1(c net.Conn, w *wire) {
	r := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		a := status(http.StatusOK)
		if req.URL.Path != "/warm" {
			a = w.next()
		}
		if a.err != nil {
			return
		}
		if _, err := fmt.Fprintf(c, "HTTP/1.1 %d Status\r\nContent-Length: 0\r\n\r\n", a.status); err != nil {
			return
		}
	}
}

// serveHTTP2 answers from the wire; a failed answer refuses the stream.
func serveHTTP2(c net.Conn, w *wire) error {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c, preface); err != nil {
		return err
	}
	if string(preface) != http2.ClientPreface {
		return errors.New("no preface")
	}
	f := http2.NewFramer(c, c)
	if err := f.WriteSettings(); err != nil {
		return err
	}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return err
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				err = f.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if !frame.IsAck() {
				err = f.WritePing(true, frame.Data)
			}
		case *http2.HeadersFrame:
			err = answerHTTP2(f, frame.StreamID, w.next())
		default:
		}
		if err != nil {
			return err
		}
	}
}

func answerHTTP2(f *http2.Framer, stream uint32, a answer) error {
	if a.err != nil {
		return f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
	}
	var b bytes.Buffer
	if err := hpack.NewEncoder(&b).WriteField(hpack.HeaderField{Name: ":status", Value: fmt.Sprint(a.status)}); err != nil {
		return err
	}
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: b.Bytes(), EndStream: true, EndHeaders: true})
}

// refusedStream fills in an error of the shape that net/http's own has, as that one does.
type refusedStream struct{}

func (refusedStream) Error() string { return "stream error: REFUSED_STREAM" }

// As gives the number and the code to a struct with such fields.
func (refusedStream) As(target any) bool {
	v := reflect.ValueOf(target).Elem()
	if v.Kind() != reflect.Struct || !v.FieldByName("StreamID").IsValid() || !v.FieldByName("Code").IsValid() {
		return false
	}
	v.FieldByName("StreamID").SetUint(1)
	v.FieldByName("Code").SetUint(uint64(http2.ErrCodeRefusedStream))
	return true
}
