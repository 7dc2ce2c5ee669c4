package auto

import "github.com/timerbench/timerbench/structures"

// While the timers are few, they are in lists. When there are more than fewLimit, all
// move to the wheel. When fewer than a part of it are left, they move back.
const (
	fewLimit = 12_000
	fewAgain = 8
)

// scheduleFew is Schedule while the timers are in lists. The deadline is after the clock.
func (t *Timers[T]) scheduleFew(deadline structures.Tick, value T) structures.ID {
	rs := &t.records
	var index uint32
	var r *record[T]
	if rs.freeCount > 0 { // as take, which is not inlined
		rs.freeCount--
		index = *rs.free.At(rs.freeCount)
		r = rs.At(index)
	} else {
		index = rs.Take()
		r = rs.At(index)
		r.where = nowhere
	}
	r.deadline, r.value = deadline, value
	r.generation++
	t.settled++
	id := idOf(index, r.generation)
	if !t.lists.settled(r.where, deadline) {
		t.lists.place(&t.records, index)
	}
	return id
}

// rescheduleFew is Reschedule for a timer that is in lists, but not where its new deadline
// belongs.
func (t *Timers[T]) rescheduleFew(index uint32, r *record[T], deadline structures.Tick) bool {
	if deadline == r.deadline {
		return true // it may have an entry in the front
	}
	r.deadline = deadline
	if t.mode == changing {
		t.moveToWheel(index, r)
	} else {
		t.lists.place(&t.records, index)
	}
	return true
}

// cancelFew is Cancel for a timer that is in lists, and whose record has the generation of
// the ID.
func (t *Timers[T]) cancelFew(index uint32, r *record[T]) bool {
	if r.generation&1 == 0 {
		return false
	}
	var none T
	r.value = none
	r.generation++
	t.settled--
	if t.records.full() {
		t.records.makeRoom(1)
	}
	t.records.push(index, r)
	return true
}

// popFew is Pop while the timers are in lists.
func (t *Timers[T]) popFew() (due structures.Timer[T], ok bool) {
	rs, f := &t.records, &t.lists.front
	for {
		n := len(f.entries)
		if n == 0 {
			if t.lists.refill(rs, t.clock) {
				continue
			}
			break
		}
		e := f.entries[n-1]
		if e.deadline > t.clock {
			break
		}
		f.entries = f.entries[:n-1]
		r := rs.At(e.index)
		if !stands(e, r) {
			t.lists.work.Dropped++
			continue
		}
		due = structures.Timer[T]{ID: idOf(e.index, e.generation), Deadline: e.deadline, Value: r.value}
		return due, t.cancelFew(e.index, r)
	}
	t.nextWork = t.lists.quiet()
	return due, false
}
