package ui

import "strconv"

// Style says what a cell means; a Theme says how that looks.
type Style uint8

// The styles. What a color says, a glyph says too.
const (
	Plain       Style = iota // the terminal's own
	Dim                      // less important text
	Bold                     // more important text
	Title                    // the heading of a pane
	TitleOn                  // the heading of the pane in focus
	Rule                     // lines between panes
	OK                       // a success
	OKBold                   // the result line of a success
	Retried                  // a failure that was retried, an own wait
	RetryBold                // the same, in a heading or chosen
	Final                    // a failure that ended it, a timeout, a cancel
	FinalBold                // the result line of a failure
	Server                   // what the server asked for
	Neutral                  // what did not happen, or not yet
	Window                   // the range of a wait
	Ahead                    // attempts that were not made
	Now                      // the cursor
	Focus                    // the thing the next key changes
	Selected                 // the chosen row
	Changed                  // a value that is not the preset's
	Off                      // a knob without effect
	Key                      // a key in a hint
	Warn                     // something to think about
	Err                      // an input that is wrong
	Reverse                  // reverse video
	OKText                   // words in the color of OK; marks and words are told apart
	RetriedText              // words in the color of Retried
	FinalText                // words in the color of Final
	ServerText               // words in the color of Server
	numStyles
)

// Profile is how many colors a terminal shows.
type Profile uint8

// The profiles.
const (
	ProfileTrue  Profile = iota // 24 bits
	Profile256                  // the xterm palette
	Profile16                   // the sixteen of ECMA-48 and aixterm
	ProfileNone                 // no color, but bold, dim and reverse video: NO_COLOR
	ProfilePlain                // no escape byte at all: a pipe, TERM=dumb
)

// ThemeName is a palette.
type ThemeName uint8

// The palettes. ThemeAuto is dark until the terminal says that its background is light.
const (
	ThemeAuto ThemeName = iota
	ThemeDark
	ThemeLight
	ThemeMono // no color, whatever the profile
)

var themeWords = [...]string{"auto", "dark", "light", "mono"}

// String is the word of --theme.
func (n ThemeName) String() string { return themeWords[min(int(n), len(themeWords)-1)] }

// ParseTheme reads the word of --theme; ok is false for any other.
func ParseTheme(s string) (name ThemeName, ok bool) {
	for i, w := range themeWords {
		if s == w {
			return ThemeName(i), true
		}
	}
	return ThemeAuto, false
}

// Theme is the escape sequence of each style; make it with NewTheme. The zero Theme writes no escape byte.
type Theme struct {
	// Name and Profile are what it was made from; a ThemeAuto has become dark or light.
	Name    ThemeName
	Profile Profile

	sgr [numStyles]string
}

// NewTheme is the theme of that name on a terminal of that profile; light counts for ThemeAuto alone.
func NewTheme(name ThemeName, light bool, p Profile) *Theme {
	if name == ThemeAuto {
		name = ThemeDark
		if light {
			name = ThemeLight
		}
	}
	t := &Theme{Name: name, Profile: p}
	if p == ProfilePlain {
		return t
	}
	for s := range numStyles {
		t.sgr[s] = t.sequence(styleTable[s])
	}
	return t
}

// SGR is the parameters of the escape sequence of a style, "" for the plain one: "1;38;5;81".
func (t *Theme) SGR(s Style) string {
	if s >= numStyles {
		return ""
	}
	return t.sgr[s]
}

// Hex is the color of a style as #rrggbb in the dark or light palette, "" where it has none; for pictures and for
// libraries that want a color of their own.
func (t *Theme) Hex(s Style) string {
	if s >= numStyles || styleTable[s].hue == hueNone || t.Name == ThemeMono || t.Profile >= ProfileNone {
		return ""
	}
	return palettes[t.Name == ThemeLight][styleTable[s].hue].hex
}

type hue uint8

