package bench

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
)

// The sinks keep a result alive, so that no call is left out as dead.
var (
	sinkDuration time.Duration
	sinkOK       bool
	sinkHint     engine.Hint
)

// Draws and retries the delay benchmarks walk through, so that no branch is learned by heart. A power of two each.
var (
	draws   = [...]float64{0.03, 0.71, 0.5, 0.98, 0.26, 0.64, 0.11, 0.87}
	retries = [...]int{1, 2, 3, 4, 5, 6, 7, 8}
)

const (
	delayBase = 200 * time.Millisecond
	delayCap  = 10 * time.Second
)

// floorDelay is the capped exponential with full jitter as it is written by hand for any factor.
//
//go:noinline
func floorDelay(base, limit time.Duration, factor float64, retry int, u float64) time.Duration {
	d := min(float64(base)*math.Pow(factor, float64(retry-1)), float64(limit))
	return time.Duration(u * d)
}

// floorDelayShift is the same for a factor of two only: the least it can cost.
//
//go:noinline
func floorDelayShift(base, limit time.Duration, retry int, u float64) time.Duration {
	d := limit
	if shift := retry - 1; shift < 63 && base<<shift>>shift == base {
		d = min(base<<shift, limit)
	}
	return time.Duration(u * float64(d))
}

// floorSeconds reads Retry-After as seconds and nothing else.
//
//go:noinline
func floorSeconds(value string) (time.Duration, bool) {
	if value == "" || len(value) > 9 {
		return 0, false
	}
	n := 0
	for i := range len(value) {
		c := value[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int(c)
	}
	return time.Duration(n) * time.Second, true
}

// floorDate reads Retry-After as a date and nothing else.
//
//go:noinline
func floorDate(value string, now time.Time) (time.Duration, bool) {
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(0, at.Sub(now)), true
}

// retryAfterNow is when the answers below are said to have come.
var retryAfterNow = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

const (
	retryAfterSeconds = "120"
	retryAfterDate    = "Sun, 01 Mar 2026 12:02:00 GMT"
)

func BenchmarkDelay(b *testing.B) {
	delays(b, 2)
	b.Run("by=floor-shift", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			sinkDuration = floorDelayShift(delayBase, delayCap, retries[i&7], draws[i&7])
		}
	})
}

// BenchmarkDelayAnyFactor is the same with a factor that no shift can stand for.
func BenchmarkDelayAnyFactor(b *testing.B) { delays(b, 1.5) }

func delays(b *testing.B, factor float64) {
	backoff := engine.Default().Backoff
	backoff.Base, backoff.Cap, backoff.Factor = delayBase, delayCap, factor
	b.Run("by=ours", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			sinkDuration = backoff.Delay(retries[i&7], 0, draws[i&7])
		}
	})
	b.Run("by=floor", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			sinkDuration = floorDelay(delayBase, delayCap, factor, retries[i&7], draws[i&7])
		}
	})
}

func BenchmarkRetryAfterSeconds(b *testing.B) {
	oursRetryAfter(b, retryAfterSeconds)
	b.Run("by=floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkDuration, sinkOK = floorSeconds(retryAfterSeconds)
		}
	})
}

func BenchmarkRetryAfterDate(b *testing.B) {
	oursRetryAfter(b, retryAfterDate)
	b.Run("by=floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkDuration, sinkOK = floorDate(retryAfterDate, retryAfterNow)
		}
	})
}

// oursRetryAfter reads either form; both values ask for two minutes.
func oursRetryAfter(b *testing.B, value string) {
	b.Run("by=ours", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			sinkHint = httpretry.ParseRetryAfter(value, true, retryAfterNow, true, retryAfterNow)
		}
		if sinkHint != (engine.Hint{State: engine.HintWait, Wait: 2 * time.Minute}) {
			b.Fatalf("read as %+v", sinkHint)
		}
	})
}
