package ui

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// checkGrid holds every string made of a grid to its law: H lines of exactly W cells, and no control byte but the
// escape sequences of the theme.
func checkGrid(t *testing.T, g *Grid, th *Theme) {
	t.Helper()
	s := g.String(th)
	if g.H == 0 {
		if s != "" {
			t.Fatalf("a grid without lines made %q", s)
		}
		return
	}
	lines := strings.Split(s, "\n")
	if len(lines) != g.H {
		t.Fatalf("%d lines, want %d", len(lines), g.H)
	}
	for y, line := range lines {
		if w := ansi.StringWidth(line); w != g.W {
			t.Fatalf("line %d is %d cells, want %d: %q", y, w, g.W, line)
		}
		for _, r := range ansi.Strip(line) {
			if unicode.IsControl(r) {
				t.Fatalf("line %d holds the control byte %U", y, r)
			}
		}
	}
	if th.Profile == ProfilePlain && strings.ContainsRune(s, '\x1b') {
		t.Fatalf("an escape byte under a plain profile: %q", s)
	}
}

// What is let through without a look is what the look lets through.
func TestSafeRunesAreNarrow(t *testing.T) {
	t.Parallel()
	for r := rune(0xa1); r < 0x3000; r++ {
		if safeRune(r) == r && narrow(r) != r {
			t.Errorf("%U is let through, its width says %U", r, narrow(r))
		}
	}
}

func TestGridCleansWhatIsDrawn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"plain", "abc", "abc"},
		{"box drawing", "─│░█✓↻", "─│░█✓↻"},
		{"clipboard", "a\x1b]52;c;SGk=\x07b", "a]52;c;SGk=b"},
		{"csi and c1", "a\x1b[2Jb\u009b31mc", "a[2Jb31mc"},
		{"line breaks", "a\r\nb\tc", "a  b c"},
		{"zero width and direction", "a\u200bb\u202ec\u2066d\u0301", "abcd"},
		{"wide", "日本x", "??x"},
		{"emoji", "a👍🏽b", "a??b"},
		{"joins a neighbor", "a\U00011362b\u0903c", "a?b?c"},
		{"not utf-8", "a\xffb", "a?b"},
		{"delete and soft hyphen", "a\x7fb\u00adc", "abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := NewGrid(30, 1)
			end := g.Text(0, 0, OK, c.in)
			if got := g.Plain(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if end != TextWidth(c.in) || end != len([]rune(c.want)) {
				t.Errorf("ends at %d, TextWidth %d, want %d", end, TextWidth(c.in), len([]rune(c.want)))
			}
			checkGrid(t, g, NewTheme(ThemeDark, false, ProfileTrue))
		})
	}
}

func TestGridClips(t *testing.T) {
	t.Parallel()
	g := NewGrid(5, 2)
	if x := g.Text(3, 0, Plain, "abcdef"); x != 9 {
		t.Errorf("Text ends at %d, want 9", x)
	}
	g.Text(-2, 1, Plain, "abcdef")
	g.Text(0, 7, Plain, "no")
	g.Set(-1, 0, 'x', Plain)
	g.Set(5, 0, 'x', Plain)
	g.Fill(4, 0, 100, '#', Plain)
	g.Fill(0, -1, 5, '#', Plain)
	if got := g.Plain(); got != "   a#\ncdef" {
		t.Errorf("got %q", got)
	}
	for _, size := range [][2]int{{0, 0}, {-5, 3}, {3, -5}, {1, 1}, {0, 4}, {1 << 40, 0}} {
		g := NewGrid(size[0], size[1])
		g.Text(0, 0, OK, "text")
		g.Sub(1, 1, 10, 10).Text(0, 0, OK, "text")
		checkGrid(t, g, &Theme{})
	}
}

func TestGridSub(t *testing.T) {
	t.Parallel()
	g := NewGrid(6, 3)
	s := g.Sub(2, 1, 3, 9)
	if s.W != 3 || s.H != 2 {
		t.Fatalf("the part is %dx%d, want 3x2", s.W, s.H)
	}
	s.Text(0, 0, Plain, "abcdef")
	s.Sub(1, 1, 1, 1).Text(0, 0, Plain, "xyz")
	if got := g.Plain(); got != "\n  abc\n   x" {
		t.Errorf("got %q", got)
	}
	if s := g.Sub(-1, -1, 3, 3); s.W != 2 || s.H != 2 {
		t.Errorf("a part from the outside is %dx%d, want 2x2", s.W, s.H)
	}
}

func TestGridTextCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		w              int
		text, dots, to string
	}{
		{5, "abc", "…", "abc"},
		{5, "abcde", "…", "abcde"},
		{5, "abcdef", "…", "abcd…"},
		{5, "abcdef", "...", "ab..."},
		{1, "abcdef", "…", "…"},
		{2, "abcdef", "...", ".."},
		{0, "abcdef", "…", ""},
		{3, "日本語日本", "…", "??…"},
	} {
		g := NewGrid(12, 1)
		g.TextCut(0, 0, c.w, Plain, c.text, c.dots)
		if got := g.Plain(); got != c.to {
			t.Errorf("%q in %d: got %q, want %q", c.text, c.w, got, c.to)
		}
	}
}

func TestGridWritesOneSequenceARun(t *testing.T) {
	t.Parallel()
	g := NewGrid(8, 1)
	g.Text(1, 0, OK, "aaa")
	g.Text(4, 0, Final, "bb")
	th := NewTheme(ThemeDark, false, Profile16)
	if got, want := g.String(th), " \x1b[0;96maaa\x1b[0;91mbb\x1b[0m  "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	g.Reset(3, 1)
	if got := g.String(th); got != "   " {
		t.Errorf("after Reset: %q", got)
	}
}

func FuzzGridText(f *testing.F) {
	f.Add("503 Service \x1b[31mUnavailable", 10, 3)
	f.Add("日本\x00\u202e👍🏽é", 4, -1)
	f.Fuzz(func(t *testing.T, s string, w, x int) {
		g := NewGrid(w%300, 2)
		x %= 400
		if end := g.Text(x, 0, OK, s); end != x+TextWidth(s) {
			t.Errorf("ends at %d, want %d", end, x+TextWidth(s))
		}
		g.TextCut(0, 1, w%300, Final, s, "…")
		checkGrid(t, g, NewTheme(ThemeDark, false, Profile256))
	})
}