const (
	hueNone hue = iota
	hueOK
	hueRetried
	hueFinal
	hueServer
	hueNeutral
	numHues
)

// look is a style before it meets a palette: a hue, and attributes that hold under every theme.
type look struct {
	hue  hue
	attr string
	// mono are the attributes where there is no color, "" for the same.
	mono string
}

var styleTable = [numStyles]look{
	Plain:       {},
	Dim:         {hue: hueNeutral, mono: "2"},
	Bold:        {attr: "1"},
	Title:       {hue: hueNeutral},
	TitleOn:     {attr: "1"},
	Rule:        {hue: hueNeutral, mono: "2"},
	OK:          {hue: hueOK},
	OKBold:      {hue: hueOK, attr: "1"},
	Retried:     {hue: hueRetried},
	RetryBold:   {hue: hueRetried, attr: "1"},
	Final:       {hue: hueFinal},
	FinalBold:   {hue: hueFinal, attr: "1"},
	Server:      {hue: hueServer},
	Neutral:     {hue: hueNeutral, mono: "2"},
	Window:      {hue: hueNeutral, mono: "2"},
	Ahead:       {hue: hueNeutral},
	Now:         {attr: "1"},
	Focus:       {hue: hueOK, attr: "1", mono: "1;7"},
	Selected:    {attr: "7"},
	Changed:     {hue: hueRetried, mono: "1"},
	Off:         {hue: hueNeutral, attr: "2"},
	Key:         {attr: "1"},
	Warn:        {hue: hueRetried, attr: "1"},
	Err:         {hue: hueFinal, attr: "1"},
	Reverse:     {attr: "7"},
	OKText:      {hue: hueOK},
	RetriedText: {hue: hueRetried},
	FinalText:   {hue: hueFinal},
	ServerText:  {hue: hueServer},
}

// ink is one color: exact, and its place in the two smaller palettes. These are chosen by hand: the nearest colors by
// distance make four of the five the same.
type ink struct {
	hex  string
	x256 uint8
	c16  uint8 // the SGR parameter
}

// palettes are told apart under protanopia, deuteranopia and tritanopia as well; theme_test.go measures it.
var palettes = map[bool][numHues]ink{
	false: { // on dark
		hueOK:      {"#5AC8FA", 81, 96},
		hueRetried: {"#E69F00", 214, 33},
		hueFinal:   {"#FF6B4A", 203, 91},
		hueServer:  {"#F0E442", 227, 95},
		hueNeutral: {"#999999", 246, 37},
	},
	true: { // on light
		hueOK:      {"#0072B2", 25, 34},
		hueRetried: {"#B35900", 130, 35},
		hueFinal:   {"#8B0000", 88, 31},
		hueServer:  {"#5B2A86", 54, 36},
		hueNeutral: {"#6B6B6B", 242, 90},
	},
}

func (t *Theme) sequence(l look) string {
	colored := l.hue != hueNone && t.Name != ThemeMono && t.Profile < ProfileNone
	if !colored {
		if l.mono != "" {
			return l.mono
		}
		return l.attr
	}
	c := palettes[t.Name == ThemeLight][l.hue].sequence(t.Profile)
	if l.attr == "" {
		return c
	}
	return l.attr + ";" + c
}

func (k ink) sequence(p Profile) string {
	switch p {
	case ProfileTrue:
		rgb, err := strconv.ParseUint(k.hex[1:], 16, 32)
		if err != nil {
			return "" // the tables are constants, and a test reads each
		}
		b := append(strconv.AppendUint([]byte("38;2;"), rgb>>16, 10), ';')
		b = append(strconv.AppendUint(b, rgb>>8&0xff, 10), ';')
		return string(strconv.AppendUint(b, rgb&0xff, 10))
	case Profile256:
		return "38;5;" + strconv.Itoa(int(k.x256))
	case Profile16:
		return strconv.Itoa(int(k.c16))
	case ProfileNone, ProfilePlain:
		return ""
	default:
		return ""
	}
}
