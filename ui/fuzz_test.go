package ui

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/retryscope/retryscope/engine"
	"github.com/retryscope/retryscope/lab"
	"github.com/retryscope/retryscope/script"
	"github.com/retryscope/retryscope/trace"
)

// fuzzKeys are the keys a fuzzed byte stands for.
func fuzzKeys() []string {
	out := []string{"ctrl+j", "ctrl+k", "ctrl+u", "ctrl+w", "backspace", "delete", "alt+enter", "2", "0", "s", "m"}
	for i := range commandTable {
		out = append(out, commandTable[i].keys...)
	}
	return out
}

// FuzzUpdate sends any sizes, keys, clicks, pastes and ticks: there is no panic, and every frame keeps the laws.
func FuzzUpdate(f *testing.F) {
	f.Add([]byte("\x00\x50\x18"))
	f.Add([]byte("\x01\x10\x01\x11\x01\x12\x05\xff\x05\xff\x03\x10\x10"))
	f.Add([]byte("\x01\x46\x04\x20curl --retry 5 --retry-delay 2 x\x01\x17"))
	f.Add([]byte("\x04hello\x1b[2Jworld\n\x00\x01\x02\x05\x80"))
	keys := append(fuzzKeys(), "S")
	for i := range keys {
		f.Add([]byte{0, 80, 24, 1, byte(i), 1, byte(i + 1), 5, 200, 1, byte(i), 0, 60, 15, 1, 3, 1, 11})
		f.Add([]byte{0x80, 120, 40, 1, byte(len(keys) - 1), 5, 10, 1, byte(i), 5, 10, 5, 10, 5, 10, 1, byte(i)})
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 400 {
			return // long enough to reach everything
		}
		live := len(in) > 0 && in[0]&0x80 != 0
		m := newScreen(t, 80, 24, func(o *Options) {
			o.Copy = func(string) (string, error) { return "/f", nil }
			o.Open = func(string) (engine.Policy, error) { return engine.Policy{}, errTest }
			o.Mouse = true
			o.Read = func(string) (string, error) { return "attempts=3", nil }
			o.SaveText = func(string, string, bool) (string, error) { return "/f", nil }
			o.TOML = func(string) (engine.Policy, error) { return engine.Policy{}, errTest }
			if live {
				o.Live = &cannedLive{}
			}
		})
		clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		next := func() byte {
			if len(in) == 0 {
				return 0
			}
			b := in[0]
			in = in[1:]
			return b
		}
		for len(in) > 0 {
			switch next() % 6 {
			case 0:
				m.Update(tea.WindowSizeMsg{Width: int(next()), Height: int(next() % 100)})
			case 1, 2:
				press(m, keys[int(next())%len(keys)])
			case 3:
				x, y := int(next()), int(next())
				m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
				m.Update(tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown})
			case 4:
				n := min(int(next()), len(in))
				m.Update(tea.PasteMsg{Content: string(in[:n])})
				in = in[n:]
			case 5:
				clock = clock.Add(time.Duration(next()) * 10 * time.Millisecond)
				f := frameMsg{gen: m.cursor.gen, at: clock}
				if m.live.running {
					f.live = glance(m.opts.Live)
				}
				m.Update(f)
				fuzzRuns(m)
			}
			if frame := m.View().Content; lawful(frame, m.paint.w, m.paint.h) != nil {
				t.Fatalf("%v in\n%s", lawful(frame, m.paint.w, m.paint.h), m.paint.grid.Plain())
			}
			if err := m.doc.policy.Validate(); err != nil {
				t.Fatalf("the policy is not valid: %v", err)
			}
		}
	})
}

// fuzzRuns has what is simulated in the back come in, where it is little: the last one wanted, and one that is stale.
func fuzzRuns(m *Model) {
	if r := &m.dist.runs; r.cancel != nil && r.result != nil && r.result.Draws == firstDraws {
		m.Update(r.next()())
		m.Update(drawnMsg{gen: r.gen - 1})
	}
	if r := &m.fleet.runs; r.cancel != nil {
		m.Update(laneMsg{gen: r.gen, key: r.lanes[0].key, sum: r.lanes[0].sum})
		m.Update(laneMsg{gen: r.gen - 1})
	}
}

// FuzzField types and pastes into a field: the cursor stays in the text, and a line has no line break.
func FuzzField(f *testing.F) {
	f.Add("503, 200", []byte("abc"), true)
	f.Add("a\nb\x1b]52;c;x\x07", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, false)
	keys := []string{"left", "right", "home", "end", "up", "down", "ctrl+w", "ctrl+u", "ctrl+k", "backspace", "delete", "alt+b", "alt+f", "x"}
	f.Fuzz(func(t *testing.T, text string, in []byte, many bool) {
		e := newField(text, many)
		e.paste(text)
		for _, b := range in {
			e.key(keyOf(keys[int(b)%len(keys)]))
			if e.at < 0 || e.at > len(e.text) {
				t.Fatalf("the cursor is at %d of %d", e.at, len(e.text))
			}
			if s := e.String(); !many && strings.ContainsAny(s, "\n\r\t\x1b") {
				t.Fatalf("the field holds %q", s)
			}
			if _, cur := e.window(int(b) % 20); cur < 0 || cur > int(b)%20 {
				t.Fatalf("the cursor shows at %d of %d", cur, int(b)%20)
			}
		}
	})
}

// FuzzTurn turns knobs: what comes out is a valid policy, or the one that went in.
func FuzzTurn(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, in []byte) {
		p := engine.Default()
		for len(in) >= 2 {
			n := binary.BigEndian.Uint16(in)
			in = in[2:]
			k := knob(n % uint16(knobMethod))
			by := 1
			if n&0x8000 != 0 {
				by = -1
			}
			q, err := turned(p, k, by, n&0x4000 != 0)
			if err != nil && q != p {
				t.Fatalf("%s: an error and another policy", k.spec().field)
			}
			if err := q.Validate(); err != nil {
				t.Fatalf("%s: %v", k.spec().field, err)
			}
			if again, err := engine.ParsePolicy(q.String(), engine.Default()); err != nil || again != q {
				t.Fatalf("%s does not read back: %v", q.String(), err)
			}
			p = q
		}
	})
}

// cannedLive is a live source that answers at once from a script: every look shows one attempt more.
type cannedLive struct {
	all   *trace.Trace
	seen  int
	ended bool
}

func (c *cannedLive) Start(p engine.Policy, r lab.Request) error {
	s, err := script.Parse("503 latency=1s, 429 after=2, reset, 503 x5, 200")
	if err != nil {
		return err
	}
	c.all = lab.Scripted(lab.Config{Policy: p, Request: r, Script: s, Seed: 7, Draw: -1, CancelAt: never, SignOutAt: never})
	c.all.Head.Live = true
	c.seen, c.ended = 0, false
	return nil
}

func (c *cannedLive) Snapshot() *trace.Trace {
	if c.all == nil {
		return nil
	}
	t := *c.all
	c.seen++
	if c.seen < len(t.Attempts) && !c.ended {
		t.Attempts = t.Attempts[:c.seen]
		t.Done = nil
	}
	return &t
}

func (c *cannedLive) Elapsed() time.Duration        { return time.Duration(c.seen) * time.Second }
func (c *cannedLive) SetPolicy(engine.Policy) error { return nil }
func (c *cannedLive) Cancel()                       { c.ended = true }
func (c *cannedLive) SignOut()                      { c.ended = true }
func (c *cannedLive) Sends() (used, most int)       { return c.seen, 100 }
