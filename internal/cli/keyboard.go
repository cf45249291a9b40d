package cli

import (
	"bytes"
	"context"
	"os"
	"time"
)

// keyboard is the terminal's input. The library goes on for ever without one: here its end is the program's.
type keyboard struct {
	*os.File
	stop context.CancelCauseFunc
	torn torn
}

// Read reads what is typed. It may give nothing, and no error, where all that came is the beginning of a report.
func (k *keyboard) Read(p []byte) (int, error) {
	n, err := k.File.Read(p[:max(len(p)-tornMost, min(len(p), 1))]) // there is room for what is held
	if err != nil || n == 0 && len(p) > 0 {
		k.stop(errLost)
		return n, err
	}
	return copy(p, k.torn.join(p[:n], time.Now())), nil
}

const (
	// keyTimeout is after how long the library takes a lone ESC for the key.
	keyTimeout = 50 * time.Millisecond
	// tornTimeout is after how long one byte more is a key, and not the rest of a report.
	tornTimeout = 500 * time.Millisecond
	// tornMost is more than any report has; what is longer is no report.
	tornMost = 256
)

// torn puts the reports of a terminal (of the mouse, of its colors) together that are read in parts. The library waits a
// moment for the rest and then takes the part for keys: it would be typed into a field.
type torn struct {
	held []byte // the beginning of a report
	at   time.Time
	esc  bool // the latest byte that was passed on is ESC
	lost bool // the ESC of what is held was passed on: the rest is thrown away
}

// join gives what can be passed on of what was held and of what was read at a time.
func (t *torn) join(read []byte, now time.Time) []byte {
	late := now.Sub(t.at)
	t.at = now
	out := t.typed(read, late)
	if out == nil {
		t.behind(read, late)
		out = t.whole(append(t.held, read...))
	}
	t.esc = len(out) > 0 && out[len(out)-1] == esc
	return out
}

const esc = 0x1b

// typed gives what is passed on where a key was read long after the beginning of a report: the rest will not come. Two
// bytes are a key themselves, alt+[ or alt+].
func (t *torn) typed(read []byte, late time.Duration) []byte {
	if len(t.held) == 0 || late < tornTimeout || len(read) != 1 || bytes.IndexByte([]byte("Mm\a\\"), read[0]) >= 0 {
		return nil
	}
	held := t.held
	if len(held) > 2 || t.lost {
		held = nil
	}
	t.held, t.lost = nil, false
	return append(held, read...)
}

// behind looks for the rest of a report whose ESC was taken for the key.
func (t *torn) behind(read []byte, late time.Duration) {
	if !t.esc || late < keyTimeout || len(t.held) > 0 || len(read) < 3 {
		return
	}
	if c := read[2]; read[0] == '[' && (read[1] == '<' || read[1] == '?') && c >= '0' && c <= '9' || read[0] == ']' && read[1] == '1' && c >= '0' && c <= '9' {
		t.held, t.lost = []byte{esc}, true
	}
}

// whole gives what is whole of the bytes, and holds the rest back.
func (t *torn) whole(in []byte) []byte {
	began := len(t.held) // what begins before was torn
	t.held = nil
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); {
		n, state := sequence(in[i:])
		switch {
		case state == seqOpen:
			t.held = append(t.held, in[i:]...)
			return out
		case i < began && (state == seqBroken || t.lost):
			t.lost = false // nobody will see the rest of it
		default:
			out = append(out, in[i:i+n]...)
		}
		i += n
	}
	t.lost = false
	return out
}

// seqState is how a sequence ends.
type seqState uint8

const (
	seqWhole  seqState = iota
	seqOpen            // it may go on
	seqBroken          // something else begins before it is whole
)

// sequence is the length of what begins the bytes: a control sequence (ESC [), a string (ESC ]), or one byte.
func sequence(b []byte) (int, seqState) {
	if len(b) < 2 || b[0] != esc {
		return 1, seqWhole
	}
	switch b[1] {
	case '[':
		return controlEnd(b)
	case ']':
		return stringEnd(b)
	default:
		return 1, seqWhole
	}
}

func controlEnd(b []byte) (int, seqState) {
	for i := 2; i < len(b); i++ {
		switch c := b[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1, seqWhole
		case c < 0x20 || c > 0x7e:
			return i, seqBroken
		}
	}
	return openEnd(b)
}

func stringEnd(b []byte) (int, seqState) {
	for i := 2; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\a':
			return i + 1, seqWhole
		case c == esc && i+1 == len(b):
			return openEnd(b)
		case c == esc && b[i+1] == '\\':
			return i + 2, seqWhole
		case c < 0x20:
			return i, seqBroken
		}
	}
	return openEnd(b)
}

func openEnd(b []byte) (int, seqState) {
	if len(b) > tornMost {
		return len(b), seqBroken
	}
	return len(b), seqOpen
}
