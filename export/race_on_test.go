//go:build race

package export_test

// raced says that the race detector is on, which takes ten times as long and finds nothing more in more policies.
const raced = true
