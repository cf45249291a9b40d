// Package k6 runs what is exported for k6 with the real k6, against the real "retryscope serve". It is a module of its own,
// for k6 is a tool of many parts that nothing else needs.
package k6
