package httpretry_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

func BenchmarkParseRetryAfter(b *testing.B) {
	wall := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, value := range map[string]string{
		"seconds": "120", "IMF": "Thu, 01 Jan 2026 00:00:30 GMT", "RFC850": "Thursday, 01-Jan-26 00:00:30 GMT", "asctime": "Thu Jan  1 00:00:30 2026",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				httpretry.ParseRetryAfter(value, true, wall, true, wall)
			}
		})
		b.Run(name+"/net-http", func(b *testing.B) {
			for b.Loop() {
				http.ParseTime(value) //nolint:errcheck // a floor
			}
		})
	}
}

// memory answers at once: some failures, then a 200, then the same again.
type memory struct{ fails, left int }

type memoryBody struct{ bytes.Reader }

func (*memoryBody) Close() error { return nil }

var memoryText = []byte(`{"id":"7f3a","name":"a small thing","tags":["one","two"],"ok":true}`)

func (m *memory) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	status := http.StatusOK
	if m.left > 0 {
		m.left--
		status = http.StatusServiceUnavailable
	} else {
		m.left = m.fails
	}
	body := &memoryBody{}
	body.Reset(memoryText)
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{
			"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(len(memoryText))}, "Date": {"Sun, 01 Mar 2026 12:00:00 GMT"},
		},
		Body: body, ContentLength: int64(len(memoryText)),
	}, nil
}

// BenchmarkTransport is a request through a plain client, and through one that obeys a policy.
func BenchmarkTransport(b *testing.B) {
	ours := func(m *memory, text string) http.RoundTripper {
		p, err := engine.ParsePolicy("base=1ns curve=constant jitter=none "+text, engine.Default())
		if err != nil {
			b.Fatal(err)
		}
		rt, err := httpretry.New(m, p)
		if err != nil {
			b.Fatal(err)
		}
		return rt
	}
	ok, three := &memory{}, &memory{fails: 3, left: 3}
	for _, c := range []struct {
		name string
		rt   http.RoundTripper
	}{
		{"plain", ok},
		{"success", ours(ok, "attempt-timeout=none")},
		{"success-timeout", ours(ok, "")},
		{"three-failures", ours(three, "attempt-timeout=none")},
	} {
		client := &http.Client{Transport: c.rt}
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://memory.test/v1/things?page=2", http.NoBody)
				if err != nil {
					b.Fatal(err)
				}
				resp, err := client.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				_ = resp.Body.Close()
			}
		})
	}
}
