package lab

import (
	"errors"
	"fmt"
)

// ErrJSON is what a body that does not decode matches.
var ErrJSON = errors.New("lab: the body says that it is JSON and is not")

// JSONError is a body that says it is JSON and is not. It holds nothing of the body.
type JSONError struct {
	// Offset is up to where it could be read, Bytes its length.
	Offset int64
	Bytes  int
}

func (e *JSONError) Error() string {
	return fmt.Sprintf("%v: byte %d of %d", ErrJSON, e.Offset, e.Bytes)
}

// Is matches ErrJSON.
func (e *JSONError) Is(target error) bool { return target == ErrJSON }
