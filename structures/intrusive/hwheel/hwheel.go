// Package hwheel is a hierarchical timer wheel for timers that are fields of the caller's structs.
//
// A timer goes to the level and the slot that its deadline selects: level 0 has 256 slots of one tick, level 1 has 256 slots
// of 256 ticks, and so on for any int64. When the clock reaches a slot above level 0, its timers cascade to the levels below.
//
// Pedigree. Scheme 7 of Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (SOSP 1987),
// with a linked list per slot as in [Linux] before 4.8, [tokio] and [ratas]. Differences here:
//
//   - With more than 16,384 timers, a slot above level 0 has eight lists. A cascade walks them in parallel and prefetches, so
//     eight cache misses overlap, as in asynchronous memory access chaining (Kocberber, Falsafi and Grot, VLDB 2015).
//   - With more than two million timers, up to 4,096 timers of each of the next eight ticks are read together before they fire.
//   - With more than 16,384 timers, the next slots are emptied in steps, ahead of their start, so a call moves few timers.
//   - The only timer of a slot does not cascade level by level: it is ready to fire at once.
//   - A move to a later tick only writes the deadline. The timer moves when its slot is emptied. Timers that move to an
//     earlier tick are filed 32 at a time, so that no branch depends on which of the two it is.
//   - Bitmaps lead to the next slot with timers: no empty tick is visited, and a jump costs what the wheel holds.
//
// Costs. Schedule, Reschedule and Cancel are O(1). Pop and Next are O(1) plus the cascades: a timer moves at most once a
// level. If the clock goes tick by tick, a call moves at most about 16,384 timers, or two of 768 if there are more than six
// million. A clock that jumps pays in one call for all slots that it passes. So does a tick with many timers that were set,
// or moved to later, within the last 1,024 ticks before it. docs/performance.md has measured figures.
//
// Memory. A timer takes 32 bytes and its value, within the caller's struct. A wheel takes 9 KiB, and 16 KiB for each level
// above level 0 up to the highest one in use, or twice as much after it had more than 16,384 timers. The garbage collector
// follows the links of timers, and each costs a write barrier while it runs.
//
// Work counts SlotsVisited, slots that were emptied, once a step; EmptySlots, those without timers, as all had been cancelled
// or had moved ahead; and Moved, timers that cascaded or were due later than their slot.
//
// Pick it for speed where the timer can be a field of your struct. Pick package linkedwheel if timers with equal deadlines
// must fire in order, package heap for few timers and an exact Next, and structures/auto if you need IDs.
//
// [Linux]: https://github.com/torvalds/linux/blob/v4.7/kernel/time/timer.c
// [tokio]: https://github.com/tokio-rs/tokio/blob/4efe517d3e911f3e6e3682b5794cdc18052d53c3/tokio/src/runtime/time/wheel/mod.rs
// [ratas]: https://github.com/jsnell/ratas/blob/396a5ae84edacb0bcdf5d29f9979ceaad9f6c6a9/src/timer-wheel.h
package hwheel

import (
	"math"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/prefetch"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/intrusive/internal/links"
)

// Timer is a timer of a Wheel, usually a field of the struct that it belongs to. The zero Timer
// is ready for use. A pending Timer must not be copied: go vet reports such a copy, and methods of
// the wheel panic when they are given one.
type Timer[T any] struct {
	_     links.NoCopy
	node  links.Node
	Value T // for the caller, usually a pointer to the struct; the wheel never touches it
}

// Deadline returns the tick at which the timer is due, after the rule for past deadlines. For a
// timer that is not pending, it returns the last deadline that the timer had, at first 0.
func (t *Timer[T]) Deadline() structures.Tick { return t.node.Deadline }

// Wheel is a hierarchical timer wheel. Make it with New. It is for one goroutine at a time.
type Wheel[T any] struct{ core }

// New returns an empty wheel whose clock is at tick 0.
func New[T any]() *Wheel[T] {
	w := &Wheel[T]{core{key: links.NewKey(), quiet: math.MaxInt64, stepAt: math.MaxInt64, step: step, made: 1, used: 1, span: links.Slots}}
	for i := range w.ticks {
		w.ticks[i].first = &w.end
	}
	return w
}

