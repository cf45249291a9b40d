package lab

import (
	"errors"
	"fmt"
)

// ErrJSON is what a body that does not decode matches.
var ErrJSON = errors.New("the body says that it is JSON and is not")

// JSONError is a body that says it is JSON and is not. It holds nothing of the body.
type JSONError struct {
	// Offset is the byte, from 1, that cannot stand there; one more than there are where it only ends too early. Bytes is
	// how many there are, as far as it was read.
	Offset, Bytes int64
}

func (e *JSONError) Error() string {
	switch {
	case e.Bytes == 0:
		return ErrJSON.Error() + ": it is empty"
	case e.Offset > e.Bytes:
		return fmt.Sprintf("%v: it ends too early, after byte %d", ErrJSON, e.Bytes)
	default:
		return fmt.Sprintf("%v: wrong at byte %d of %d", ErrJSON, e.Offset, e.Bytes)
	}
}

// Is matches ErrJSON.
func (e *JSONError) Is(target error) bool { return target == ErrJSON }
