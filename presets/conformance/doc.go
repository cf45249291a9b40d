// Package conformance runs the real clients and compares what they do with what the engine does under their presets.
// It is a module of its own so that retryscope itself depends on none of them.
package conformance