// Schedule makes t pending, or moves it. A deadline at or before the clock counts as the tick after it. It costs O(1),
// and allocates only when a level is used for the first time. Like Reschedule and Cancel, it panics if t is pending in
// another wheel or is a copy of a pending timer.
func (w *Wheel[T]) Schedule(t *Timer[T], deadline structures.Tick) { w.schedule(&t.node, deadline) }

// Reschedule moves a pending timer. It returns false if t is not pending. It costs O(1): a move to a later tick only
// writes the deadline, and the timer stays where it is until its slot is emptied.
func (w *Wheel[T]) Reschedule(t *Timer[T], deadline structures.Tick) bool {
	return w.reschedule(&t.node, deadline)
}

// Cancel removes a pending timer, which is then free for any use. It returns false if t is not pending. It costs O(1).
func (w *Wheel[T]) Cancel(t *Timer[T]) bool { return w.cancel(&t.node) }

// Pop moves the clock to now, unless it is there or past it, and removes and returns one timer
// that is due, the earliest first. Ties are unspecified. It returns nil if no timer is due. The timer
// is free for any use at once. Pop costs O(1) plus the cascades, O(levels) a timer over its life.
func (w *Wheel[T]) Pop(now structures.Tick) *Timer[T] {
	if now < w.quiet && now >= w.clock {
		w.clock = now
		return nil
	}
	return (*Timer[T])(unsafe.Pointer(w.pop(now)))
}

// Len returns the number of pending timers, including those that are due. It costs O(1).
func (w *Wheel[T]) Len() int { return w.added - w.removed }

// Work returns the counters of the work done so far: slots that were emptied, and timers that
// were moved without firing.
func (w *Wheel[T]) Work() structures.Work { return w.work }

const (
	lists = 8       // of a slot: as many cache misses overlap when it is emptied
	run   = 1 << 6  // timers scheduled in a row that go to the same list of their slots
	small = 1 << 14 // pending timers up to which one list suffices, as they are in the cache
	few   = 32      // timers of a slot that Next looks at
	spans = 4       // of 256 ticks, for which level 0 has slots
	many  = 1 << 21 // pending timers; with more, the timers of a slot of level 1 exceed the cache
	reads = 1 << 12 // timers of a list that are read ahead; a list with more would leave the cache again
	step  = 1 << 12 // timers that a call moves ahead, unless there are more than 768 times as many
)

// head is the start of a list, which ends at core.end.
type head struct{ first *links.Link }

// link returns the head as the link before the first timer. It has no Prev, which Push and Unlink do not touch.
func (h *head) link() *links.Link { return (*links.Link)(unsafe.Pointer(h)) }

// level is a level above level 0. The lists of a slot share a cache line.
type level struct {
	slots    [links.Slots][lists]head
	occupied links.Marks
}

// core is a wheel without the type of its values, so its methods are compiled once.
//
// A timer whose deadline differs from the cursor first in digit l, counted from the lowest, is
// in level l, in the slot that this digit of the deadline selects. Invariants:
//
//   - The cursor is at or before the clock. The slots before it are empty, and so is its own on
//     each level but level 0: a marked slot of a level is after the digit of the cursor.
//   - No timer has a deadline before the start of its slot, unless it is one of the timers that moved to earlier. It may
//     have a later one than the slot covers: a move to later only writes the deadline.
//   - The timers that moved to earlier are pending. They are filed anew before any timer fires or is cancelled.
//   - The timers of the cursor's tick are in its slot of level 0, with others that were moved to later.
//   - No timer is due before quiet.
//   - The bit of a slot with timers is set in occupied. So is that of a slot whose timers were
//     cancelled, until the clock or Next gets there.
//   - A slot of level 0 has one list, from which its timers fire: they were read not long ago, when they cascaded.
//   - The Prev of end is a pending timer or a head, so it keeps no other timer alive.
//   - If the lists of a slot are in use, timers of the slots above level 0 that start next may have moved ahead: to where they
//     belong when the slot starts, in ticks of later spans and in later. Such a slot is marked.
type core struct {
	clock, cursor, quiet structures.Tick
	stepAt               structures.Tick // the tick of the next call of ahead
	key                  links.Key
	added, removed       int                  // timers so far
	span                 uint64               // deadlines that differ from the cursor by less need no new level
	earlier              uint                 // number of timers that moved to earlier
	list                 uint                 // of a slot that the next timers go to
	used                 uint                 // lists of a slot that may have timers
	made                 uint                 // levels that were used, or are below one that was, at least 1
	end                  links.Link           // of all lists
	levels, later        [links.Levels]*level // from level 1 on
	step                 uint                 // timers that a call moves ahead, at least
	work                 structures.Work
	moved                [32]uintptr                      // the timers that moved to earlier, which their lists keep alive
	ticks                [spans * links.Slots]head        // level 0, by tick modulo their number
	occupied             [spans * links.Slots / 64]uint64 // slots of level 0, by tick as well
}

