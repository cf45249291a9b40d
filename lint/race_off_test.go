//go:build !race

package lint_test

// raced says that the race detector is on, which takes ten times as long and finds nothing more in more policies.
const raced = false
