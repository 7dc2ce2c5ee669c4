// Package ladder is a ladder queue that can cancel timers: linked lists, the first of which is sorted when it starts.
//
// The lists are the slots of a hierarchical wheel with 64 slots a level, of 1, 64, 4096 ticks and so on. The list of a slot is in
// the order in which timers came. When a slot starts, its timers are sorted and fire from there, if there are at most 32, or at
// most 2048 within 4096 ticks, or if all have the same deadline. Timers with the same delay are sorted already. Other timers go
// to the levels below. Later timers go to lists, which are merged with the sorted timers when their slots start. Moving a timer
// to a later tick only writes its record. So does Cancel if the next timer can mostly use the place in the list. If the clock
// reaches most places before that, and there are at most 16,384 timers, Cancel takes the record out of its list.
//
// Pedigree. The ladder queue (Tang, Goh and Thng 2005) sorts only the next timers and leaves the rest in coarse lists. It spreads
// a list over as many rungs as it needs. Here the rungs are fixed: the level of a list is the first digit in which a deadline
// differs from the clock, as in the radix heap (Ahuja, Mehlhorn, Orlin and Tarjan 1990). The ladder queue cannot cancel. Here, as
// in [Go's runtime], the next timer uses the place of a cancelled one again.
//
// Costs. Schedule, Reschedule and Cancel are O(1). Over its life a timer costs O(levels). A single Pop or Next may empty a slot,
// which costs O(timers in the slot): 0.1 ms for 12,000 timers in one slot.
//
// Memory. An empty ladder takes less than 1 KiB. A timer takes 28 bytes and its value. The array of links doubles, so it takes up
// to as much again. The fullest slot so far takes 48 bytes a timer, for up to 2048 timers.
//
// Pick it for up to about ten thousand timers. Package auto does the same, and moves to a wheel if there are more: among many
// timers, a list that starts is far from the cache.
//
// [Go's runtime]: https://github.com/golang/go/blob/go1.26.0/src/runtime/time.go
package ladder

import (
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/ladder"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/shape"
)

// Option sets a parameter of a Ladder.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers. The default is 0. More timers grow the ladder.
func Capacity(n int) Option { return Option{rules.Capacity("ladder", n, records.MaxTimers)} }

// Ladder is a ladder queue of timers with values of type T. Make it with New. It is a [structures.Scheduler].
type Ladder[T any] struct {
	records records.Set
	queue   ladder.Queue
}

var _ structures.Scheduler[int] = (*Ladder[int])(nil)

// New returns an empty ladder at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *Ladder[T] {
	n := rules.Apply(rules.Room{}, opts).Capacity
	l := &Ladder[T]{records: records.Of[T](), queue: ladder.New(0)}
	if n > 0 {
		l.records.ReserveTimers(uint64(n))
		l.queue.Reserve(n)
	}
	return l
}

// Schedule adds a pending timer. It costs O(1).
func (l *Ladder[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	id, r := l.queue.Schedule(&l.records, rules.Clamp(l.records.Clock, deadline))
	(*records.Valued[T])(unsafe.Pointer(r)).Value = value
	return id
}

// Reschedule moves a pending timer. It costs O(1).
func (l *Ladder[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	r, ok := l.records.Find(id)
	if !ok || !r.Pending() {
		return false
	}
	deadline = rules.Clamp(l.records.Clock, deadline)
	if l.queue.Keeps(r.Where, deadline) {
		r.Deadline = deadline
		return true
	}
	return l.queue.Reschedule(&l.records, uint32(id), r, deadline)
}

// Cancel removes a pending timer. It costs O(1).
func (l *Ladder[T]) Cancel(id structures.ID) bool {
	r, ok := l.records.Find(id)
	if !ok || !r.Pending() {
		return false
	}
	l.records.ClearValue(r)
	if l.queue.LeavesNow(r) {
		return l.queue.CancelNow(&l.records, uint32(id), r)
	}
	l.queue.Count(-1)
	r.End()
	l.records.Release(uint32(id), r)
	return true
}

// Pop removes the earliest timer if it is due. Ties are unspecified. It costs O(1), or O(timers in a slot) if a slot starts, and
// O(levels) a timer over its life.
func (l *Ladder[T]) Pop(now structures.Tick) (due structures.Timer[T], ok bool) {
	l.records.Clock = max(l.records.Clock, now)
	if l.queue.Quiet() > l.records.Clock {
		return due, false
	}
	return records.Take[T](l.queue.Pop(&l.records))
}

// Next returns the earliest deadline, or the start of the first slot if it has more than 32 timers. It costs as much as a Pop,
// which the next Pop then saves.
func (l *Ladder[T]) Next() (at structures.Tick, ok bool) {
	if l.queue.Len() == 0 {
		return 0, false
	}
	return l.queue.Next(&l.records), true
}

// Len returns the number of pending timers. It costs O(1).
func (l *Ladder[T]) Len() int { return l.queue.Len() }

// Work returns the counters of the work done so far: slots that were emptied (SlotsVisited), timers that went to another list or to
// the front (Moved), cancelled timers that were left in lists and stale entries (Dropped), and Comparisons of two deadlines.
func (l *Ladder[T]) Work() structures.Work { return l.queue.Work() }

// CheckInvariants walks the whole structure and names the first broken invariant. It costs O(slots + timers).
func (l *Ladder[T]) CheckInvariants() error { return l.records.Check(&l.queue) }

// Snapshot returns the front, and the levels of lists that hold a record. A free record shows as a stale entry. It costs O(n).
func (l *Ladder[T]) Snapshot() shape.Snapshot { return l.records.Snapshot(&l.queue) }