// schedule is Schedule. The usual case is written out here, as a call would cost a fifth.
func (c *core) schedule(n *links.Node, deadline structures.Tick) {
	if n.Pending() || deadline <= c.clock || uint64(deadline^c.cursor) >= c.span {
		c.scheduleSlow(n, deadline)
		return
	}
	var head *head
	if uint64(deadline^c.cursor) < links.Slots {
		head = c.mark(deadline)
	} else {
		l, s := links.Place(deadline, c.cursor)
		v := c.levels[l]
		v.occupied.Mark(s)
		head = &v.slots[s][c.list%lists]
	}
	n.Deadline = deadline
	c.key.Seal(n)
	if deadline < c.quiet {
		c.quiet = deadline
	}
	head.link().Push(&n.Link)
	if c.added++; c.added%run == 0 {
		c.nextList()
	}
}

// scheduleSlow is schedule for any timer and any deadline.
func (c *core) scheduleSlow(n *links.Node, deadline structures.Tick) {
	if c.reschedule(n, deadline) {
		return
	}
	n.Deadline = rules.Clamp(c.clock, deadline)
	c.key.Seal(n)
	c.quiet = min(c.quiet, n.Deadline)
	c.file(n, c.list)
	if c.added++; c.added%run == 0 {
		c.nextList()
	}
}

// nextList selects another list for the next timers, if there are many, and has the next Pop move timers ahead.
func (c *core) nextList() {
	if c.added-c.removed > small || c.used > 1 {
		if c.list, c.used = (c.list+1)%lists, lists; c.list == 0 {
			c.planAhead()
		}
	}
}

// planAhead has the next Pop move timers ahead.
func (c *core) planAhead() {
	c.stepAt = min(c.stepAt, c.clock+1)
	c.quiet = min(c.quiet, c.stepAt)
}

// heads returns the lists of a slot.
func (c *core) heads(l uint, s uint8) []head {
	if l == 0 {
		i := c.index(s)
		return c.ticks[i : i+1]
	}
	return c.levels[l].slots[s][:c.used]
}

// due returns the list with the timers of the cursor's tick.
func (c *core) due() *head { return &c.ticks[uint(c.cursor)%uint(len(c.ticks))] }

// mark marks the slot of level 0 for a tick, and returns its list.
func (c *core) mark(at structures.Tick) *head {
	i := uint(at) % uint(len(c.ticks))
	c.occupied[i/64] |= 1 << (i % 64)
	return &c.ticks[i]
}

// index returns the index of a slot of level 0 with the higher digits of the cursor.
func (c *core) index(s uint8) uint {
	return uint(c.cursor)%uint(len(c.ticks))&^(links.Slots-1) | uint(s)
}

// file puts a timer into a list of its slot. Its deadline is not before the cursor.
func (c *core) file(n *links.Node, list uint) {
	if n.Deadline <= c.cursor {
		c.due().link().Push(&n.Link)
		return
	}
	if uint64(n.Deadline^c.cursor) >= c.span {
		c.makeLevels(n.Deadline)
	}
	l, s := links.Place(n.Deadline, c.cursor)
	if l == 0 {
		c.mark(n.Deadline).link().Push(&n.Link)
		return
	}
	v := c.levels[l]
	v.occupied.Mark(s)
	v.slots[s][list%lists].link().Push(&n.Link)
}

