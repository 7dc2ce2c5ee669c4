package quadheaplazy

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// entry is an entry of the heap: a slot, and a deadline at or before the deadline of its timer.
type entry struct {
	deadline structures.Tick
	ref      ref
}

// ref is the slot of an entry and the mark that it had when the entry was made, in one word that
// is copied at once: to read what two stores have just written half each waits for the cache.
type ref uint64

func newRef(slot uint32, m mark) ref { return ref(m)<<32 | ref(slot) }

func (r ref) slot() uint32 { return uint32(r) }
func (r ref) mark() mark   { return mark(r >> 32) }

// mark is the version of the newest entry of a slot, and its state. All older entries are dead.
// Marks are an array of their own, small enough to be in the cache more often.
type mark uint32

// The states of the newest entry of a slot.
const (
	absent mark = iota // not in the heap; no timer in the slot
	exact              // has the deadline of the timer
	early              // its timer was moved to a later deadline
	vacant             // its timer was cancelled; the entry is dead

	state = 3 // the bits of the state
)

// next returns the mark of a new entry.
func (m mark) next() mark { return (m | state) + 1 | exact }

// with returns m in another state.
func (m mark) with(s mark) mark { return m&^state | s }

// times are the deadlines of the newest entry, unless absent, and of its timer, while it is early.
type times struct{ filed, deadline structures.Tick }

// core orders slots by deadline: heap[dary.Root] is the earliest entry, and none is before its
// parent. Each slot in use has one entry that is not dead, its newest.
type core struct {
	heap   []entry
	marks  []mark  // per slot
	times  []times // per slot
	dead   int     // dead entries in the heap
	cursor int     // of the pass of the sweep, or at most dary.Root between two passes
	work   structures.Work
}

func newCore(capacity int) core {
	return core{
		heap:  dary.New[entry](dary.Root + mostEntries(capacity)),
		marks: make([]mark, 1, 1+capacity), // slot 0 is never issued
		times: make([]times, 1, 1+capacity),
	}
}

// set sets the deadline of slot. If its newest entry is not later, the heap stays as it is.
func (c *core) set(slot uint32, deadline structures.Tick) {
	if int(slot) >= len(c.marks) {
		c.marks = append(c.marks, absent)
		c.times = append(c.times, times{})
	}
	m, t := c.marks[slot], &c.times[slot]
	if m&state == absent {
		c.push(slot, deadline)
		return
	}
	c.work.Comparisons++
	if deadline < t.filed {
		c.push(slot, deadline)
		if m&state != vacant { // otherwise it was dead before
			c.dead++
			c.maintain()
		}
		return
	}
	if m&state == vacant { // it is alive again
		c.dead--
	}
	if t.filed == deadline {
		c.marks[slot] = m.with(exact)
	} else {
		c.marks[slot] = m.with(early)
		t.deadline = deadline
	}
}

// cancel marks the entry of slot as dead.
func (c *core) cancel(slot uint32) {
	c.marks[slot] = c.marks[slot].with(vacant)
	c.dead++
	c.maintain()
}

// push adds an entry for the timer in slot.
func (c *core) push(slot uint32, deadline structures.Tick) {
	m := c.marks[slot].next()
	c.marks[slot] = m
	c.times[slot].filed = deadline
	// Before a version is used again, each entry that had it must have been dropped. Each after
	// the first of a slot comes with a call of maintain: half the versions are enough for a pass.
	if m<<1 == exact<<1 {
		c.beginPass()
	}
	if len(c.heap) == cap(c.heap) {
		c.heap = dary.Grow(c.heap)
	}
	n := len(c.heap)
	c.heap = c.heap[:n+1]
	if c.up(n, entry{deadline, newRef(slot, m)}) < c.cursor {
		c.examineDisplaced(n)
	}
}

