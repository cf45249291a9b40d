package ui

// Glyphs are the signs of the screen, one cell each. There are two sets: Unicode, for a locale that is UTF-8, and ASCII.
type Glyphs struct {
	ASCII bool

	// The outcome of an attempt.
	OK, Retried, Final, Cancelled rune
	// Bar is an attempt; Eighths are its last cell, from one eighth to a whole one.
	Bar     rune
	Eighths [8]rune
	// The phases of a live attempt.
	DNS, Connect, TLS, Answer, Body rune
	// A wait: its window, its fixed part, its drawn part, the value drawn, and one that is due or was overridden.
	Window, Fixed, Drawn, Mark, Due rune
	// A wait the server asked for, and its end; the end of one that was not taken.
	Server, ServerEnd, Deferred rune
	// Break is an axis left out; Timeout a limit; Cut the rest of a wait that was cut; Edge the start of a window ahead.
	Break     string
	Timeout   rune
	Cut, Edge rune
	// Now is the cursor, NowTop its end on the axis.
	Now, NowTop rune
	// More says that something goes on beyond the edge.
	MoreLeft, MoreRight, MoreUp, MoreDown rune
	// Lines of panes.
	H, V, Cross, TeeDown, TeeUp, TeeLeft, TeeRight rune
	TopLeft, TopRight, BottomLeft, BottomRight     rune
	// Signs in text.
	Dot, Dash, Arrow, Ellipsis, Times, To    string
	Pointer, Left, Right, Passed, Shut, None rune
	Warn, Up, Down, Skip                     rune
}

// Unicode is the set for a locale that is UTF-8. None of its signs is wide or an emoji.
func Unicode() *Glyphs {
	return &Glyphs{
		OK: '✓', Retried: '↻', Final: '✗', Cancelled: '⊗',
		Bar: '█', Eighths: [8]rune{'▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'},
		DNS: '▁', Connect: '▂', TLS: '▄', Answer: '█', Body: '▆',
		Window: '░', Fixed: '━', Drawn: '╌', Mark: '◆', Due: '◇',
		Server: '═', ServerEnd: '▶', Deferred: '⊣',
		Break: "⫽", Timeout: '╎', Cut: '┄', Edge: '▏',
		Now: '│', NowTop: '▼',
		MoreLeft: '‹', MoreRight: '›', MoreUp: '↑', MoreDown: '↓',
		H: '─', V: '│', Cross: '┼', TeeDown: '┬', TeeUp: '┴', TeeLeft: '┤', TeeRight: '├',
		TopLeft: '┌', TopRight: '┐', BottomLeft: '└', BottomRight: '┘',
		Dot: "·", Dash: "–", Arrow: "→", Ellipsis: "…", Times: "×", To: "–",
		Pointer: '▸', Left: '‹', Right: '›', Passed: '✓', Shut: '✗', None: '–',
		Warn: '!', Up: '↑', Down: '↓', Skip: '⋮',
	}
}

// ASCII is the set for every other locale.
func ASCII() *Glyphs {
	return &Glyphs{
		ASCII: true,
		OK:    'o', Retried: 'r', Final: 'x', Cancelled: 'c',
		Bar: '#', Eighths: [8]rune{'#', '#', '#', '#', '#', '#', '#', '#'},
		DNS: 'd', Connect: 'c', TLS: 't', Answer: 'w', Body: 'b',
		Window: '.', Fixed: '=', Drawn: '-', Mark: '*', Due: 'o',
		Server: '=', ServerEnd: '>', Deferred: '|',
		Break: "//", Timeout: '!', Cut: ':', Edge: '.',
		Now: '|', NowTop: 'v',
		MoreLeft: '<', MoreRight: '>', MoreUp: '^', MoreDown: 'v',
		H: '-', V: '|', Cross: '+', TeeDown: '+', TeeUp: '+', TeeLeft: '+', TeeRight: '+',
		TopLeft: '+', TopRight: '+', BottomLeft: '+', BottomRight: '+',
		Dot: "|", Dash: "-", Arrow: "->", Ellipsis: "...", Times: "*", To: "-",
		Pointer: '>', Left: '<', Right: '>', Passed: '+', Shut: 'x', None: '-',
		Warn: '!', Up: '^', Down: 'v', Skip: ':',
	}
}
