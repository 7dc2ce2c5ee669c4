// Package quadheaplazy keeps timers in a 4-ary heap that cancels and moves lazily, as [Go's runtime] has done since 1.14.
//
// Cancel only marks the slot of the timer as vacant, and Reschedule to a later tick only records the new deadline. The heap is
// not touched until the entry reaches the root; then it is dropped or filed again. A new timer takes over the old entry of its
// slot if that is early enough. So starting and stopping timers with one timeout does not touch the heap.
//
// Pedigree. Go's runtime rebuilds the whole heap when more than a quarter of its entries belong to stopped timers, or when a
// timer was moved before its entry, so a call now and then costs O(n). Differences here:
//
//   - A timer that is moved before its entry gets a second entry, and the first one is dead. A version number tells them
//     apart.
//   - Dead entries are swept a few at a time. A call that adds a dead entry, or removes a live one, examines up to 20 entries.
//     So at most a quarter of the heap, plus 32 entries, is dead.
//   - Entries are those of quadheap, without the array of positions.
//
// A value is released at once. A timer takes 36 bytes, plus its value and ID, and each dead entry takes 16.
//
// Work counts Dropped, dead entries that were removed; Moved, entries that were filed again under a later deadline; and
// Comparisons of two deadlines.
//
// Pick it if you want a heap and most timers are cancelled or moved to a later tick. Pick quadheap if memory counts or every
// call must have a bound: here a Pop or Next may find any number of dead entries at the root.
//
// [Go's runtime]: https://github.com/golang/go/blob/release-branch.go1.14/src/runtime/time.go
package quadheaplazy

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/dary"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*Heap[int])(nil)

// Option sets a parameter of a Heap.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers and their dead entries. n is from 0, the default, to 2^32-2.
func Capacity(n int) Option { return Option{rules.Capacity("quadheaplazy", n, slab.MaxCapacity)} }

// Heap is a lazy 4-ary heap of timers with values of type T. Make it with New. It is a [structures.Scheduler].
//
// Its methods repeat those of slotted.Scheduler, because a call through a dictionary would be a large part of them.
type Heap[T any] struct {
	clock structures.Tick
	table slab.Table[T]
	core  core
}

// New returns an empty heap at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Heap[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	return &Heap[T]{table: slab.New[T](n), core: newCore(n)}
}

// Schedule adds a pending timer. It costs O(log n), on average O(1), amortized over growth.
func (h *Heap[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	h.table.Reserve()
	slot, id := h.table.Take(value)
	h.core.set(slot, rules.Clamp(h.clock, deadline))
	return id
}

// Reschedule moves a pending timer. It costs O(1) to a later deadline, and O(log n) otherwise.
func (h *Heap[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.core.set(slot, rules.Clamp(h.clock, deadline))
	return true
}

// Cancel removes a pending timer, and leaves its entry in the heap. It costs O(1), and may sweep up to 20 entries, of which a
// dead one costs O(log n).
func (h *Heap[T]) Cancel(id structures.ID) bool {
	slot := h.table.Find(id)
	if slot == slab.None {
		return false
	}
	h.table.Free(slot)
	h.core.cancel(slot)
	return true
}

// Pop removes the earliest timer if it is due. Ties are unspecified. It costs O(log n) amortized.
func (h *Heap[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) {
	h.clock = max(h.clock, now)
	if !h.core.fixRoot(h.clock) {
		return t, false
	}
	slot, deadline := h.core.pop()
	t.ID, t.Deadline = h.table.ID(slot), deadline
	t.Value = h.table.Free(slot)
	return t, true
}

// Next returns the earliest deadline. It costs O(1), and O(log n) for each dead or early root.
func (h *Heap[T]) Next() (at structures.Tick, ok bool) {
	if h.table.Len() == 0 || !h.core.fixRoot(math.MaxInt64) {
		return 0, false
	}
	return h.core.heap[dary.Root].deadline, true
}

// Len returns the number of pending timers. It costs O(1).
func (h *Heap[T]) Len() int { return h.table.Len() }

// Work returns the counters of the work done so far.
func (h *Heap[T]) Work() structures.Work { return h.core.work }

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

// Walk adds the heap, dead entries included.
func (c *core) Walk(b *snapshot.Builder) {
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
		rules.Must(slot != 0 && e.ref.mark()&state == exact, "entry %d is of slot %d, mark %#x", i, slot, e.ref.mark())
		if c.marks[slot].with(exact) == e.ref.mark() {
			rules.Must(!newest[slot] && c.times[slot].filed == e.deadline,
				"entry %d of slot %d has deadline %d, want %d, or there is another one",
				i, slot, e.deadline, c.times[slot].filed)
			newest[slot] = true
		}
		if c.isDead(e) {
			dead++
		}
	}
	for slot := 1; slot < len(c.marks); slot++ {
		s, t := c.marks[slot]&state, c.times[slot]
		rules.Must(newest[slot] == (s != absent) && (s != early || t.deadline > t.filed) && (s == absent || t.filed >= 1) &&
			(b.Holds == nil || b.Holds(uint32(slot)) == (s == exact || s == early)),
			"slot %d: state %d, deadline %d, filed under %d; its newest entry is in the heap, or it is in use, and should not, or neither",
			slot, s, t.deadline, t.filed)
	}
	rules.Must(dead == c.dead && dead <= len(c.heap)/4+slack && c.cursor <= len(c.heap),
		"%d of %d entries are dead, want %d; the cursor is %d",
		dead, len(c.heap)-dary.Root, c.dead, c.cursor)
	dary.AddTo(b, "4-ary heap", 4, len(c.heap)-dary.Root, func(i int) (uint32, structures.Tick) {
		e := c.heap[dary.Root+i]
		if c.isDead(e) {
			return snapshot.Stale, e.deadline
		}
		return e.ref.slot(), e.deadline
	})
}

// CheckInvariants walks the heap and returns the first broken invariant. It costs O(n).
func (h *Heap[T]) CheckInvariants() error { return h.table.Check(h.clock, &h.core) }

// Snapshot returns the heap, dead entries included. It costs O(n).
func (h *Heap[T]) Snapshot() shape.Snapshot { return h.table.Snapshot(h.clock, &h.core) }
