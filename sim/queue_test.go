package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The wheel gives what any correct queue gives: events in their order, however they are spread over time.
func TestWheelIsAQueue(t *testing.T) {
	t.Parallel()
	spans := []int64{1, 1 << 10, 1 << grain, 1 << (grain + digit), 1 << (grain + 2*digit), 1 << (grain + 3*digit), math.MaxInt64 / 4}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		var w wheel
		var plain []event // kept sorted
		now := int64(0)
		for range 3000 {
			if len(plain) == 0 || r.IntN(5) < 3 && len(plain) < 500 {
				at := now
				if span := spans[r.IntN(len(spans))]; at <= math.MaxInt64-span {
					at += r.Int64N(span)
				}
				if r.IntN(4) == 0 && len(plain) > 0 {
					at = plain[r.IntN(len(plain))].at // at one and the same instant
				}
				e := event{at, keyOf(kind(r.IntN(9)), r.Uint32(), r.Uint32())}
				w.push(e)
				i, _ := slices.BinarySearchFunc(plain, e, compareEvents)
				plain = slices.Insert(plain, i, e)
				continue
			}
			if r.IntN(2) == 0 {
				if at, ok := w.peek(); !ok || at != plain[0].at {
					t.Fatalf("seed %d: peek %d %v, must be %d", seed, at, ok, plain[0].at)
				}
			}
			got := w.pop()
			if got != plain[0] {
				t.Fatalf("seed %d: popped %v, must be %v", seed, got, plain[0])
			}
			plain = plain[1:]
			now = got.at
			if w.len() != len(plain) {
				t.Fatalf("seed %d: %d left, must be %d", seed, w.len(), len(plain))
			}
		}
	}
}

func TestEventKeepsItsParts(t *testing.T) {
	t.Parallel()
	for _, who := range []uint32{0, 1, math.MaxUint32} {
		for _, gen := range []uint32{0, 1, genMask} {
			for k := range evArrival + 1 {
				e := event{0, keyOf(k, who, gen)}
				if e.kind() != k || e.who() != who || e.gen() != gen {
					t.Errorf("%v %v %v became %v %v %v", k, who, gen, e.kind(), e.who(), e.gen())
				}
			}
		}
	}
}

func TestCallIsSmall(t *testing.T) {
	t.Parallel()
	if n := sizeOfCall(); n > 64 {
		t.Errorf("a call takes %d bytes, must be at most 64", n)
	}
}
