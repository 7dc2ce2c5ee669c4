package auto

import (
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

// Up to fewLimit timers are in lists. If there are more, all move to the wheel. If fewer than fewLimit/backShare remain, all move
// back.
const (
	fewLimit  = 12_000
	backShare = 8
)

// movesPerCall is the number of timers that a call moves from the lists to the wheel, so no call takes long. The earliest move
// first. Timers that may be due move before the wheel looks for due timers.
const movesPerCall = 16

func (t *core) setMode(m mode) {
	t.mode, t.listMax = m, 0
	t.noClear = m == few && !t.records.HasPointers()
	if m == few {
		t.listMax = t.limit
	}
}

// moveToWheel moves some timers from the lists to the wheel, and all timers that may be due. The first call begins the change of
// the mode.
//
// During the change no record in a list is free, unless all its IDs are used: at the limit, more timers are pending than ever
// since they are in lists, and a new timer takes the record that was freed last, so all free records in lists were taken again.
func (t *core) moveToWheel() {
	rs := &t.records
	if t.mode == few {
		if t.wheel == nil {
			t.wheel = hwheel.New(rs, &t.runs)
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
	if t.Len() < t.wheelMin {
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

// toWheel moves the timer of a record to the wheel if it is in a list.
func (t *core) toWheel(index uint32, r *records.Record) {
	if r.Where.InList() && r.Pending() {
		t.lists.Unlink(index, r)
		t.lists.Count(-1)
		t.wheel.Adopt(&t.records, index)
	}
}
