package sim

import (
	"cmp"
	"math/bits"
	"slices"
)

// event is what happens at an instant: 16 bytes, ordered by time and then by key, so that no two orders of pushing give
// two orders of happening.
type event struct {
	at  int64  // ns
	key uint64 // kind, then who, then the generation
}

// The key of an event: 4 bits of kind, 32 of who, 28 of generation. Kinds that share an instant happen in their order.
const (
	genBits = 28
	genMask = 1<<genBits - 1
)

func keyOf(k kind, who, gen uint32) uint64 {
	return uint64(k)<<60 | uint64(who)<<genBits | uint64(gen&genMask)
}

func (e event) kind() kind  { return kind(e.key >> 60) }
func (e event) who() uint32 { return uint32(e.key >> genBits) }
func (e event) gen() uint32 { return uint32(e.key & genMask) }

func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.key < o.key }

func compareEvents(a, b event) int {
	if c := cmp.Compare(a.at, b.at); c != 0 {
		return c
	}
	return cmp.Compare(a.key, b.key)
}

// The wheel's figures: a bucket is 2^grain ns (about 0.13 ms), and a level has 2^digit slots.
const (
	grain  = 17
	digit  = 10
	slots  = 1 << digit
	levels = 5  // covers every int64 of nanoseconds
	chunk  = 20 // events of a chunk
	block  = 6  // 2^block chunks are allocated at a time
)

// wheel is a priority queue for events that are never pushed before the one popped last: a radix heap with 1024 slots a
// level, whose finest level is a calendar of sorted days. A push is a few writes; a pop sorts a day of a few events.
type wheel struct {
	now   int64   // the bucket that is open, in grains
	day   []event // the open bucket, sorted; the rest of it from next on
	next  int
	fresh bool    // the day was opened since somebody looked
	late  []event // a heap of what was pushed into the open bucket
	size  int
	heads [levels][slots]int32 // the newest chunk of each slot, 0 for none
	used  [levels][slots / 64]uint64
	full  []*[1 << block]chunkOf // chunks in blocks, so that growing moves none
	free  int32
	made  int32
}

type chunkOf struct {
	next   int32
	n      int32
	events [chunk]event
}

func (w *wheel) at(i int32) *chunkOf { return &w.full[i>>block][i&(1<<block-1)] }

func (w *wheel) take() int32 {
	if i := w.free; i != 0 {
		w.free = w.at(i).next
		return i
	}
	w.made++
	if int(w.made>>block) >= len(w.full) {
		w.full = append(w.full, new([1 << block]chunkOf))
	}
	return w.made
}

// len is the number of events in it.
func (w *wheel) len() int { return w.size }

// push adds an event, not before the one popped last.
func (w *wheel) push(e event) {
	w.size++
	w.place(e)
}

func (w *wheel) place(e event) {
	b := e.at >> grain
	if b <= w.now {
		w.late = append(w.late, e)
		w.up(len(w.late) - 1)
		return
	}
	level := (63 - bits.LeadingZeros64(uint64(b^w.now))) / digit
	slot := int(b>>(level*digit)) & (slots - 1)
	i := w.heads[level][slot]
	if i == 0 || w.at(i).n == chunk {
		j := w.take()
		c := w.at(j)
		c.next, c.n = i, 0
		w.heads[level][slot] = j
		w.used[level][slot>>6] |= 1 << (slot & 63)
		i = j
	}
	c := w.at(i)
	c.events[c.n] = e
	c.n++
}

// peek is the time of the earliest event.
func (w *wheel) peek() (int64, bool) {
	if w.size == 0 {
		return 0, false
	}
	if w.next == len(w.day) && len(w.late) == 0 {
		w.open()
	}
	if w.next < len(w.day) && (len(w.late) == 0 || w.day[w.next].before(w.late[0])) {
		return w.day[w.next].at, true
	}
	return w.late[0].at, true
}

// pop takes the earliest event; there must be one.
func (w *wheel) pop() event {
	if w.next == len(w.day) && len(w.late) == 0 {
		w.open()
	}
	w.size--
	if w.next < len(w.day) && (len(w.late) == 0 || w.day[w.next].before(w.late[0])) {
		e := w.day[w.next]
		w.next++
		return e
	}
	e := w.late[0]
	last := len(w.late) - 1
	w.late[0] = w.late[last]
	w.late = w.late[:last]
	w.down(0)
	return e
}

// open goes on to the next bucket that holds anything.
func (w *wheel) open() {
	w.day, w.next = w.day[:0], 0
	for level := 0; ; level++ {
		shift := level * digit
		slot := w.after(level, int(w.now>>shift)&(slots-1))
		if slot < 0 {
			continue
		}
		i := w.heads[level][slot]
		w.heads[level][slot] = 0
		w.used[level][slot>>6] &^= 1 << (slot & 63)
		w.now = w.now>>(shift+digit)<<(shift+digit) | int64(slot)<<shift
		if level == 0 {
			w.sort(i)
			return
		}
		w.spread(i)
		if len(w.late) > 0 {
			return
		}
		level = -1
	}
}

// after is the first slot behind the given one that holds anything, or -1.
func (w *wheel) after(level, slot int) int {
	slot++
	if slot == slots {
		return -1
	}
	word := slot >> 6
	if m := w.used[level][word] >> (slot & 63); m != 0 {
		return slot + bits.TrailingZeros64(m)
	}
	for word++; word < slots/64; word++ {
		if m := w.used[level][word]; m != 0 {
			return word<<6 + bits.TrailingZeros64(m)
		}
	}
	return -1
}

// sort makes a slot's chunks the open day. They come newest first, and often in order.
func (w *wheel) sort(i int32) {
	first := i
	n := 0
	for ; i != 0; i = w.at(i).next {
		n += int(w.at(i).n)
	}
	w.day = slices.Grow(w.day[:0], n)[:n]
	for i = first; i != 0; {
		c := w.at(i)
		n -= int(c.n)
		copy(w.day[n:], c.events[:c.n])
		next := c.next
		c.next, w.free = w.free, i
		i = next
	}
	slices.SortFunc(w.day, compareEvents)
	w.fresh = true
}

// spread deals a slot's events out to the levels below.
func (w *wheel) spread(i int32) {
	for i != 0 {
		c := w.at(i)
		for _, e := range c.events[:c.n] {
			w.place(e)
		}
		next := c.next
		c.next, w.free = w.free, i
		i = next
	}
}

// up and down keep late a heap of four children a node.
func (w *wheel) up(i int) {
	e := w.late[i]
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(w.late[parent]) {
			break
		}
		w.late[i] = w.late[parent]
		i = parent
	}
	w.late[i] = e
}

func (w *wheel) down(i int) {
	n := len(w.late)
	if n == 0 {
		return
	}
	e := w.late[i]
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		least := first
		for j := first + 1; j < min(first+4, n); j++ {
			if w.late[j].before(w.late[least]) {
				least = j
			}
		}
		if !w.late[least].before(e) {
			break
		}
		w.late[i] = w.late[least]
		i = least
	}
	w.late[i] = e
}
