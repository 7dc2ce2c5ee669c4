// Package skiplist keeps timers in a skip list, as [DPDK] does (rte_timer).
//
// Pedigree. Pugh's list (1990) with p = 1/2: every timer is on level 0, half of them are on level 1, and so on, up to 32
// levels. Differences from DPDK:
//
//   - DPDK has p = 1/4, which takes less memory. But a search then passes three timers on each of half as many levels instead
//     of one on each, and among a million timers most of them are cache misses.
//   - Links go both ways on every level, so a timer is removed without a search.
//   - Each link holds the deadline of the timer that it leads to, so a search reads only the timers that it passes, not those
//     at which it steps down.
//   - A timer that is not before any other goes to the end without a search.
//   - A slot draws the height of its tower once and keeps it for every timer in it. Heights are as random as if each timer
//     drew its own, and the steady state allocates nothing. Lists that see the same calls have the same shape.
//
// With a vanishing probability a search takes O(n). A timer takes about 44 bytes, plus its value and ID.
// Work counts Comparisons of two deadlines, which only placing a timer needs.
//
// Pick it for exact order with FIFO ties and a cheap Pop and Cancel. Pick a tree if every single Schedule needs a logarithmic
// bound.
//
// [DPDK]: https://github.com/DPDK/dpdk/blob/30a1de105a5f40d77b344a891c4a68f79e815c43/lib/timer/rte_timer.c
package skiplist

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/internal/tickmap"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*List[int])(nil)

// Option sets a parameter of a List.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2. More timers grow the structure.
func Capacity(n int) Option { return Option{rules.Capacity("skiplist", n, slab.MaxCapacity)} }

// List is a skip list of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type List[T any] struct{ base[T] }
type base[T any] = slotted.Moving[T, core, *core]

// New returns an empty list at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *List[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &List[T]{slotted.NewMoving[T](newCore(n), n)}
}

