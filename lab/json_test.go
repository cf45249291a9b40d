package lab

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzCheckJSON holds what is read piece by piece against encoding/json on the whole.
func FuzzCheckJSON(f *testing.F) {
	for _, text := range []string{"", "{}", "\xef\xbb\xbf{}", "\xef\xbb\xbf", "1", "{} {", `{"a": "\"["}`, "[\x00", "{\x00}\x00", "\xff\xfe1\x00", strings.Repeat("[", 10_001)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		from := &counted{r: iotest.HalfReader(bytes.NewReader(text))}
		err := checkJSON(from)
		if valid := json.Valid(bytes.TrimPrefix(text, []byte(byteOrderMark))); valid != (err == nil) {
			t.Fatalf("valid %v: %v", valid, err)
		}
		var bad *JSONError
		switch {
		case err == nil:
		case !errors.As(err, &bad), bad.Unicode == "" && (bad.Offset < 1 || bad.Offset > int64(len(text))+1), bad.Unicode != "" && bytes.IndexByte(text, 0) < 0 && text[0] < 0xfe:
			t.Errorf("%+v", err)
		}
	})
}
