package ui

import "time"

// piece is a piece of a line in columns, to not included; none where to is not above from.
type piece struct{ from, to int }

// touches tells whether text from a to b would stand in the piece or right beside it.
func (p piece) touches(a, b int) bool { return p.to > p.from && a <= p.to && b >= p.from }

// drawAxis draws the first line: ticks, the timeout's name and the cursor. Labels never touch each other.
func (d *timeline) drawAxis(now int) {
	if d.cols.wordW >= 7 {
		d.g.Text(d.cols.num, 0, Dim, "attempt")
	}
	plot := d.g.sub(d.cols.plot, 0, d.axis.W, 1)
	var taken [2]piece // no tick may touch these
	if now >= 0 && now < plot.W {
		d.buf = appendTime(d.buf[:0], d.in.Now)
		plot.Set(now, 0, d.glyph.NowTop, Now)
		taken[0] = piece{now, now + 1}
		at := now + 1
		if w := TextWidth(string(d.buf)); at+w <= plot.W {
			plot.Text(at, 0, Now, string(d.buf))
			taken[0].to += w
		} else if at = now - w; at >= 0 {
			plot.Text(at, 0, Now, string(d.buf))
			taken[0].from = at
		}
	}
	taken[1] = d.nameTimeout(&plot, taken[0])
	next := 0
	d.axis.eachTick(func(t time.Duration) {
		at := d.axis.Col(t)
		d.buf = d.axis.appendTick(d.buf[:0], t)
		w := TextWidth(string(d.buf))
		if at < next || at+w > plot.W {
			return
		}
		for _, s := range taken {
			if s.touches(at, at+w) {
				return
			}
		}
		plot.Text(at, 0, Dim, string(d.buf))
		next = at + w + 1
	})
}

// nameTimeout writes the name of the timeout's line before it, or after it, or only its sign; a timeout beyond the edge
// stands at the edge. It returns the columns taken.
func (d *timeline) nameTimeout(plot *Grid, cursor piece) piece {
	limit := d.in.Policy.Timeout
	if limit <= 0 {
		return piece{}
	}
	text := "timeout " + FormatTime(limit)
	w := TextWidth(text)
	free := func(from, to int) bool {
		return from >= 0 && to <= plot.W && !cursor.touches(from, to)
	}
	col := d.late.X - d.cols.plot
	if d.late.W == 0 {
		from := plot.W - w - 1
		if d.axis.Col(limit) < plot.W || from < plot.W/2 || !free(from, plot.W) {
			return piece{}
		}
		plot.Text(from, 0, Final, text)
		plot.Set(plot.W-1, 0, d.glyph.MoreRight, Final)
		return piece{from, plot.W}
	}
	plot.Set(col, 0, d.glyph.Timeout, Final)
	switch {
	case free(col-w, col+1) && col-w > 3:
		plot.Text(col-w, 0, Final, text)
		return piece{col - w, col + 1}
	case free(col, col+1+w):
		plot.Text(col+1, 0, Final, text)
		return piece{col, col + 1 + w}
	}
	return piece{col, col + 1}
}