// Schedule adds a timer that is due at deadline. It costs O(log n) expected, about 2 log2(n) comparisons, or O(1) at the end.
func (l *List[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return l.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs O(log n) expected, or O(1) if the timer keeps its place.
func (l *List[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return l.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(1) expected.
func (l *List[T]) Cancel(id structures.ID) bool { return l.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(1) expected.
func (l *List[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return l.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (l *List[T]) Next() (at structures.Tick, ok bool) { return l.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (l *List[T]) Len() int { return l.base.Len() }

// maxHeight is the number of levels: the highest one still holds one timer of 2^32.
const maxHeight = 32

// head is the tower of slot 0: each level is a ring through it.
const head = 0

// link is one timer's place in the list of one level.
type link struct {
	deadline   structures.Tick // of the next timer; 0 where next is the head
	next, prev uint32          // the towers of the neighbours
}

// core is the queue of slots.
//
// The links of a slot, from level 0 up, are side by side: its tower. A tower is named by the index of its first link, so that
// links[tower+level] is the link on a level. Towers are in the order of their slots. A tower is built when its slot is used
// for the first time, and never changed.
//
// On each level deadlines never descend, and equal ones are in the order in which they came. Each level holds exactly those
// timers of the level below whose towers are high enough, in the same order.
type core struct {
	links       []link
	owner       []uint32        // per link: the slot whose tower it belongs to
	towers      []uint32        // per slot: its tower; then where the next one will begin
	levels      int             // the levels below this hold timers, those from it on none
	last        structures.Tick // the latest deadline, if there is any timer
	random      random
	comparisons uint64
}

func newCore(capacity int) core {
	// A slot takes 2 links on average; the rest is six standard deviations or more.
	links := maxHeight + 2*capacity + capacity/16 + 300
	return core{
		links:  make([]link, maxHeight, links),
		owner:  make([]uint32, maxHeight, links),
		towers: append(make([]uint32, 0, capacity+2), head, maxHeight),
	}
}

func (c *core) Pop(clock structures.Tick) (slot uint32, at structures.Tick) {
	front := c.links[head]
	if front.next == head {
		return 0, math.MaxInt64
	}
	if front.deadline > clock {
		return 0, front.deadline
	}
	slot = c.owner[front.next]
	c.Remove(slot)
	return slot, front.deadline
}

func (c *core) Next(structures.Tick) structures.Tick { return c.links[head].deadline }

func (c *core) Move(slot uint32, deadline structures.Tick) {
	tower, end := c.towers[slot], c.towers[slot+1]
	l := c.links[tower]
	if l.prev != head && c.links[c.links[l.prev].prev].deadline > deadline || l.next != head && l.deadline <= deadline {
		c.Remove(slot)
		c.Add(slot, deadline)
		return
	}
	if l.next == head {
		c.last = deadline
	}
	for level := range end - tower {
		c.links[c.links[tower+level].prev+level].deadline = deadline
	}
}

func (c *core) Work() structures.Work { return structures.Work{Comparisons: c.comparisons} }

// build builds the tower of the next slot.
func (c *core) build(height int) {
	slot := uint32(len(c.towers) - 1)
	if uint64(len(c.links)+height) > math.MaxUint32 {
		panic(fmt.Sprintf("skiplist: no room for %d timers", slot))
	}
	for range height {
		c.links = append(c.links, link{})
		c.owner = append(c.owner, slot)
	}
	c.towers = append(c.towers, uint32(len(c.links)))
}

// Add inserts slot behind all deadlines up to its own.
func (c *core) Add(slot uint32, deadline structures.Tick) {
	for int(slot) >= len(c.towers)-1 {
		c.build(c.random.height())
	}
	tower := c.towers[slot]
	height := int(c.towers[slot+1] - tower)
	c.levels = max(c.levels, height)
	if c.links[head].next != head {
		c.comparisons++
		if deadline < c.last {
			c.descend(tower, height, deadline)
			return
		}
	}
	c.last = deadline
	for level := range uint32(height) {
		c.splice(c.links[head+level].prev, tower, level, deadline)
	}
}

// descend searches for the place of deadline, and inserts tower on the levels below height.
func (c *core) descend(tower uint32, height int, deadline structures.Tick) {
	links := c.links
	compared := uint64(0)
	at := uint32(head)
	for level := c.levels - 1; level >= 0; level-- {
		for {
			l := &links[int(at)+level]
			if l.next == head {
				break
			}
			compared++
			if deadline < l.deadline {
				break
			}
			at = l.next
		}
		if level < height {
			c.splice(at, tower, uint32(level), deadline)
		}
	}
	c.comparisons += compared
}

// splice inserts tower behind the tower prev on one level.
func (c *core) splice(prev, tower, level uint32, deadline structures.Tick) {
	before := &c.links[prev+level]
	next := before.next
	c.links[tower+level] = link{deadline: before.deadline, next: next, prev: prev}
	before.deadline, before.next = deadline, tower
	c.links[next+level].prev = tower
}

func (c *core) Remove(slot uint32) {
	tower, end := c.towers[slot], c.towers[slot+1]
	for level := range end - tower {
		l := &c.links[tower+level]
		before := &c.links[l.prev+level]
		before.deadline, before.next = l.deadline, l.next
		c.links[l.next+level].prev = l.prev
	}
	if c.links[tower].next == head {
		last := c.links[head].prev
		c.last = c.links[c.links[last].prev].deadline
	}
	for c.levels > 0 && c.links[head+c.levels-1].next == head {
		c.levels--
	}
}

// Walk adds the list of level 0, each timer with the height of its tower.
func (c *core) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "skip list", Kind: shape.List})
	b.Sorted = true
	c.checkTowers()
	var order []link // to the timers
	for l := c.links[head]; l.next != head; l = c.links[l.next] {
		rules.Must(c.towers[c.owner[l.next]] == l.next, "a link leads to %d, which is no tower", l.next)
		b.Timer(shape.Cell{Levels: int(c.height(l.next))}, c.owner[l.next], l.deadline)
		rules.Must(len(order) < len(c.links), "the %d links lead round", len(c.links))
		order = append(order, l)
	}
	n := len(order)
	rules.Must(n == 0 || order[n-1].deadline == c.last, "the latest deadline is not %d, as remembered", c.last)
	rules.Must(c.levels == 0 || c.links[head+c.levels-1].next != head, "%d levels in use, the last of them is empty", c.levels)
	for level := range uint32(maxHeight) {
		c.checkLevel(level, order)
	}
}

// checkTowers checks that towers are side by side, in the order of their slots.
func (c *core) checkTowers() {
	rules.Must(len(c.owner) == len(c.links) && int(c.towers[len(c.towers)-1]) == len(c.links) && c.towers[0] == head,
		"%d owners and towers up to %d for %d links", len(c.owner), c.towers[len(c.towers)-1], len(c.links))
	for slot, tower := range c.towers[:len(c.towers)-1] {
		end := c.towers[slot+1]
		rules.Must(end > tower && end-tower <= maxHeight, "the tower of slot %d, at %d, ends at %d", slot, tower, end)
		for at := tower; at < end; at++ {
			rules.Must(c.owner[at] == uint32(slot), "link %d of the tower of slot %d is owned by %d", at, slot, c.owner[at])
		}
	}
}

// checkLevel checks that a level holds those timers of order whose towers are high enough.
func (c *core) checkLevel(level uint32, order []link) {
	prev := uint32(head)
	for _, want := range append(order[:len(order):len(order)], link{next: head}) {
		if want.next != head && c.height(want.next) <= level {
			continue
		}
		rules.Must(want.next == head || level < uint32(c.levels), "a timer on level %d, %d levels in use", level, c.levels)
		got, back := c.links[prev+level], c.links[want.next+level].prev
		rules.Must(got.next == want.next && got.deadline == want.deadline && back == prev,
			"on level %d, %d is followed by %d, due at %d, want %d, due at %d, whose link back says %d",
			level, prev, got.next, got.deadline, want.next, want.deadline, back)
		prev = want.next
	}
}

// height returns the height of a tower.
func (c *core) height(tower uint32) uint32 { return c.towers[c.owner[tower]+1] - tower }

// random is the state of Steele, Lea and Flood's SplitMix64 generator.
type random uint64

// height draws the height of a tower: more than h with probability 2^-h, up to maxHeight.
func (r *random) height() int {
	*r += 0x9e3779b97f4a7c15
	x := tickmap.Hash(structures.Tick(*r))
	return min(1+bits.TrailingZeros64(x^x>>31), maxHeight)
}
