package trace_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/retryscope/retryscope/trace"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "Service Unavailable", "Service Unavailable"},
		{"empty", "", ""},
		{"letters", "Überlastet – 混雑 🙂", "Überlastet – 混雑 🙂"},
		{"tab and lines", "a\tb\r\nc", "a b  c"},
		{"colors", "\x1b[31mred\x1b[0m", "^[red^["},
		{"screen cleared and clipboard set", "\x1b]52;c;SGk=\x07\x1b[2J", "^[^["},
		{"link", "\x1b]8;;http://evil\x1b\\text\x1b]8;;\x1b\\", "^[text^["},
		{"title ended by an 8-bit terminator", "\x1b]0;x\u009cy", "^[y"},
		{"string that never ends", "\x1b]0;title and the rest", "^[0;title and the rest"},
		{"string broken off by a line", "\x1b]0;a\nb\x07c", "^[0;a b^Gc"},
		{"string broken off by a sequence", "\x1b]0;a\x1b[1mb\x07", "^[0;a^[b^G"},
		{"DCS", "\x1bPq#0;2\x1b\\x", "^[x"},
		{"APC", "\x1b_Gf=100;AAAA\x1b\\x", "^[x"},
		{"PM", "\x1b^secret\x1b\\x", "^[x"},
		{"SOS", "\x1bXabc\x1b\\x", "^[x"},
		{"reset", "\x1bcx", "^[x"},
		{"asks where the cursor is", "\x1b[6n", "^["},
		{"charset", "\x1b(0x", "^[x"},
		{"line drawing", "\x1b #8x", "^[x"},
		{"8-bit CSI as a character", "\u009b31mx", "^[x"},
		{"8-bit CSI as a byte", "\x9b31mx", "^[x"},
		{"8-bit OSC as a byte", "\x9d52;c;SGk=\x07x", "^[x"},
		{"8-bit OSC that never ends", "\x9d52;c;SGk=", "^[52;c;SGk="},
		{"another C1", "a\u0085b", "a\uFFFDb"},
		{"lone escape", "a\x1b", "a^["},
		{"escape before a control", "\x1b\x07", "^[^G"},
		{"unfinished CSI", "\x1b[12", "^["},
		{"bell, null, backspace, delete", "\x07\x00\x08\x7f", "^G^@^H^?"},
		{"direction", "abc\u202egnp.exe", "abc\uFFFDgnp.exe"},
		{"isolates", "\u2066x\u2069", "\uFFFDx\uFFFD"},
		{"no width", "a\u200bb\ufeffc\u2060d\u00ade", "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe"},
		{"separators", "a\u2028b\u2029c", "a\uFFFDb\uFFFDc"},
		{"fillers and selectors", "\u3164\u115f\ufe0f\U000e0041", "\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"broken UTF-8", "a\xff\xc3(b", "a\uFFFD\uFFFD(b"},
		{"surrogate halves", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
	}
	for _, tt := range tests {
		if got := trace.Clean(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCleanBytes(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"db down", "db down"},
		{"\x1f\x8b\x08\x00rubbish", "binary, 11 bytes"},
		{"null\x00", "binary, 5 bytes"},
		{"\x1b[2Jx", "^[x"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := trace.CleanBytes([]byte(tt.in)); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.in, got, tt.want)
		}
	}
}

// A text of nothing but beginnings must not cost the square of its length.
func TestCleanIsLinear(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"\x1b]", "\u009d", "\x9d", "\x1b[1;", "\x1b(", "\x1bPx\x1b"} {
		if got := trace.Clean(strings.Repeat(in, 50_000)); got == "" {
			t.Errorf("%q: nothing left", in)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b]0;b\x07c", "\x9b1m", "\u202e", "\x1bP\x1b", "plain", "\xff", "\x1b[?1049h", "\u009d\u009c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := trace.Clean(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q: broken UTF-8", out)
		}
		for _, r := range out {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
				t.Fatalf("%q: %U is left", out, r)
			}
		}
		if again := trace.Clean(out); again != out {
			t.Fatalf("%q, again %q", out, again)
		}
	})
}