// marks returns the marks of the slots of a level.
func (c *core) marks(l uint) *links.Marks {
	if l == 0 {
		return (*links.Marks)(unsafe.Pointer(&c.occupied[c.index(0)/64]))
	}
	return &c.levels[l].occupied
}

// first returns the first marked slot after the cursor. Each slot of a level is before all slots of the levels above.
func (c *core) first() (l uint, s uint8, ok bool) {
	if s, ok := c.marks(0).After(uint8(c.cursor)); ok {
		return 0, s, true
	}
	for l := uint(1); l < c.made; l++ {
		if s, ok := c.levels[l%links.Levels].occupied.After(links.DigitOf(c.cursor, l)); ok {
			return l, s, true
		}
	}
	return 0, 0, false
}

// makeLevels makes the levels that a deadline needs.
func (c *core) makeLevels(deadline structures.Tick) {
	for uint64(deadline^c.cursor) >= c.span {
		c.levels[c.made] = c.makeLevel()
		if c.made++; c.made < links.Levels {
			c.span = 1 << (c.made * links.Digit)
		} else {
			c.span = math.MaxUint64
		}
	}
}

func (c *core) makeLevel() *level {
	made := new(level)
	for s := range made.slots {
		for list := range made.slots[s] {
			made.slots[s][list].first = &c.end
		}
	}
	return made
}

// reschedule is Reschedule. Whether a timer moves to earlier or to later is hard to predict, and a wrong prediction would
// wait for the timer's deadline, which is rarely in the cache. So no branch depends on it: timers that move to earlier are
// filed together later, when their memory has arrived.
func (c *core) reschedule(n *links.Node, deadline structures.Tick) bool {
	if !c.key.Owns(n) {
		return links.Refuse("hwheel", n)
	}
	deadline = rules.Clamp(c.clock, deadline)
	c.moved[c.earlier%uint(len(c.moved))] = uintptr(unsafe.Pointer(n))
	earlier := uint(0)
	if deadline < n.Deadline {
		earlier = 1
	}
	c.earlier += earlier
	n.Deadline = deadline
	c.quiet = min(c.quiet, deadline)
	if c.earlier == uint(len(c.moved)) {
		c.fileMoved()
	}
	return true
}

// fileMoved files the timers that moved to earlier. If there are many timers, it first prefetches their neighbors in their
// lists, which unlinking writes to.
func (c *core) fileMoved() {
	if c.used > 1 {
		c.nextList()
		var neighbors [2 * len(c.moved)]*links.Link
		for i := range c.earlier {
			n := c.movedTimer(i)
			neighbors[2*i], neighbors[2*i+1] = n.Next, n.Prev
		}
		prefetch.Lines(neighbors[:2*c.earlier])
	}
	for i := range c.earlier {
		n := c.movedTimer(i)
		n.Unlink()
		c.file(n, c.list)
	}
	c.earlier = 0
}

func (c *core) movedTimer(i uint) *links.Node {
	return *(**links.Node)(unsafe.Pointer(&c.moved[i%uint(len(c.moved))]))
}

// cancel is Cancel.
func (c *core) cancel(n *links.Node) bool {
	if c.earlier > 0 {
		c.fileMoved()
	}
	if !c.key.Owns(n) {
		return links.Refuse("hwheel", n)
	}
	c.removed++
	n.Remove()
	return true
}

// pop is Pop, and returns nil if no timer is due.
func (c *core) pop(now structures.Tick) *links.Node {
	c.clock = max(c.clock, now)
	if c.clock < c.quiet {
		return nil
	}
	n, _, _ := c.front()
	if n != nil {
		c.removed++
		n.Remove()
	} else if c.stepAt < c.quiet {
		c.ahead()
	}
	return n
}

