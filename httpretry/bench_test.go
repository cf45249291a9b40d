package httpretry_test

import (
	"net/http"
	"testing"
	"time"

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
