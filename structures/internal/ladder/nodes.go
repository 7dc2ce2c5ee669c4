package ladder

import (
	"math"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// nodes is the lists. A record in a list has a node. If byIndex is set, the number of the node is that of the record
// and one. Otherwise nodes are taken as they come, because the records may be any ones among millions.
type nodes struct {
	byIndex bool
	heads   []head // of the lists, by position
	all     []node // by number; node 0 is never used
	free    uint32 // the first node that is not in use, or 0; of no use by index
}

// head is a list, and the tick before its slot starts, as of the last node that came. That of
// position 0, which is no slot, is the last tick of all.
type head struct {
	before structures.Tick
	first  uint32 // the first node; 0: none
}

// node is the place of a record in a list.
type node struct{ index, before, behind uint32 } // the numbers of other nodes, or 0

// The tag of a record in a list is Nowhere. Above is the position of the slot, which is not 0, and
// above that the number of the node.
const (
	digitBits = 6
	digitMask = 1<<digitBits - 1

	positionBits = 10
	nodeShift    = records.TagBits + positionBits

	// MaxFew is the largest number of timers that need no nodes by index. Free records are in lists, too.
	MaxFew     = 1<<(32-nodeShift) - 2
	firstNodes = 16
)

// position is a slot of a level: 64 times the level, and the slot, and 1.
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

// whereAt returns what a record at a node says. If nodes go by index, it does not need the number.
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
		p.heads = append(p.heads, make([]head, n-len(p.heads))...)
		p.heads[0].before = math.MaxInt64
	}
	if n := len(p.all); p.byIndex && int(index)+1 >= n {
		p.grow(int(index) + 2)
	} else if !p.byIndex && p.free == 0 {
		p.grow(n + 1)
	}
}

// release makes a node free that is in no list any more.
func (p *nodes) release(n *node, number uint32) {
	if !p.byIndex {
		n.behind, p.free = p.free, number
	}
}

// releaseAll makes the nodes of a list free, from the first to the last one, or none if that is 0.
func (p *nodes) releaseAll(first, last uint32) {
	if !p.byIndex && last != 0 {
		p.all[last].behind, p.free = p.free, first
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