// fixRoot drops dead entries at the root and files early ones again, up to a tick. It returns
// true when the root is exact and at or before that tick.
func (c *core) fixRoot(until structures.Tick) bool {
	for len(c.heap) > dary.Root && c.heap[dary.Root].deadline <= until {
		e := c.heap[dary.Root]
		slot := e.ref.slot()
		switch c.marks[slot] {
		case e.ref.mark():
			return true
		case e.ref.mark().with(early):
			e.deadline = c.times[slot].deadline
			c.times[slot].filed = e.deadline
			c.marks[slot] = e.ref.mark()
			c.down(dary.Root, e)
			c.work.Moved++
		default:
			c.drop(dary.Root)
		}
	}
	return false
}

// pop removes the root, which fixRoot has made exact.
func (c *core) pop() (slot uint32, deadline structures.Tick) {
	e := c.heap[dary.Root]
	slot = e.ref.slot()
	c.marks[slot] = e.ref.mark().with(absent)
	c.take(dary.Root)
	c.maintain()
	return slot, e.deadline
}

// isDead reports whether the timer was cancelled, or got another entry.
func (c *core) isDead(e entry) bool {
	m := c.marks[e.ref.slot()]
	return m != e.ref.mark() && m != e.ref.mark().with(early)
}

// drop removes the dead entry at i.
func (c *core) drop(i int) {
	e := c.heap[i]
	if m := e.ref.mark(); c.marks[e.ref.slot()] == m.with(vacant) {
		c.marks[e.ref.slot()] = m.with(absent)
	}
	c.take(i)
	c.dead--
	c.work.Dropped++
}

// take removes the entry at i. The last entry takes its place.
func (c *core) take(i int) {
	n := len(c.heap) - 1
	old, last := c.heap[i], c.heap[n]
	c.heap = c.heap[:n]
	c.cursor = min(c.cursor, n)
	switch i {
	case n:
	case dary.Root:
		c.down(i, last)
	default:
		c.work.Comparisons++
		if last.deadline < old.deadline {
			c.up(i, last)
		} else {
			c.down(i, last)
		}
	}
}

// up moves the hole at i towards the root until e fits, and returns its index.
func (c *core) up(i int, e entry) int {
	heap := c.heap
	compared := uint64(0)
	for i > dary.Root {
		p := dary.Parent(dary.Root+1, i)
		above := heap[p]
		compared++
		if above.deadline <= e.deadline {
			break
		}
		heap[i] = above
		i = p
	}
	heap[i] = e
	c.work.Comparisons += compared
	return i
}

// down moves the hole at i towards the leaves until e fits.
func (c *core) down(i int, e entry) {
	heap := c.heap
	compared := uint64(0)
	for k := dary.Child(dary.Root+1, i); k < len(heap); k = dary.Child(dary.Root+1, i) {
		if k+4 <= len(heap) {
			compared += 4
			k += dary.Earliest(heap[k].deadline, heap[k+1].deadline, heap[k+2].deadline, heap[k+3].deadline)
		} else { // the last group, not full
			compared += uint64(len(heap) - k)
			for j := k + 1; j < len(heap); j++ {
				if heap[j].deadline < heap[k].deadline {
					k = j
				}
			}
		}
		below := heap[k]
		if below.deadline >= e.deadline {
			break
		}
		heap[i] = below
		i = k
	}
	heap[i] = e
	c.work.Comparisons += compared
}

// The sweep keeps dead entries down to a quarter of the heap. It is made in strides, one for each call that leaves
// one more entry dead or one fewer alive, so that no call pays for a pass through the heap.
//
// A pass goes from the end of the heap to the root and drops all entries that were dead when it began. It begins when
// they are more than 3/16 of the heap. In a heap of n it takes n steps and one more for each entry dropped, at most
// 5/4 n, which is n/16 calls; so another n/16 entries may have died when it ends. That makes the quarter.
const (
	stride = 20
	spare  = 24 // dead entries that start no pass
	slack  = 32 // spare, and what rounding adds
)

// mostEntries returns the largest number of entries for a number of timers.
func mostEntries(timers int) int { return timers + timers/3 + 4*slack/3 + 2 }

// maintain does a stride of the sweep if a pass is under way or has to begin.
func (c *core) maintain() {
	if c.cursor <= dary.Root {
		if c.dead <= len(c.heap)/16*3+spare {
			return
		}
		c.beginPass()
	}
	c.sweep(stride)
}

