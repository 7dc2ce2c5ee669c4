package btree

import (
	"math"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
)

const (
	fan  = 32 // entries of a node at most
	line = 8  // keys of a cache line

	lines = fan * 12 / 64 // cache lines of a node

	// comparisons is what a search compares in a node: the last keys of all lines but one, and a line.
	comparisons = fan/line - 1 + line

	// sparse is the number of entries up to which two neighbours are merged.
	sparse = 3 * fan / 8
)

// The keys of places without an entry: dead before the first one, vacant behind the last.
const (
	dead   structures.Tick = 0
	vacant structures.Tick = math.MaxInt64
)

// node is a leaf or an inner node: what a search reads, and no more. It takes six cache
// lines, four of them for its keys.
//
// Keys never descend. In a leaf a reference is a slot and its key the deadline. In an
// inner node a reference is a child, and its key is at or after each key in the children
// before it, and at or before each key in that child; the key of the first child is dead.
type node struct {
	keys [fan]structures.Tick
	refs [fan]uint32
}

// head is what else is known of a node.
type head struct {
	parent     uint32 // 0 for the root; of a free node the next free one
	begin, end uint8  // its entries are from begin to before end
}

func (h head) len() int { return int(h.end - h.begin) }

// rank returns the number of keys at or before deadline, dead ones included, without a branch.
func (n *node) rank(deadline structures.Tick) int {
	k := &n.keys
	at := line * (fan/line - 1 - later(k[line-1], deadline) - later(k[2*line-1], deadline) - later(k[3*line-1], deadline))
	l := (*[line]structures.Tick)(k[at:])
	return at + line -
		later(l[0], deadline) - later(l[1], deadline) - later(l[2], deadline) - later(l[3], deadline) -
		later(l[4], deadline) - later(l[5], deadline) - later(l[6], deadline) - later(l[7], deadline)
}

// child returns the child of an inner node in which to search for deadline.
func (n *node) child(deadline structures.Tick) uint32 { return n.refs[(n.rank(deadline)-1)%fan] }

// later returns 1 if key is after deadline, else 0. Neither is negative.
func later(key, deadline structures.Tick) int { return int(uint64(deadline-key) >> 63) }

// find returns the place of ref, which must be there.
func (n *node) find(h head, ref uint32) int {
	i := int(h.begin)
	for n.refs[i%fan] != ref {
		i++
	}
	return i
}

// insert inserts an entry at place at, or before it where only the front has room. There is room.
func (n *node) insert(h *head, at int, key structures.Tick, ref uint32) {
	if int(h.end) < fan {
		copy(n.keys[at+1:], n.keys[at:h.end])
		copy(n.refs[at+1:], n.refs[at:h.end])
		h.end++
	} else {
		begin := int(h.begin)
		copy(n.keys[begin-1:], n.keys[begin:at])
		copy(n.refs[begin-1:], n.refs[begin:at])
		h.begin--
		at--
	}
	n.keys[at], n.refs[at] = key, ref
}

// remove removes the entry at place at. The first one only leaves a dead key.
func (n *node) remove(h *head, at int) {
	if at == int(h.begin) {
		n.keys[at] = dead
		h.begin++
		return
	}
	copy(n.keys[at:], n.keys[at+1:h.end])
	copy(n.refs[at:], n.refs[at+1:h.end])
	h.end--
	n.keys[h.end] = vacant
}

// shift moves the entries so that the first one is at place begin.
func (n *node) shift(h *head, begin int) {
	size := h.len()
	copy(n.keys[begin:], n.keys[h.begin:h.end])
	copy(n.refs[begin:], n.refs[h.begin:h.end])
	h.begin, h.end = uint8(begin), uint8(begin+size)
	n.clear(h)
}

// clear makes all keys without an entry dead or vacant.
func (n *node) clear(h *head) {
	for i := range n.keys[:h.begin] {
		n.keys[i] = dead
	}
	for i := int(h.end); i < fan; i++ {
		n.keys[i] = vacant
	}
}

// readAhead reads from each cache line of the node, so that none waits for another.
func (n *node) readAhead() structures.Tick {
	return n.keys[0] | n.keys[line] | n.keys[2*line] | n.keys[3*line] | structures.Tick(n.refs[0]|n.refs[2*line])
}

// prefetch adds all cache lines of the node to b.
func (n *node) prefetch(b *prefetch.Batch) {
	for i := 0; i < fan; i += line {
		b.Add(unsafe.Pointer(&n.keys[i]))
	}
	for i := 0; i < fan; i += 2 * line {
		b.Add(unsafe.Pointer(&n.refs[i]))
	}
}
