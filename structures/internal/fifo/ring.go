package fifo

import (
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Ring is a ring of lists. Its slots are numbered by time, modulo the number of lists, a power of two.
type Ring struct {
	Mask     uint64 // number of lists less one
	Lists    []List
	Occupied Occupancy // of Lists
}

// NewRing returns a ring of empty lists.
func NewRing(slots int) Ring {
	return Ring{uint64(slots) - 1, make([]List, slots), NewOccupancy(slots)}
}

// Index returns the index of a slot.
func (r *Ring) Index(slot structures.Tick) int { return int(uint64(slot) & r.Mask) }

// Push appends a timer to a slot.
func (r *Ring) Push(ls *Timers, slot structures.Tick, timer uint32, n *Node) {
	i := r.Index(slot)
	if r.Lists[i].Empty() {
		r.Occupied.Set(i)
	}
	ls.PushBack(&r.Lists[i], timer, n)
}

// Remove removes a timer from its slot.
func (r *Ring) Remove(ls *Timers, slot structures.Tick, n *Node) {
	if i := r.Index(slot); ls.Remove(&r.Lists[i], n) {
		r.Occupied.Clear(i)
	}
}

// Take empties a slot and returns its timers.
func (r *Ring) Take(slot structures.Tick) List {
	i := r.Index(slot)
	l := r.Lists[i]
	r.Lists[i] = List{}
	r.Occupied.Clear(i)
	return l
}

// First returns the first slot from one on that holds a timer. ok is false if none does.
func (r *Ring) First(from structures.Tick) (slot structures.Tick, ok bool) {
	start := r.Index(from)
	i := r.Occupied.Next(start)
	if i < 0 {
		i = r.Occupied.First()
	}
	return from + structures.Tick(uint64(i-start)&r.Mask), i >= 0
}

// Walk adds the occupied slots, each of 2^width ticks. None begins before the cursor or earliest.
func (r *Ring) Walk(ls *Timers, b *snapshot.Builder, name string, width uint, cursor, earliest structures.Tick) {
	ticks := structures.Tick(1) << width
	b.Begin(shape.Part{Name: name, Kind: shape.Slots, Size: len(r.Lists), Width: ticks, Now: r.Index(b.Clock >> width)})
	from := cursor >> width
	r.Occupied.Check()
	for i := r.Occupied.First(); i >= 0; i = r.Occupied.Next(i + 1) {
		first := (from + structures.Tick((uint64(i)-uint64(from))&r.Mask)) << width
		rules.Must(!r.Lists[i].Empty() && first >= earliest,
			"%s: slot %d is empty, or begins at %d, before %d", name, i, first, earliest)
		ls.Walk(b, shape.Cell{Index: i, From: first, To: first + ticks - 1}, r.Lists[i])
	}
}

// Occupancy is a bitmap of the lists that hold a timer. A level above has a bit for each word that is not 0, and
// so on up to a single word. To find the next list reads one word of each level on the way up and on the way
// down. To change a bit mostly writes one word.
type Occupancy struct {
	levels [][]uint64 // levels[0] is the bits; the last one is a single word
}

// NewOccupancy returns the bitmap of n lists, n at least 1, all of them empty.
func NewOccupancy(n int) Occupancy {
	var o Occupancy
	for {
		n = (n + 63) / 64
		o.levels = append(o.levels, make([]uint64, n))
		if n == 1 {
			return o
		}
	}
}

// Set sets the bit of list i, which holds a timer.
func (o *Occupancy) Set(i int) {
	for _, words := range o.levels {
		before := words[i>>6]
		words[i>>6] = before | 1<<(i&63)
		if before != 0 {
			return // the levels above have the bit of this word
		}
		i >>= 6
	}
}

// Clear clears the bit of list i, which is empty.
func (o *Occupancy) Clear(i int) {
	for _, words := range o.levels {
		words[i>>6] &^= 1 << (i & 63)
		if words[i>>6] != 0 {
			return
		}
		i >>= 6
	}
}

// First returns the first list that holds a timer, or -1 when none does.
func (o *Occupancy) First() int {
	top := len(o.levels) - 1
	if o.levels[top][0] == 0 {
		return -1
	}
	return o.descend(top, bits.TrailingZeros64(o.levels[top][0]))
}

// Next returns the first list from i on that holds a timer, or -1.
func (o *Occupancy) Next(i int) int {
	for level, words := range o.levels {
		if i>>6 >= len(words) {
			return -1
		}
		if rest := words[i>>6] >> (i & 63); rest != 0 {
			return o.descend(level, i+bits.TrailingZeros64(rest))
		}
		i = i>>6 + 1
	}
	return -1
}

// descend returns the first list below bit i of a level, which is set.
func (o *Occupancy) descend(level, i int) int {
	for level > 0 {
		level--
		i = i<<6 + bits.TrailingZeros64(o.levels[level][i])
	}
	return i
}

// Has reports whether the bit of list i is set.
func (o *Occupancy) Has(i int) bool { return o.levels[0][i>>6]>>(i&63)&1 == 1 }

// Check finds the first bit that is wrong. It costs O(lists/64).
func (o *Occupancy) Check() {
	for level := 1; level < len(o.levels); level++ {
		for i, word := range o.levels[level-1] {
			rules.Must(o.levels[level][i>>6]>>(i&63)&1 == 1 == (word != 0),
				"the bit %d of level %d is wrong above word %#x", i, level, word)
		}
	}
}
