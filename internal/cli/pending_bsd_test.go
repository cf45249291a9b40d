//go:build unix && !linux

package cli_test

// fionread asks how many bytes can be read.
const fionread = 0x4004667f
