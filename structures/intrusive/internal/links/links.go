// Package links holds what the intrusive wheels share: the part of a timer that belongs to the wheel, circular lists of
// timers, and the bitmap of the occupied slots of a level.
package links

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
)

// Link is a member of a circular list: a timer, or the head of the list. A head that links to itself is an empty list.
type Link struct{ Next, Prev *Link }

// Clear makes a head the empty list.
func (l *Link) Clear() { l.Next, l.Prev = l, l }

// Empty reports whether a list has no timers.
func (l *Link) Empty() bool { return l.Next == l }

// Push adds a timer to the front of a list. The Prev of l is not touched. No link is nil. The comparison makes the compiler
// leave out a nil check that would read the first timer, which is rarely in the cache. A write does not wait for the cache.
func (l *Link) Push(t *Link) {
	if first := l.Next; first != nil {
		t.Next, t.Prev = first, l
		first.Prev, l.Next = t, t
	}
}

// Append adds a timer to the end of a list.
func (l *Link) Append(t *Link) {
	if last := l.Prev; last != nil {
		t.Next, t.Prev = l, last
		last.Next, l.Prev = t, t
	}
}

// Unlink takes a timer out of its list. Its own links stay as they are. The neighbors are written without being read, as in
// Push.
func (l *Link) Unlink() {
	if next, prev := l.Next, l.Prev; next != nil && prev != nil {
		prev.Next, next.Prev = next, prev
	}
}

// Walk calls check for each timer of the list between two links, which are the same for a circular list. Each must be linked to its
// neighbors, and pending in the wheel of a key (rules.Must).
func Walk(before, end *Link, key Key, check func(n *Node)) {
	for t := before.Next; t != end; t = t.Next {
		last := t.Next == end && before != end // the end of a list that is not circular has no Prev
		rules.Must((last || t.Next.Prev == t) && t.Prev.Next == t, "a timer is not linked to its neighbors")
		n := NodeOf(t)
		rules.Must(key.Owns(n), "the timer that is due at %d has the seal of another wheel, or none", n.Deadline)
		check(n)
	}
}

// NoCopy is the first field of a timer. It has go vet report copies.
type NoCopy struct{}

// Lock is what go vet looks for.
func (*NoCopy) Lock() {}

// Unlock is what go vet looks for.
func (*NoCopy) Unlock() {}

// Node is the part of a timer that belongs to its wheel. The zero Node is not pending.
//
//   - A node is pending exactly while its seal is not 0. Then it is in one list of one wheel.
//   - The seal is the key of that wheel, combined with the address of the node. So a wheel recognizes its own timers by one
//     comparison that reads nothing but the timer.
//   - A node that is not pending has no links, so it keeps no other timer alive.
type Node struct {
	Link
	Deadline structures.Tick // of a timer that is not pending: the last one that it had
	seal     uintptr
}

// Key identifies a wheel. It is odd, and an address of a node is even, so no seal is 0.
type Key uintptr

var wheels atomic.Uint64

// NewKey returns a key that no other wheel has.
func NewKey() Key { return Key((2*wheels.Add(1) + 1) * 0x9e3779b97f4a7c15) }

// NodeOf returns the node of a link that is not a head.
func NodeOf(l *Link) *Node { return (*Node)(unsafe.Pointer(l)) }

// Pending reports whether the timer is pending in any wheel.
func (n *Node) Pending() bool { return n.seal != 0 }

// sealOf returns the seal of a node that is pending in the wheel of a key. A timer that is pending is on the heap, as its list
// links to it, and the heap does not move.
func (k Key) sealOf(n *Node) uintptr { return uintptr(k) ^ uintptr(unsafe.Pointer(n)) }

// Owns reports whether the node is pending in the wheel of a key.
func (k Key) Owns(n *Node) bool { return n.seal == k.sealOf(n) }

// Refuse returns false if a node is not pending, and panics if it is, because the wheel of a package does not own it.
func Refuse(pkg string, n *Node) bool {
	if n.Pending() {
		panic("intrusive/" + pkg + ": the timer is pending in another wheel, or is a copy of a pending timer")
	}
	return false
}

// Seal marks a node as pending in the wheel of a key.
func (k Key) Seal(n *Node) { n.seal = k.sealOf(n) }

// Remove takes a pending node out of its list and marks it as not pending. The writes of the links follow one another, so that
// they share one check of the write barrier.
func (n *Node) Remove() {
	n.seal = 0
	if next, prev := n.Next, n.Prev; next != nil && prev != nil {
		prev.Next, next.Prev = next, prev
		n.Next, n.Prev = nil, nil
	}
}

// The wheels have levels of 256 slots: a slot of level 0 covers a tick, a slot of any other level as many ticks as the level
// below.
const (
	Digit  = 8 // bits of a tick that select a slot of a level
	Slots  = 1 << Digit
	Levels = 64 / Digit
)

// Place returns the level and the slot of a deadline: the highest digit in which the deadline differs from the cursor, and the
// value of that digit in the deadline.
func Place(deadline, cursor structures.Tick) (level uint, slot uint8) {
	level = uint(bits.Len64(uint64(deadline^cursor)|1)-1) / Digit % Levels
	return level, uint8(deadline >> (level * Digit))
}

// Start returns the first tick of a slot that is not before the cursor.
func Start(cursor structures.Tick, level uint, slot uint8) structures.Tick {
	return cursor&^last(level+1) | structures.Tick(slot)<<(level*Digit)
}

// End returns the last tick of a slot that starts at start.
func End(start structures.Tick, level uint) structures.Tick { return start | last(level) }

// last returns the number of ticks of a slot, less one.
func last(level uint) structures.Tick { return 1<<(level*Digit) - 1 }

// Marks marks the slots of a level that have timers. A slot whose timers were cancelled may be marked, too.
type Marks [Slots / 64]uint64

// Mark marks a slot.
func (m *Marks) Mark(slot uint8) { m[slot>>6] |= 1 << (slot & 63) }

// Unmark removes the mark of a slot.
func (m *Marks) Unmark(slot uint8) { m[slot>>6] &^= 1 << (slot & 63) }

// Marked reports whether a slot is marked.
func (m *Marks) Marked(slot uint8) bool { return m[slot>>6]>>(slot&63)&1 == 1 }

// After returns the first marked slot after a given one.
func (m *Marks) After(slot uint8) (next uint8, ok bool) {
	at := uint(slot) + 1
	if at == Slots {
		return 0, false
	}
	word := m[at/64] >> (at % 64) << (at % 64)
	for at /= 64; word == 0; word = m[at] {
		if at++; at == uint(len(m)) {
			return 0, false
		}
	}
	return uint8(at*64 + uint(bits.TrailingZeros64(word))), true
}

// DigitOf returns the digit of a tick that selects a slot of a level.
func DigitOf(at structures.Tick, level uint) uint8 { return uint8(at >> (level * Digit)) }
