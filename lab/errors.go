package lab

import (
	"errors"
	"fmt"
)

// ErrJSON is what a body that does not decode matches.
var ErrJSON = errors.New("the body says that it is JSON and is not")

// JSONError is a body that says it is JSON and is not, or not any that is read. It holds nothing of the body.
type JSONError struct {
	// Offset is the byte, from 1, that cannot stand there; one more than there are where it only ends too early. Bytes is
	// how many there are, as far as it was read.
	Offset, Bytes int64
	// Mark is how many of them are a byte order mark.
	Mark int64
	// Deep says that it may well be JSON, but nested deeper than anybody here reads.
	Deep bool
	// Unicode is the form of Unicode it is in, where that is another than UTF-8: "UTF-16", "UTF-32".
	Unicode string
}

func (e *JSONError) Error() string {
	switch {
	case e.Deep:
		return fmt.Sprintf("the body is JSON nested deeper than %d, at byte %d", deepest, e.Offset)
	case e.Unicode != "":
		return ErrJSON.Error() + ": it is " + e.Unicode + ", and JSON is sent as UTF-8"
	case e.Bytes == e.Mark:
		return ErrJSON.Error() + ": it is empty"
	case e.Offset > e.Bytes:
		return fmt.Sprintf("%v: it ends too early, after byte %d", ErrJSON, e.Bytes)
	default:
		return fmt.Sprintf("%v: wrong at byte %d of %d", ErrJSON, e.Offset, e.Bytes)
	}
}

// Is matches ErrJSON.
func (e *JSONError) Is(target error) bool { return target == ErrJSON }
