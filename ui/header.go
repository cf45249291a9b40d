package ui

import (
	"strconv"
	"strings"

	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// sourceText is where the answers come from.
func sourceText(d *doc) string {
	if d.live {
		return methodOf(&d.request) + " " + trace.RedactURL(d.request.URL)
	}
	return "script: " + strings.Join(strings.Fields(strings.ReplaceAll(clip(d.text), "\n", ", ")), " ")
}

// shortSource is the source without what is least missed, for a header with little room: how long each answer takes.
func shortSource(d *doc) string {
	if d.live || d.script.Mode() != script.ByCount {
		return sourceText(d)
	}
	out := "script: "
	for i := range min(d.script.Len(), 20) {
		step := d.script.Step(i)
		step.Latency = 0
		if i > 0 {
			out += ", "
		}
		out += step.String()
	}
	return out
}

const programName = "retryscope"

// leastSource is how many cells of a source are worth more than a seed.
const leastSource = 24

// drawHeader is what runs, under which policy, from which seed, and where the cursor is.
func (m *Model) drawHeader() {
	g := &m.paint.grid
	room := g.W - 4 - len(programName) - 2 // for the source and what stands at the end
	source, right := m.headerOf(room)
	x := g.TextRight(g.W-1, 0, Plain, right)
	if i := strings.Index(right, "LIVE"); m.shownDoc().live && i >= 0 {
		g.Restyle(x+TextWidth(right[:i]), 0, 4, FinalBold)
	}
	at := g.Text(1, 0, Bold, programName) + 2
	cutMiddle(g, at, 0, x-2-at, Plain, source, m.paint.glyphs.Ellipsis)
}

// headerOf words the header for so much room: the source, and what stands at the end of the line.
func (m *Model) headerOf(room int) (source, right string) {
	d := m.shownDoc()
	if d.live {
		return m.liveHeader(room)
	}
	label, seed, at := trace.Clean(d.label()), "seed "+strconv.FormatUint(d.seed, 10), m.cursorWords()
	long, tight := label+"  "+seed+"  "+at, label+"  "+seed+" "+at
	p := &m.paint
	for _, right := range []string{long, tight} {
		for _, source := range []string{p.source, p.short} {
			if TextWidth(source)+TextWidth(right) <= room {
				return source, right
			}
		}
	}
	if TextWidth(tight)+leastSource <= room {
		return p.short, tight
	}
	return p.short, label + "  " + at // the seed can be read when there is more room
}

// liveHeader is that of a real request: its host stands as long as anything does.
func (m *Model) liveHeader(room int) (source, right string) {
	d := m.shownDoc()
	state := "LIVE"
	if m.replaying() {
		state = "replay " + m.cursorWords()
	}
	sends, few := "", ""
	if most := m.live.most; most > 0 {
		used := strconv.Itoa(m.live.used)
		sends = used + " of " + strconv.Itoa(most) + " sends"
		few = " " + used + "/" + strconv.Itoa(most)
	}
	label := trace.Clean(d.label())
	rights := []string{
		joined("   ", "policy "+label, state, sends), joined("  ", label, state, sends), joined("  ", state, sends), state + few,
	}
	full := m.paint.source
	for _, right := range rights[:2] {
		if TextWidth(full)+TextWidth(right) <= room {
			return full, right
		}
	}
	for _, right := range rights {
		if n := room - TextWidth(right); TextWidth(hostPart(full)) < n-1 {
			return cutAddress(full, n, m.paint.glyphs.Ellipsis), right
		}
	}
	right = rights[len(rights)-1]
	return cutAddress(full, room-TextWidth(right), m.paint.glyphs.Ellipsis), right
}

// joined joins what is not empty.
func joined(gap string, parts ...string) string {
	out := ""
	for _, part := range parts {
		if out != "" && part != "" {
			out += gap
		}
		out += part
	}
	return out
}

// hostPart is a request up to the end of its host.
func hostPart(source string) string {
	i := strings.Index(source, "://")
	if i < 0 {
		return source
	}
	from := i + len("://")
	if n := strings.IndexAny(source[from:], "/?#"); n >= 0 {
		return source[:from+n]
	}
	return source
}

// cutAddress is a request in w cells: first the middle of the path is left out, then the path, then the scheme.
func cutAddress(source string, w int, ellipsis string) string {
	if TextWidth(source) <= w {
		return source
	}
	host := hostPart(source)
	if len(host) == len(source) {
		return source
	}
	mark := "/" + ellipsis
	if n := w - TextWidth(host+mark); n >= 0 {
		if n < 3 {
			n = 0 // the end of a path in a letter or two says nothing
		}
		return host + mark + lastCells(source[len(host):], n)
	}
	method, rest, _ := strings.Cut(host, " ")
	if _, after, ok := strings.Cut(rest, "://"); ok {
		host = method + " " + after
	}
	if TextWidth(host+mark) <= w {
		return host + mark
	}
	return host
}

// cursorWords say where the cursor is, whether it plays, and how fast.
func (m *Model) cursorWords() string {
	c := &m.cursor
	speed := speedWords[c.speed] + m.paint.glyphs.Times
	switch {
	case c.playing:
		return "playing " + clockText(c.at) + " at " + speed
	case c.atEnd:
		return "at end"
	default:
		return "at " + clockText(c.at)
	}
}
