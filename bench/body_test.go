package bench

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"testing"
)

// largeBody is big enough that one copy of it could not hide among the other bytes of an operation.
var largeBody = make([]byte, 1<<20)

// put sends the large body, which net/http knows how to make again, through client; the memory says 503 three times.
func put(ctx context.Context, client *http.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, memoryURL, bytes.NewReader(largeBody))
	if err != nil {
		return err
	}
	return finish(client.Do(req))
}

// putByHand makes the body again for each attempt.
func putByHand(ctx context.Context, client *http.Client) error {
	for left := maxAttempts; ; left-- {
		err := put(ctx, client)
		if left == 1 || !errors.Is(err, errStatus) {
			return err
		}
	}
}

func BenchmarkTransportLargeBody(b *testing.B) {
	m := newMemory(3)
	transport := oursHTTP(b, m, 0)
	b.Run("by=ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := put(b.Context(), transport); err != nil {
				b.Fatal(err)
			}
		}
	})
	client := &http.Client{Transport: m}
	b.Run("by=floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := putByHand(b.Context(), client); err != nil {
				b.Fatal(err)
			}
		}
	})
}
