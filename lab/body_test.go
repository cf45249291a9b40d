package lab_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/httpretry"
	"github.com/retryscope/retryscope/lab"
)

func gzipOf(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sized is an answer whose length is said, chunked one in chunks, open one that the end of the connection ends.
func sized(head, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s", head, len(body), body)
}

func chunked(head, body string) string {
	if body == "" {
		return fmt.Sprintf("HTTP/1.1 %s\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", head)
	}
	return fmt.Sprintf("HTTP/1.1 %s\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", head, len(body), body)
}

func open(head, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nConnection: close\r\n\r\n%s", head, body)
}

const (
	okJSON = "200 OK\r\nContent-Type: application/json"
	okText = "200 OK\r\nContent-Type: text/plain"
	inGzip = "\r\nContent-Encoding: gzip"
)

// outcomeIs is what an answer is taken for; a zero one is a success.
type outcomeIs struct {
	name   string
	answer string
	kind   engine.Kind
	cause  engine.Cause
	words  string
}

func (o *outcomeIs) check(t *testing.T, header http.Header) {
	t.Helper()
	tr := request(t, lab.Request{URL: raw(t, o.answer), Header: header}, quick+"attempts=1", nil)
	a := tr.Attempts[0]
	if a.Outcome.Kind != o.kind || a.Outcome.Cause != o.cause || !strings.Contains(a.Err, o.words) || o.words == "" && a.Err != "" {
		t.Errorf("%s, %v: %v %v %q", o.name, header, a.Outcome.Kind, a.Outcome.Cause, a.Err)
	}
}

// Only a whole body that is in no encoding nobody reads is judged, and whoever asked for it, it is judged alike.
func TestWireEncodedBodies(t *testing.T) {
	t.Parallel()
	const (
		malformed = engine.KindInvalidResponse
		wrong     = engine.CauseMalformed
		cut       = engine.CauseCut
		not       = "malformed answer: the body says that it is gzip and is not"
		behind    = "malformed answer: the body goes on behind the end of its gzip"
		early     = "ended early"
	)
	good, bad := gzipOf(t, `{"a": 1}`), gzipOf(t, `{"a": x}`)
	for _, o := range []outcomeIs{
		{"good JSON", sized(okJSON+inGzip, good), 0, 0, ""},
		{"in chunks", chunked(okJSON+inGzip, good), 0, 0, ""},
		{"to the end of the connection", open(okJSON+inGzip, good), 0, 0, ""},
		{"by its old name, in capitals", sized(okJSON+"\r\nContent-Encoding: X-GZIP", good), 0, 0, ""},
		{"in two members", sized(okJSON+inGzip, gzipOf(t, `{"a": `)+gzipOf(t, `1}`)), 0, 0, ""},
		{"an empty member", sized(okText+inGzip, gzipOf(t, "")+gzipOf(t, "")), 0, 0, ""},
		{"bad JSON", sized(okJSON+inGzip, bad), engine.KindDecoding, 0, "wrong at byte 7 of 8"},
		{"empty JSON", sized(okJSON+inGzip, ""), engine.KindDecoding, 0, "it is empty"},
		{"empty text", chunked(okText+inGzip, ""), 0, 0, ""},
		{"identity", sized(okJSON+"\r\nContent-Encoding: identity", `{}`), 0, 0, ""},
		{"identity that is bad", sized(okJSON+"\r\nContent-Encoding: Identity", `{`), engine.KindDecoding, 0, "ends too early"},
		{"br", sized(okJSON+"\r\nContent-Encoding: br", "\x0b\x02\x80{}\x03"), 0, 0, ""},
		{"zstd", sized(okJSON+"\r\nContent-Encoding: zstd", "\x28\xb5\x2f\xfd"), 0, 0, ""},
		{"deflate", sized(okJSON+"\r\nContent-Encoding: deflate", "x\x9c\xab\xae\x05\x00"), 0, 0, ""},
		{"gzip in br", sized(okJSON+"\r\nContent-Encoding: gzip, br", "{"), 0, 0, ""},
		{"gzip in br, in two lines", sized(okJSON+"\r\nContent-Encoding: gzip\r\nContent-Encoding: br", "{"), 0, 0, ""},
		{"gzip twice over", sized(okJSON+"\r\nContent-Encoding: gzip, gzip", good), 0, 0, ""},
		{"seven bytes of something else", sized(okText+inGzip, "no gzip"), malformed, wrong, not},
		{"one byte", sized(okText+inGzip, "\x1f"), malformed, wrong, not},
		{"text, to the end of the connection", open(okText+inGzip, "no gzip"), malformed, wrong, not},
		{"a few bytes behind its end", sized(okText+inGzip, good+"more"), malformed, wrong, behind},
		{"many bytes behind its end", chunked(okText+inGzip, good+strings.Repeat("more", 100)), malformed, wrong, behind},
		{"one byte behind its end", chunked(okText+inGzip, good+"\x1f"), malformed, wrong, behind},
		{"half of it, whole by its length", sized(okText+inGzip, good[:len(good)/2]), malformed, wrong, not},
		{"half of it, whole by its chunks", chunked(okText+inGzip, good[:len(good)/2]), malformed, wrong, not},
		{"a wrong checksum", sized(okText+inGzip, good[:len(good)-8]+"12345678"), malformed, wrong, not},
		{"half of it, to the end of the connection", open(okText+inGzip, good[:len(good)/2]), malformed, cut, early},
		{"shorter than its length", strings.Replace(sized(okText+inGzip, good), "Length: ", "Length: 1", 1), malformed, cut, early},
		{"nothing of what its length says", "HTTP/1.1 " + okText + inGzip + "\r\nContent-Length: 9\r\n\r\n", malformed, cut, early},
		{"cut in a chunk", "HTTP/1.1 " + okText + inGzip + "\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n" + good[:9], malformed, cut, early},
		{"a cut behind its end", "HTTP/1.1 " + okText + inGzip + "\r\nTransfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n", len(good), good), malformed, cut, early},
	} {
		for _, header := range []http.Header{nil, {"Accept-Encoding": {"gzip"}}, {"Accept-Encoding": {"br, gzip;q=0.5"}}} {
			o.check(t, header)
		}
	}
	for _, behind := range []bool{false, true} {
		if err := error(&lab.EncodingError{Behind: behind}); !errors.Is(err, httpretry.ErrMalformed) || errors.Is(err, lab.ErrJSON) {
			t.Error(err)
		}
	}
}

