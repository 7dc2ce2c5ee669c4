package ladder

import (
	"math"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// nodes holds the lists. A record in a list has a node. If byIndex is set, the number of the node is the index of the
// record plus 1. Otherwise a record takes any free node, because its index may be one of millions.
type nodes struct {
	byIndex bool
	heads   []head // of the lists, by position
	all     []node // by number; node 0 is never used
	free    uint32 // the first free node, or 0; not used if byIndex is set
}

// head is the head of a list. Position 0 is no slot. Its before is the last tick, so that Keeps is false there.
type head struct {
	before structures.Tick // the tick before the slot, as of the last node that was added
	first  uint32          // the first node; 0: none
}

// node is the place of a record in a list.
type node struct{ index, before, behind uint32 } // the numbers of other nodes, or 0

// The Where of a record in a list has the tag Nowhere, then the position of the slot, which is not 0, then the number
// of the node.
const (
	digitBits = 6
	digitMask = 1<<digitBits - 1

	positionBits = 10
	nodeShift    = records.TagBits + positionBits

	// MaxFew is the largest argument of New. Free records in lists count, too.
	MaxFew     = 1<<(32-nodeShift) - 2
	firstNodes = 16
)

// position is a slot of a level: 64 times the level, plus the slot, plus 1.
type position uint32

func positionAt(level, slot uint) position { return position(level<<digitBits | slot + 1) }

func positionOf(w records.Where) position {
	return position(w>>records.TagBits) & (1<<positionBits - 1)
}

func (at position) level() uint { return uint(at-1) >> digitBits }
func (at position) slot() uint  { return uint(at-1) & digitMask }

// shift returns the binary logarithm of the ticks in a slot.
func (at position) shift() uint { return at.level() * digitBits & 63 }

// last returns the last tick of a slot that starts at start.
func (at position) last(start structures.Tick) structures.Tick { return start | (1<<at.shift() - 1) }

// whereAt returns the Where of a record at a node.
func whereAt(number uint32, at position) records.Where {
	return records.Where(number)<<nodeShift | records.Where(at)<<records.TagBits | records.Nowhere
}

// number returns the node of a record.
func (p *nodes) number(index uint32, at records.Where) uint32 {
	if p.byIndex {
		return index + 1
	}
	return uint32(at >> nodeShift)
}

// makeRoom makes room for a list, and for the node of a record.
func (p *nodes) makeRoom(index uint32, at position) {
	if int(at) >= len(p.heads) {
		n := int(positionAt(at.level(), digitMask)) + 1
		p.heads = slices.Grow(p.heads, n-len(p.heads))[:n] // zero, because heads never shrinks
		p.heads[0].before = math.MaxInt64
	}
	if n := len(p.all); p.byIndex && int(index)+1 >= n {
		p.grow(int(index) + 2)
	} else if !p.byIndex && p.free == 0 {
		p.grow(n + 1)
	}
}

// release frees a node that is in no list.
func (p *nodes) release(n *node, number uint32) {
	if !p.byIndex {
		n.behind, p.free = p.free, number
	}
}

// grow makes room for n nodes or more.
func (p *nodes) grow(n int) {
	old := len(p.all)
	n = max(firstNodes, 1<<bits.Len(uint(n-1)))
	if !p.byIndex && old > MaxFew {
		panic("ladder: more records are in lists than were pending at once")
	}
	p.all = append(slices.Grow(p.all, n-old), make([]node, n-old)...)
	for i := n - 1; i >= max(old, 1) && !p.byIndex; i-- {
		p.all[i].behind = p.free
		p.free = uint32(i)
	}
}

// reserve makes room for n records.
func (p *nodes) reserve(n int) {
	p.grow(n + 1)
	p.heads = make([]head, 0, 1+Levels<<digitBits)
}
