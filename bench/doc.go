// Package bench holds no code of its own. Its tests compare retryscope with the retry libraries people use
// already and with loops written by hand, on the same work and in one run. The command in cmd/table runs them
// and prints the table of ratios.
package bench