// What an answer is a part of cannot be judged by that part.
func TestWirePartsOfBodies(t *testing.T) {
	t.Parallel()
	const partial = "206 Partial Content\r\nContent-Type: application/json\r\nContent-Range: bytes 0-3/100"
	for _, o := range []outcomeIs{
		{"a range of JSON", sized(partial, `{"a"`), 0, 0, ""},
		{"a range of gzip", sized(partial+inGzip, "\x00\x01\x02\x03"), 0, 0, ""},
		{"an empty range", sized(partial, ""), 0, 0, ""},
		{"several ranges", sized("206 Partial Content\r\nContent-Type: multipart/byteranges; boundary=x", "--x\r\n\r\n{\r\n--x--"), 0, 0, ""},
		{"a delta", sized("226 IM Used\r\nContent-Type: application/json\r\nIM: vcdiff", "\xd6\xc3\xc4"), 0, 0, ""},
		{"a range that is cut", strings.Replace(sized(partial, `{"a"`), "Length: 4", "Length: 9", 1), engine.KindInvalidResponse, engine.CauseCut, "ended early"},
		{"a whole of another status", sized("203 x\r\nContent-Type: application/json", `{"a"`), engine.KindDecoding, 0, "ends too early"},
		{"no content", "HTTP/1.1 204 No Content\r\nContent-Type: application/json\r\n\r\n", 0, 0, ""},
		{"reset content", "HTTP/1.1 205 Reset Content\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n", 0, 0, ""},
		{"not modified", "HTTP/1.1 304 Not Modified\r\nContent-Type: application/json" + inGzip + "\r\n\r\n", engine.KindStatus, 0, ""},
	} {
		o.check(t, nil)
		o.check(t, http.Header{"Range": {"bytes=0-3"}})
	}
}

