package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestThemeOfEachProfile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    ThemeName
		light   bool
		profile Profile
		style   Style
		want    string
	}{
		{ThemeDark, false, ProfileTrue, OK, "38;2;90;200;250"},
		{ThemeAuto, false, ProfileTrue, OK, "38;2;90;200;250"},
		{ThemeAuto, true, ProfileTrue, OK, "38;2;0;114;178"},
		{ThemeLight, false, ProfileTrue, Server, "38;2;91;42;134"},
		{ThemeDark, true, Profile256, Retried, "38;5;214"},
		{ThemeLight, true, Profile16, FinalBold, "1;31"},
		{ThemeMono, false, ProfileTrue, OK, ""},
		{ThemeMono, false, ProfileTrue, Selected, "7"},
		{ThemeDark, false, ProfileNone, OK, ""},
		{ThemeDark, false, ProfileNone, Focus, "1;7"},
		{ThemeDark, false, ProfilePlain, Focus, ""},
		{ThemeDark, false, ProfilePlain, Selected, ""},
	} {
		if got := NewTheme(c.name, c.light, c.profile).SGR(c.style); got != c.want {
			t.Errorf("%v light=%v profile %d style %d: got %q, want %q", c.name, c.light, c.profile, c.style, got, c.want)
		}
	}
	for _, name := range []ThemeName{ThemeAuto, ThemeDark, ThemeLight, ThemeMono} {
		if got, ok := ParseTheme(name.String()); got != name || !ok {
			t.Errorf("%v reads back as %v, %v", name, got, ok)
		}
	}
	if _, ok := ParseTheme("solarized"); ok {
		t.Error("an unknown theme was read")
	}
}

// No color where none is wanted: attributes only, which have one digit.
func TestNoColorMeansNoColor(t *testing.T) {
	t.Parallel()
	for s := range numStyles {
		for _, th := range []*Theme{
			NewTheme(ThemeDark, false, ProfileNone), NewTheme(ThemeLight, true, ProfileNone), NewTheme(ThemeMono, false, ProfileTrue),
		} {
			for p := range strings.SplitSeq(th.SGR(s), ";") {
				if len(p) > 1 {
					t.Errorf("style %d has the color %q", s, th.SGR(s))
				}
			}
		}
	}
}

// The five colors of a palette differ in each profile, also on the screen of somebody who sees two kinds of cones.
func TestPaletteIsToldApart(t *testing.T) {
	t.Parallel()
	eyes := map[string][9]float64{ // Viénot 1999 and Brettel 1997, on linear RGB
		"all three":    {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia":   {0.11238, 0.88762, 0, 0.11238, 0.88762, 0, 0.00401, -0.00401, 1},
		"deuteranopia": {0.29275, 0.70725, 0, 0.29275, 0.70725, 0, -0.02234, 0.02234, 1},
		"tritanopia":   {1, 0.14461, -0.14461, 0, 0.85924, 0.14076, 0, 0.85924, 0.14076},
	}
	for light, inks := range palettes {
		t.Run(fmt.Sprintf("light=%v", light), func(t *testing.T) {
			t.Parallel()
			for a := hueOK; a < numHues; a++ {
				for b := a + 1; b < numHues; b++ {
					if inks[a].x256 == inks[b].x256 || inks[a].c16 == inks[b].c16 {
						t.Errorf("hues %d and %d are the same in a small palette", a, b)
					}
					for eye, m := range eyes {
						if d := distance(see(m, inks[a].hex), see(m, inks[b].hex)); d < 8 {
							t.Errorf("%s: %s and %s are %.1f apart, want 8", eye, inks[a].hex, inks[b].hex, d)
						}
					}
				}
				back := "#1E1E1E"
				if light {
					back = "#FFFFFF"
				}
				if c := contrast(inks[a].hex, back); c < 4.5 {
					t.Errorf("%s on %s has a contrast of %.1f, want 4.5", inks[a].hex, back, c)
				}
			}
		})
	}
}

func linear(hex string) (v [3]float64) {
	for i := range v {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			panic(err)
		}
		if c := float64(n) / 255; c <= 0.04045 {
			v[i] = c / 12.92
		} else {
			v[i] = math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return v
}

func luminance(v [3]float64) float64 { return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2] }

func contrast(a, b string) float64 {
	x, y := luminance(linear(a)), luminance(linear(b))
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func see(m [9]float64, hex string) (lab [3]float64) {
	c := linear(hex)
	var v [3]float64
	for i := range v {
		v[i] = min(max(m[3*i]*c[0]+m[3*i+1]*c[1]+m[3*i+2]*c[2], 0), 1)
	}
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x := f((0.4124*v[0] + 0.3576*v[1] + 0.1805*v[2]) / 0.95047)
	y := f(luminance(v))
	z := f((0.0193*v[0] + 0.1192*v[1] + 0.9505*v[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
