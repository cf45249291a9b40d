//go:build !race

package sim_test

// raced says that the race detector is on, which makes a simulation ten times slower and finds nothing more in a long one.
const raced = false