// front moves the cursor on, at most to the clock, until a timer is due, and returns that timer.
// It returns nil if none is due; then the cursor is at the clock, and the slot is the next one that is marked.
func (c *core) front() (n *links.Node, l uint, s uint8) {
	if c.earlier > 0 {
		c.fileMoved()
	}
	for {
		for l := c.due().first; l != &c.end; l = c.due().first {
			n := links.NodeOf(l)
			if n.Deadline <= c.cursor {
				return n, 0, 0
			}
			n.Unlink()
			c.refile(n, 0)
		}
		l, s, ok := c.first()
		if c.quiet = math.MaxInt64; ok {
			c.quiet = links.Start(c.cursor, l, s)
		} else {
			c.list, c.used, c.stepAt = 0, 1, math.MaxInt64 // no timers are left
		}
		if !ok || c.quiet > c.clock {
			c.cursor = c.clock
			return nil, l, s
		}
		if c.cursor = c.quiet; l == 0 {
			c.visit(s)
		} else {
			c.start(l, s)
		}
	}
}

// start empties a slot above level 0 at which the cursor is.
func (c *core) start(l uint, s uint8) {
	if c.used > 1 {
		c.turn(l)
	}
	c.empty(l, s, math.MaxUint)
}

// ahead moves timers of the slots above level 0 that start next, as if they started now, unless it is too early. It is to
// be called at the next tick again if these were many. Slots of level 1 share a limit. They may get timers from a slot of a
// higher level at the same time, so that one has a limit of its own.
func (c *core) ahead() {
	if here, before := c.cursor, c.work; here >= c.stepAt {
		c.stepAt = c.nextStart()
		most := max(c.step, uint(c.added-c.removed)/((spans-1)*links.Slots)+c.step/8)
		left, end, crossed := most, before.Moved, uint(0)
		for range spans - 1 {
			at := c.nextStart()
			l, s := links.Place(at, c.cursor)
			if l >= c.made {
				break
			}
			c.cursor = at
			c.turn(l)
			crossed = max(crossed, l)
			if limit := left; c.levels[l].occupied.Marked(s) && limit > 0 {
				if l > 1 {
					limit = most
				}
				c.empty(l, s, limit)
				c.levels[l].occupied.Mark(s)
				if l == 1 {
					left -= min(left, uint(c.work.Moved-end))
				}
				end = c.work.Moved
			}
		}
		c.turn(crossed)
		switch c.cursor = here; {
		case end == before.Moved:
			c.work = before
		case uint(end-before.Moved) > c.step/run:
			c.stepAt = here + 1
		}
	}
	c.quiet = min(c.quiet, c.stepAt)
}

// nextStart returns the tick at which slots above level 0 start next.
func (c *core) nextStart() structures.Tick { return c.cursor | (links.Slots - 1) + 1 }

// turn exchanges the levels below l, whose slots are all in the past when a slot of level l starts, for those of the time
// after that, or back.
func (c *core) turn(l uint) {
	for ; l > 1; l-- {
		if c.later[l-1] == nil {
			c.later[l-1] = c.makeLevel()
		}
		c.levels[l-1], c.later[l-1] = c.later[l-1], c.levels[l-1]
	}
}

// visit notes that the clock or Next has come to a slot of level 0, and returns its list.
func (c *core) visit(s uint8) *head {
	i := c.index(s)
	c.occupied[i/64] &^= 1 << (i % 64)
	c.work.SlotsVisited++
	if c.ticks[i].first == &c.end {
		c.work.EmptySlots++
	}
	if s%lists == 0 && c.added-c.removed > many {
		ahead := (i + lists) % uint(len(c.ticks))
		c.touch(c.ticks[ahead : ahead+lists])
	}
	return &c.ticks[i]
}

// touch reads the timers of the next slots, which brings them into the cache. The lists are walked in parallel.
func (c *core) touch(slots []head) {
	var at [lists]*links.Link
	left := len(slots)
	for i := range slots {
		at[i] = slots[i].first
	}
	for n := 0; left > 0 && n < reads; n++ {
		for i := 0; i < left; {
			if at[i] != &c.end {
				at[i] = at[i].Next
				i++
				continue
			}
			left--
			at[i] = at[left]
		}
	}
}

// refile puts a timer of a slot that starts, or that was moved to later, where it belongs.
func (c *core) refile(n *links.Node, list uint) {
	c.work.Moved++
	c.file(n, list)
}

