package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestTorn reads bytes in parts, each so long after the one before, and holds what is passed on against what is wanted.
func TestTorn(t *testing.T) {
	t.Parallel()
	const soon, late = time.Millisecond, time.Minute
	for _, c := range []struct {
		name  string
		after time.Duration
		parts []string
		want  []string
	}{
		{"keys", late, []string{"a", "\x1b", "é", "\x1b[A", "\x1bOA", "\x1bx"}, []string{"a", "\x1b", "é", "\x1b[A", "\x1bOA", "\x1bx"}},
		{"a report of the mouse, torn", late, []string{"\x1b[<64;1", "0;5M", "q"}, []string{"", "\x1b[<64;10;5M", "q"}},
		{"torn before its end", late, []string{"x\x1b[<64;10;5", "M"}, []string{"x", "\x1b[<64;10;5M"}},
		{"torn in three", soon, []string{"\x1b[", "<64;", "10;5Mx"}, []string{"", "", "\x1b[<64;10;5Mx"}},
		{"the rest never comes, and a key does", late, []string{"\x1b[<64;10", "q"}, []string{"", "q"}},
		{"the rest never comes, and an arrow does", soon, []string{"\x1b[<64;10", "\x1b[A"}, []string{"", "\x1b[A"}},
		{"a color, torn", late, []string{"\x1b]11;rgb:1c1c/1c", "1c/1c1c\x1b\\q"}, []string{"", "\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\q"}},
		{"a color, torn in its end", late, []string{"\x1b]11;rgb:1c1c/1c1c/1c1c\x1b", "\\"}, []string{"", "\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\"}},
		{"a color with a bell", late, []string{"\x1b]11;rgb:1c1c", "/1c1c/1c1c\a"}, []string{"", "\x1b]11;rgb:1c1c/1c1c/1c1c\a"}},
		{"a color without an end, and enter", soon, []string{"\x1b]11;rgb:1c", "\rq"}, []string{"", "\rq"}},
		{"alt and a bracket", late, []string{"\x1b[", "q"}, []string{"", "\x1b[q"}},
		{"torn behind its ESC", late, []string{"\x1b", "[<64;10;5M", "q"}, []string{"\x1b", "", "q"}},
		{"torn behind its ESC and again", late, []string{"\x1b", "[<64;1", "0;5Mq"}, []string{"\x1b", "", "q"}},
		{"a color torn behind its ESC", late, []string{"\x1b", "]11;rgb:1c1c/1c1c/1c1c\x1b\\", "q"}, []string{"\x1b", "", "q"}},
		{"ESC and a bracket typed", late, []string{"\x1b", "[", "<"}, []string{"\x1b", "[", "<"}},
		{"a paste is passed on", soon, []string{"\x1b[200~a\x1b]b\rc\x1b[\rd", "\x1b[201~"}, []string{"\x1b[200~a\x1b]b\rc\x1b[\rd", "\x1b[201~"}},
	} {
		var r torn
		now := time.Time{}
		for i, part := range c.parts {
			now = now.Add(c.after)
			if got := string(r.join([]byte(part), now)); got != c.want[i] {
				t.Errorf("%s: part %d gives %q, want %q", c.name, i+1, got, c.want[i])
			}
		}
	}
	// What has no end is passed on at last.
	var r torn
	long := "\x1b]" + strings.Repeat("x", 2*tornMost)
	if got := string(r.join([]byte(long), time.Time{})); got != long || len(r.held) > 0 {
		t.Errorf("%d bytes of %d, %d held", len(got), len(long), len(r.held))
	}
}

// FuzzTorn: whole sequences pass as they are however they are cut, as long as the parts come soon; at no time is more
// held than a report has, and nothing is added.
func FuzzTorn(f *testing.F) {
	f.Add([]byte("a\x1b[<64;10;5Mq\x1b]11;rgb:1/2/3\x1b\\z\x1b\x1b[A"), []byte{3, 1, 1, 2, 9})
	f.Add([]byte("\x1b[200~\x1b]\xff\x00\x1b["), []byte{1})
	f.Fuzz(func(t *testing.T, in, cuts []byte) {
		if len(in) > 200 {
			return
		}
		var whole, cut torn
		all := whole.join(in, time.Time{})
		var got []byte
		now := time.Time{}
		for rest := in; len(rest) > 0; {
			n := len(rest)
			if len(cuts) > 0 {
				n, cuts = min(int(cuts[0])+1, n), cuts[1:]
			}
			got = append(got, cut.join(rest[:n], now)...)
			rest = rest[n:]
			if len(cut.held) > tornMost {
				t.Fatalf("%d bytes held", len(cut.held))
			}
		}
		if len(got)+len(cut.held) > len(in) || !subsequence(got, in) {
			t.Fatalf("%q came out of %q", got, in)
		}
		if clean(in) && !bytes.Equal(append(got, cut.held...), append(all, whole.held...)) {
			t.Fatalf("%q in parts, %q at once", got, all)
		}
	})
}

// clean tells whether no sequence is broken off by another.
func clean(in []byte) bool {
	for i := 0; i < len(in); {
		n, state := sequence(in[i:])
		if state == seqBroken {
			return false
		}
		i += n
	}
	return true
}

func subsequence(part, of []byte) bool {
	for _, b := range part {
		i := bytes.IndexByte(of, b)
		if i < 0 {
			return false
		}
		of = of[i+1:]
	}
	return true
}
