package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
)

var methodWords = []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}

// The rows of the request dialog.
const (
	rowMethod = iota
	rowURL
	rowKey
	rowBody
	rowOnce
	numRequestRows
)

// maskRune stands for what is not shown of an address, masked3 for a key that is not shown at all.
const (
	maskRune = '•'
	masked3  = "•••"
)

// requestDialog edits what is sent. What it means for trying again shows at once.
type requestDialog struct {
	policy  engine.Policy
	request lab.Request
	fields  [numRequestRows]field // those of URL, key and body
	at      int
	// masked is the address without its secrets, raw the one with them: only the first is ever shown.
	masked, raw string
	rawKey      string // the key as it was, which shows as masked3 until another is typed
	// live says that it will be sent for real, so that the address has to be a good one; canLive that it may come to that.
	live, canLive bool
	wrong         string
}

func newRequestDialog(p engine.Policy, r lab.Request, masked string, at int) *requestDialog {
	d := &requestDialog{policy: p, request: r, masked: masked, raw: r.URL, at: at}
	d.fields[rowURL] = newField(masked, false)
	if d.rawKey = r.Key; r.Key != "" {
		d.fields[rowKey] = newField(masked3, false)
	}
	d.fields[rowBody] = newField(string(r.Body), false)
	return d
}

func (d *requestDialog) title() string { return "Request" }

func (d *requestDialog) foot() string {
	return "↑↓ line  ←→ method  enter takes it  esc leaves the old"
}

func (d *requestDialog) rows(int) int { return numRequestRows + 3 }

func (d *requestDialog) key(k tea.KeyPressMsg) reply {
	switch k.Keystroke() {
	case "esc":
		return closed{}
	case "enter":
		return d.take()
	case "up", "shift+tab":
		d.at = (d.at + numRequestRows - 1) % numRequestRows
	case "down", "tab":
		d.at = (d.at + 1) % numRequestRows
	default:
		return d.edit(k)
	}
	return nil
}

func (d *requestDialog) take() reply {
	if d.request.URL != d.raw && strings.ContainsRune(d.request.URL, maskRune) {
		d.wrong, d.at = "what is masked has to be typed again", rowURL
		return nil
	}
	if d.request.Key != d.rawKey && strings.ContainsRune(d.request.Key, maskRune) {
		d.wrong, d.at = "what is masked has to be typed again", rowKey
		return nil
	}
	if d.live || d.request.URL != "" {
		if err := d.request.Check(); err != nil {
			d.wrong = err.Error()
			return nil
		}
	}
	return takes{requestEdit{d.request, d.goesLive()}}
}

// goesLive tells whether a URL was typed that a request can be sent to.
func (d *requestDialog) goesLive() bool {
	return d.canLive && d.request.URL != d.raw && d.request.Check() == nil
}

func (d *requestDialog) edit(k tea.KeyPressMsg) reply {
	d.wrong = ""
	switch d.at {
	case rowMethod:
		return d.turnMethod(k)
	case rowOnce:
		switch k.Keystroke() {
		case "space", "left", "right", "h", "l":
			d.request.BodyOnce = !d.request.BodyOnce
			return d.show()
		}
		return nil
	}
	if d.fields[d.at].key(k) {
		return d.show()
	}
	return nil
}

func (d *requestDialog) turnMethod(k tea.KeyPressMsg) reply {
	now := methodOf(&d.request)
	switch key := k.Keystroke(); key {
	case "left", "h":
		d.request.Method = cycle(methodWords, now, -1)
	case "right", "l", "space":
		d.request.Method = cycle(methodWords, now, 1)
	default:
		// A letter goes to the next method that begins with it.
		from := slices.Index(methodWords, now)
		for i := range methodWords {
			w := methodWords[(from+1+i)%len(methodWords)]
			if k.Text != "" && strings.HasPrefix(w, strings.ToUpper(k.Text)) {
				d.request.Method = w
				return d.show()
			}
		}
		return nil
	}
	return d.show()
}

func (d *requestDialog) paste(text string) reply {
	if d.at == rowMethod || d.at == rowOnce {
		return nil
	}
	d.fields[d.at].paste(text)
	return d.show()
}

