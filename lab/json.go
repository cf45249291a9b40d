package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"strings"
)

// deepest is how deep JSON may be nested to be judged: encoding/json goes no further.
const deepest = 10_000

// checkJSON tells what is wrong with a text that should be one JSON value. What ends before the text does, by a fault of
// its source or by the limit, cannot be judged.
func checkJSON(from *counted) error {
	head, skipped := beginning(from)
	if unicode := wide(head); unicode != "" {
		return &JSONError{Unicode: unicode}
	}
	text := &nesting{r: io.MultiReader(bytes.NewReader(head), from)}
	dec := json.NewDecoder(text)
	var v json.RawMessage
	err := dec.Decode(&v)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return &JSONError{Offset: skipped + syntax.Offset, Deep: syntax.Offset == text.tooDeep}
	case errors.Is(from.err, io.EOF) && err != nil: // there is none, or it ends in the middle
		return &JSONError{Offset: from.n + 1, Mark: skipped}
	case err != nil:
		return nil //nolint:nilerr // the error comes again, from who reads the rest
	}
	at := skipped + dec.InputOffset()
	rest := io.MultiReader(dec.Buffered(), text)
	buf := make([]byte, 4<<10)
	for {
		n, err := rest.Read(buf)
		if i := bytes.IndexFunc(buf[:n], func(r rune) bool { return !strings.ContainsRune(" \t\r\n", r) }); i >= 0 {
			return &JSONError{Offset: at + int64(i) + 1}
		}
		at += int64(n)
		if err != nil {
			return nil //nolint:nilerr // as above
		}
	}
}

// byteOrderMark is that of UTF-8. A parser may pass over it (RFC 8259, section 8.1), and many a server sends it.
const byteOrderMark = "\xef\xbb\xbf"

// beginning is the first bytes of a text, without a byte order mark, and how many that one has.
func beginning(r io.Reader) (head []byte, skipped int64) {
	head = make([]byte, 4)
	n, _ := io.ReadFull(r, head) // an error comes again, from who reads the rest
	head = head[:n]
	if rest, ok := bytes.CutPrefix(head, []byte(byteOrderMark)); ok {
		return rest, int64(len(byteOrderMark))
	}
	return head, 0
}

// wide tells by its first bytes which other form of Unicode a text is in: by a byte order mark, or by the zeros of the
// first character, which is an ASCII one in every JSON.
func wide(head []byte) string {
	starts := func(s string) bool { return bytes.HasPrefix(head, []byte(s)) }
	zero := func(i int) bool { return i < len(head) && head[i] == 0 }
	switch {
	case len(head) < 2:
		return ""
	case len(head) == 4 && (starts("\xff\xfe\x00\x00") || starts("\x00\x00\xfe\xff") || zero(2) && zero(1) && zero(0) != zero(3)):
		return "UTF-32"
	case starts("\xff\xfe"), starts("\xfe\xff"), zero(0) != zero(1):
		return "UTF-16"
	default:
		return ""
	}
}

// nesting is a reader that finds where the JSON read through it goes deeper than is judged. Up to the first byte that is
// wrong it counts right, and nobody asks about what comes behind.
type nesting struct {
	r       io.Reader
	at      int64
	depth   int
	tooDeep int64 // the byte, from 1; 0 for nowhere
	// inString and escaped are what the next byte stands in.
	inString, escaped bool
}

// Read implements io.Reader.
func (d *nesting) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	for _, c := range p[:n] {
		d.at++
		switch {
		case d.escaped:
			d.escaped = false
		case d.inString:
			d.escaped, d.inString = c == '\\', c != '"'
		case c == '"':
			d.inString = true
		case c == '[' || c == '{':
			if d.depth++; d.depth == deepest+1 && d.tooDeep == 0 {
				d.tooDeep = d.at
			}
		case c == ']' || c == '}':
			d.depth--
		}
	}
	return n, err
}

func saysJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}
