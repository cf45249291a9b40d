package lab_test

import (
	"io"
	"log"
)

// quiet is for servers that would tell of what a test does to them.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
