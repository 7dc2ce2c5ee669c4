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

// Up to fewLimit timers are in lists. If there are more, all move to the wheel. If fewer than fewLimit/fewAgain
// remain, all move back.
const (
	fewLimit = 12_000
	fewAgain = 8
)

// movesPerCall is the number of timers that a call moves from the lists to the wheel, so no call takes long. The
// earliest move first. Timers that may be due move before the wheel looks for due timers.
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
	t.wheel.Runs = &t.runs
}

// moveToWheel moves some timers from the lists to the wheel, and all timers that may be due. The first call begins
// the change of the mode.
//
// During the change no record in a list is free, unless all its IDs are used: at the limit, more timers are pending
// than ever since they are in lists, and a new timer takes the record that was freed last, so all free records in
// lists were taken again.
func (t *core) moveToWheel() {
	rs := &t.records
	if t.mode == few {
		if t.wheel == nil {
			t.makeWheel()
		}
		t.wheel.Begin(min(t.lists.End(rs), t.runs.Due)) // timers that are due may be in runs
		t.runs.Count(rs)
		t.lists.Count(-t.runs.Live)
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

// moveOn moves some timers to the wheel, or all timers back to the lists if few remain.
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
	t.lists.Count(t.runs.Live)
	t.runs.Live = 0
	t.setMode(few)
}

// cancelListed is Cancel for a timer that is in a list while timers move to the wheel. The record leaves the list,
// because the wheel may take the record.
func (t *core) cancelListed(index uint32, r *records.Record) bool {
	t.lists.Remove(&t.records, index)
	r.End()
	t.records.Release(index, r)
	return true
}

// rescheduleListed is Reschedule for a timer that is in a list while timers move to the wheel.
func (t *core) rescheduleListed(
	index uint32, r *records.Record, deadline structures.Tick,
) bool {
	t.lists.Remove(&t.records, index)
	r.Deadline = deadline
	t.wheel.Adopt(&t.records, index)
	return true
}