// The text of a body is judged as UTF-8, with or without a mark that says so.
func TestWireJSONTexts(t *testing.T) {
	t.Parallel()
	const mark, decoding = "\xef\xbb\xbf", engine.KindDecoding
	wide := func(order binary.AppendByteOrder, text string) string {
		var out []byte
		for _, u := range utf16.Encode([]rune(text)) {
			out = order.AppendUint16(out, u)
		}
		return string(out)
	}
	wider := func(order binary.AppendByteOrder, text string) string {
		var out []byte
		for _, r := range text {
			out = order.AppendUint32(out, uint32(r)) //nolint:gosec // a rune is no negative number
		}
		return string(out)
	}
	nested := func(n int) string { return strings.Repeat(`[`, n) + strings.Repeat(`]`, n) }
	for _, o := range []outcomeIs{
		{"a mark", mark + `{"a": 1}`, 0, 0, ""},
		{"a mark and one digit", mark + `1`, 0, 0, ""},
		{"a mark alone", mark, decoding, 0, "it is empty"},
		{"a mark and what is wrong", mark + `{"a": x}`, decoding, 0, "wrong at byte 10 of 11"},
		{"a mark and half", mark + `{"a"`, decoding, 0, "too early, after byte 7"},
		{"a mark and more", mark + `{} x`, decoding, 0, "wrong at byte 7 of 7"},
		{"two marks", mark + mark + `{}`, decoding, 0, "wrong at byte 4 of 8"},
		{"half a mark", mark[:2], decoding, 0, "wrong at byte 1 of 2"},
		{"a mark within", `{` + mark + `}`, decoding, 0, "wrong at byte 2 of 5"},
		{"short", `1`, 0, 0, ""},
		{"UTF-16, little end first", wide(binary.LittleEndian, `{"a": 1}`), decoding, 0, "it is JSON and is not: it is UTF-16"},
		{"UTF-16, big end first", wide(binary.BigEndian, `{"a": 1}`), decoding, 0, "it is UTF-16"},
		{"UTF-16 and a mark", wide(binary.LittleEndian, "\ufeff{}"), decoding, 0, "it is UTF-16"},
		{"UTF-16 and a mark, big end first", wide(binary.BigEndian, "\ufeff{}"), decoding, 0, "it is UTF-16"},
		{"UTF-16 of a digit", wide(binary.BigEndian, "1"), decoding, 0, "it is UTF-16"},
		{"UTF-16 of no ASCII", wide(binary.LittleEndian, `"例"`), decoding, 0, "it is UTF-16"},
		{"UTF-32", wider(binary.LittleEndian, `{}`), decoding, 0, "it is UTF-32"},
		{"UTF-32, big end first", wider(binary.BigEndian, `{}`), decoding, 0, "it is UTF-32"},
		{"UTF-32 and a mark", wider(binary.LittleEndian, "\ufeff{}"), decoding, 0, "it is UTF-32"},
		{"UTF-32 and a mark, big end first", wider(binary.BigEndian, "\ufeff{}"), decoding, 0, "it is UTF-32"},
		{"zeros", "\x00\x00\x00\x00", decoding, 0, "wrong at byte 1 of 4"},
		{"deep", nested(10_000), 0, 0, ""},
		{"too deep", nested(10_001), decoding, 0, "the body is JSON nested deeper than 10000, at byte 10001"},
		{"too deep, without end", strings.Repeat(`{"[":`, 20_000), decoding, 0, "nested deeper than 10000, at byte 50001"},
		{"too deep behind a mark", mark + nested(10_001), decoding, 0, "nested deeper than 10000, at byte 10004"},
		{"wrong before it is too deep", strings.Repeat(`[`, 9_000) + "x" + strings.Repeat(`[`, 9_000), decoding, 0, "wrong at byte 9001 of"},
		{"brackets in a text", `"` + strings.Repeat(`[\"{`, 20_000) + `"`, 0, 0, ""},
		{"brackets one behind the other", `[` + strings.Repeat(`[],{},`, 20_000) + `0]`, 0, 0, ""},
	} {
		o.answer = sized(okJSON, o.answer)
		o.check(t, nil)
	}
}
