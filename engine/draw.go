package engine

import "math"

// Purpose names what a draw is for. Draws of different purposes never touch each other, so turning one knob shifts no
// other draw.
type Purpose uint64

// The purposes of a draw.
const (
	PurposeJitter Purpose = iota + 1 // the wait before an attempt
	PurposeScript                    // a chance step of a scripted server
	PurposeID                        // the identity of an operation and of a generated idempotency key
	PurposeSeed                      // a seed made from another
)

// Draw is the random number in [0, 1) that belongs to (seed, purpose, operation, retry): a counter-based draw, so that
// the same four give the same number in whatever order they are asked for. The mixing is SplitMix64 (Steele, Lea,
// Flood, OOPSLA 2014).
func Draw(seed uint64, purpose Purpose, operation, retry uint64) float64 {
	return float64(Bits(seed, purpose, operation, retry)>>11) / (1 << 53)
}

// Bits are the 64 random bits behind Draw.
func Bits(seed uint64, purpose Purpose, operation, retry uint64) uint64 {
	x := mix(seed + 0x9e3779b97f4a7c15)
	x = mix(x ^ uint64(purpose)*0xbf58476d1ce4e5b9)
	x = mix(x ^ operation*0x94d049bb133111eb)
	return mix(x ^ retry*0x9e3779b97f4a7c15)
}

// clampUnit brings a draw into [0, 1]; what is no number becomes 0.
func clampUnit(u float64) float64 {
	if math.IsNaN(u) || u < 0 {
		return 0
	}
	return min(u, 1)
}

func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}