// beginPass begins a pass, unless one is under way.
func (c *core) beginPass() {
	if c.cursor <= dary.Root {
		c.cursor = len(c.heap)
	}
}

// sweep examines up to steps entries below the cursor. The entries from the cursor on were examined
// already, or died or came since then. Early entries stay: the earlier an entry, the longer it is of use.
func (c *core) sweep(steps int) {
	for ; steps > 0 && c.cursor > dary.Root; steps-- {
		i := c.cursor - 1
		if c.isDead(c.heap[i]) {
			c.drop(i) // the entry that took its place is examined next
		} else {
			c.cursor = i
		}
	}
}

// examineDisplaced drops a dead entry that a new one, which went up from n past the cursor, has
// displaced from before the cursor to behind it. Nothing else takes one past it.
func (c *core) examineDisplaced(n int) {
	i := n
	for dary.Parent(dary.Root+1, i) >= c.cursor {
		i = dary.Parent(dary.Root+1, i)
	}
	// The last entry takes its place. It is from below it, so it stays there.
	if c.isDead(c.heap[i]) {
		c.drop(i)
	}
}

// walk adds the heap, dead entries included.
func (c *core) walk(b *snapshot.Builder) error {
	entryOf := b.Entry
	b.Entry = func(slot uint32, filed structures.Tick) shape.Entry {
		e := entryOf(slot, filed)
		if c.marks[slot]&state == early {
			e.Deadline = c.times[slot].deadline
		}
		return e
	}
	newest := make([]bool, len(c.marks)) // per slot: whether its newest entry is in the heap
	dead := 0
	for i, e := range c.heap[dary.Root:] {
		slot := e.ref.slot()
		if slot == 0 || int(slot) >= len(c.marks) || e.ref.mark()&state != exact {
			return fmt.Errorf("quadheaplazy: entry %d is of slot %d, mark %#x", i, slot, e.ref.mark())
		}
		if c.marks[slot].with(exact) == e.ref.mark() {
			if filed := c.times[slot].filed; newest[slot] || filed != e.deadline {
				return fmt.Errorf("quadheaplazy: entry %d of slot %d has deadline %d, want %d; there is "+
					"another one: %t", i, slot, e.deadline, filed, newest[slot])
			}
			newest[slot] = true
		}
		if c.isDead(e) {
			dead++
		}
	}
	for slot := 1; slot < len(c.marks); slot++ {
		s, t := c.marks[slot]&state, c.times[slot]
		if newest[slot] != (s != absent) || s == early && t.deadline <= t.filed ||
			s != absent && t.filed < 1 || b.Holds != nil && b.Holds(uint32(slot)) != (s == exact || s == early) {
			return fmt.Errorf("quadheaplazy: slot %d: state %d, newest entry in the heap is %t, deadline %d, "+
				"filed under %d, or in use and not", slot, s, newest[slot], t.deadline, t.filed)
		}
	}
	if dead != c.dead || dead > len(c.heap)/4+slack || c.cursor > len(c.heap) {
		return fmt.Errorf("quadheaplazy: %d of %d entries are dead, want %d; the cursor is %d",
			dead, len(c.heap)-dary.Root, c.dead, c.cursor)
	}
	dary.AddTo(b, "4-ary heap", 4, len(c.heap)-dary.Root, func(i int) (uint32, structures.Tick) {
		e := c.heap[dary.Root+i]
		if c.isDead(e) {
			return snapshot.Stale, e.deadline
		}
		return e.ref.slot(), e.deadline
	})
	return nil
}

// CheckInvariants walks the heap and returns the first broken invariant. It costs O(n).
func (h *Heap[T]) CheckInvariants() error { return h.table.Check(h.clock, h.core.walk) }

// Snapshot returns the heap, dead entries included. It costs O(n).
func (h *Heap[T]) Snapshot() shape.Snapshot { return h.table.Snapshot(h.clock, h.core.walk) }
