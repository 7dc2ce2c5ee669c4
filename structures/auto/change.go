package auto

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/hwheel"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// mode is where the timers are.
type mode uint8

const (
	few      mode = iota // in lists
	changing             // in lists and in the wheel; timers move from the lists to the wheel
	many                 // in the wheel
)

// While the timers are few, they are in lists. When there are more than fewLimit, all
// move to the wheel. When fewer than a part of it are left, they move back.
const (
	fewLimit = 12_000
	fewAgain = 8
)

// movesPerCall is how many timers move from the lists to the wheel in a call, the next ones
// first. So no call takes long. Those that may be due move before the wheel looks for them.
const movesPerCall = 16

func (t *core) setMode(m mode) {
	t.mode, t.room = m, 0
	t.lists.SetPlain(m == few && !t.records.HasPointers())
	if m == few {
		t.room = t.limit
	}
}

func (t *core) makeWheel() {
	w := hwheel.New()
	t.wheel = &w
}

// moveToWheel moves some timers from the lists to the wheel, and all that may be due. While all
// are in lists, it begins with that.
//
// Then no record in a list is free, unless all its IDs are used. At the limit, as many timers
// are pending as ever since they are in lists, and the record that was freed last is taken
// first. So those of all free records that were in lists were taken again.
func (t *core) moveToWheel() {
	rs := &t.records
	if t.mode == few {
		if t.wheel == nil {
			t.makeWheel()
		}
		t.wheel.Begin(t.lists.End(rs))
		t.setMode(changing)
	}
	for n := 0; n < movesPerCall || t.lists.Starts() <= rs.Clock; n++ {
		index, ok := t.lists.TakeFirst(rs)
		if !ok {
			t.setMode(many)
			return
		}
		t.wheel.Adopt(rs, index)
	}
}

// moveOn moves timers to the wheel, or all that are left back to the lists if they are few.
func (t *core) moveOn() {
	if t.Len() < t.again {
		t.moveToLists()
	} else {
		t.moveToWheel()
	}
}

// moveToLists moves all timers from the wheel to the lists. It costs O(timers).
func (t *core) moveToLists() {
	rs := &t.records
	cursor := t.wheel.End(rs)
	if t.mode == many {
		t.lists.Begin(cursor)
	}
	for index, ok := t.wheel.TakeFirst(rs); ok; index, ok = t.wheel.TakeFirst(rs) {
		t.lists.Adopt(rs, index)
	}
	t.setMode(few)
}

// cancelListed is Cancel for a timer that is in a list while timers move. Its record leaves the
// list, because the wheel may take it.
func (t *core) cancelListed(index uint32, r *records.Record) bool {
	t.lists.Remove(&t.records, index)
	r.End()
	t.records.Release(index, r)
	return true
}

// rescheduleListed is Reschedule for a timer that is in a list while timers move.
func (t *core) rescheduleListed(
	index uint32, r *records.Record, deadline structures.Tick,
) bool {
	t.lists.Remove(&t.records, index)
	r.Deadline = deadline
	t.wheel.Adopt(&t.records, index)
	return true
}