// show brings the fields into the request and tries it out.
func (d *requestDialog) show() reply {
	d.request.URL = strings.TrimSpace(d.fields[rowURL].String())
	if d.request.URL == d.masked {
		d.request.URL = d.raw
	}
	if d.request.Key = strings.TrimSpace(d.fields[rowKey].String()); d.request.Key == masked3 {
		d.request.Key = d.rawKey
	}
	body := d.fields[rowBody].String()
	d.request.Body, d.request.HasBody = []byte(body), body != ""
	tried := d.request
	if d.halfTyped() != nil {
		tried.URL = d.raw // nobody could send it yet: the rest is tried out as before
	}
	return shows{requestEdit{tried, d.goesLive()}}
}

// halfTyped is what an address lacks that was begun and cannot be sent to yet.
func (d *requestDialog) halfTyped() error {
	if d.request.URL == "" || d.request.URL == d.raw {
		return nil
	}
	r := lab.Request{URL: d.request.URL}
	return r.Check()
}

func (d *requestDialog) draw(g *Grid, gl *Glyphs) place {
	const x = 19
	labels := [numRequestRows]string{"method", "URL", "idempotency key", "body", "body read once"}
	var cur place
	for i, label := range labels {
		style := Plain
		if i == d.at {
			style = Focus
			g.Set(0, i, gl.Pointer, Focus)
		}
		g.Text(2, i, style, label)
		switch i {
		case rowMethod:
			end := g.Text(x, i, style, methodOf(&d.request))
			if i == d.at {
				g.Set(x-2, i, gl.Left, Focus)
				g.Set(end+1, i, gl.Right, Focus)
			}
		case rowOnce:
			g.Text(x, i, style, onceWord(d.request.BodyOnce))
		default:
			if c := drawField(g, x, i, &d.fields[i], i == d.at); c.shown {
				cur = c
			}
		}
	}
	d.drawVerdict(g.Sub(0, numRequestRows, g.W, 2), gl)
	if err := d.halfTyped(); err != nil && d.wrong == "" {
		g.TextCut(0, numRequestRows+2, g.W, Dim, "not tried out yet: "+err.Error(), gl.Ellipsis)
		return cur
	}
	g.TextCut(0, numRequestRows+2, g.W, Err, d.wrong, gl.Ellipsis)
	return cur
}

func onceWord(once bool) string {
	if once {
		return "yes: it cannot be made again"
	}
	return "no: it can be made again"
}

// drawVerdict says what the engine would make of a failure of this request: whether a second send is safe.
func (d *requestDialog) drawVerdict(g *Grid, gl *Glyphs) {
	p := d.policy
	o := engine.Outcome{Kind: engine.KindStatus, Status: 503}
	f := engine.Facts{
		Allowance: engine.NoLimit, Sends: engine.NoLimit, Tokens: p.Budget.Capacity,
		Safety: p.Safety(d.request.Method, keyed(&d.request)), Body: bodyOf(&d.request), Method: methodOf(&d.request),
	}
	_, dec := p.Next(engine.State{}, &o, &f, 0)
	idempotent, replayable := dec.Gates.At(engine.GateIdempotent), dec.Gates.At(engine.GateReplayable)
	if idempotent == engine.Open && replayable == engine.Open {
		x := g.Text(0, 0, OKBold, string(gl.Passed)+" may be sent again")
		g.TextCut(x, 0, g.W-x, Plain, ": "+p.Why(engine.GateIdempotent, &dec, &o, &f), gl.Ellipsis)
		g.TextCut(2, 1, g.W-2, Dim, p.Why(engine.GateReplayable, &dec, &o, &f), gl.Ellipsis)
		return
	}
	gate := engine.GateIdempotent
	if idempotent == engine.Open {
		gate = engine.GateReplayable
	}
	const once = " is sent once"
	g.Text(0, 0, FinalBold, string(gl.Shut)+once)
	lines := wrap(string(gl.Shut)+once+": "+p.Why(gate, &dec, &o, &f), g.W)
	for i, line := range lines {
		if i == 0 {
			g.Text(1+len(once), 0, Plain, strings.TrimPrefix(line, string(gl.Shut)+once))
		} else {
			g.Text(2, i, Plain, line)
		}
	}
	if len(lines) == 1 {
		g.TextCut(2, 1, g.W-2, Dim, "one that did not get through to the server may be tried again all the same", gl.Ellipsis)
	}
}

func bodyOf(r *lab.Request) engine.Body {
	switch {
	case !r.HasBody:
		return engine.BodyNone
	case r.BodyOnce:
		return engine.BodyOnce
	default:
		return engine.BodyReplayable
	}
}