// empty files the timers of a slot above level 0 anew, and puts those beyond a limit back. It walks the lists in parallel, so
// that the cache misses of several timers overlap: the timers of the next step are prefetched while this step files its timers.
func (c *core) empty(l uint, s uint8, limit uint) {
	c.levels[l].occupied.Unmark(s)
	c.work.SlotsVisited++
	var step, at [lists]*links.Link
	left := uint(0)
	slot := c.heads(l, s)
	for i := range slot {
		if first := slot[i].first; first != &c.end {
			at[left%lists] = first
			left++
			slot[i].first = &c.end
		}
	}
	if left == 0 {
		c.work.EmptySlots++
		return
	}
	if left == 1 && c.alone(links.NodeOf(at[0]), l) {
		return
	}
	filed := uint(0)
	for left > 1 && filed < limit {
		filed += left
		for i, t := range at[:left] {
			step[i%lists], at[i%lists] = t, t.Next
		}
		prefetch.Lines(at[:left])
		for i, t := range step[:left] {
			c.refile(links.NodeOf(t), uint(i))
		}
		for i := uint(0); i < left; {
			if at[i%lists] != &c.end {
				i++
				continue
			}
			left--
			at[i%lists] = at[left%lists]
		}
	}
	if limit < math.MaxUint {
		for ; left == 1 && filed < limit; filed += lists / 2 { // each waits for the one before
			t := at[0]
			if at[0] = t.Next; at[0] == &c.end {
				left = 0
			}
			c.refile(links.NodeOf(t), 0)
		}
		for i, t := range at[:left] {
			slot[i].first, t.Prev = t, slot[i].link()
		}
		left = 0
	}
	for t := at[0]; left > 0 && t != &c.end; {
		next := t.Next
		c.refile(links.NodeOf(t), 0)
		t = next
	}
	c.end.Prev = nil // it may be a timer that is not the last of a list any more
}

// alone moves the cursor to the only timer of a slot above level 0 that starts, if that timer is due. It returns false,
// and does nothing, if there are more timers. With few timers this saves the way through the levels below.
func (c *core) alone(n *links.Node, l uint) bool {
	if n.Next != &c.end || n.Deadline > c.clock || n.Deadline > links.End(c.cursor, l) || c.used > 1 {
		return false
	}
	c.work.Moved++
	c.cursor = n.Deadline
	c.due().link().Push(&n.Link)
	return true
}

// Next returns a tick before which no timer is due. ok is false if no timer is pending. If the first slot with timers
// has at most 32, the tick is the earliest deadline; otherwise, or if its timers may have moved ahead, it is the start of that
// slot. It is after the clock unless a timer is due now. Next costs O(1) plus the cascades, which the next Pop then saves.
func (c *core) Next() (at structures.Tick, ok bool) {
	if c.added == c.removed {
		return 0, false
	}
	n, l, s := c.front()
	if n != nil {
		return c.cursor, true
	}
	if c.stepAt < c.quiet {
		c.ahead()
	}
	for {
		if at, ok := c.earliest(l, s); ok {
			c.quiet = min(at, c.stepAt)
			return at, true
		}
		l, s, _ = c.first()
	}
}

// earliest returns the earliest deadline in a slot, or the start of the slot if it has many
// timers. ok is false if the slot had no timers, or none that are due in it, and is now empty.
func (c *core) earliest(l uint, s uint8) (at structures.Tick, ok bool) {
	start, timers := links.Start(c.cursor, l, s), 0
	if at = math.MaxInt64; l > 0 && c.used > 1 && start-c.nextStart() < (spans-1)*links.Slots {
		return start, true // its timers may have moved ahead
	}
	for _, head := range c.heads(l, s) {
		for t := head.first; t != &c.end; t = t.Next {
			if timers++; timers > few {
				return start, true
			}
			if at = min(at, links.NodeOf(t).Deadline); at == start {
				return at, true
			}
		}
	}
	if timers > 0 && at <= links.End(start, l) {
		return at, true
	}
	if l > 0 {
		c.empty(l, s, math.MaxUint)
		return 0, false
	}
	head := c.visit(s)
	for t := head.first; t != &c.end; t = head.first {
		n := links.NodeOf(t)
		n.Unlink()
		c.refile(n, 0)
	}
	return 0, false
}
