package auto

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/runs"
)

// missSampleMask chooses the new timers of which the runs are told if they went to lists, 32 in a row.
const missSampleMask = 32*runs.MissedShare - 32

// At every gatherEvery-th new timer that may not stay where its record is, a handful of timers in lists becomes a pile.
const gatherEvery, handful = 1024, 8

// placeInRun puts a new timer into a run, or tells the runs of it and puts it into a list.
func (t *core) placeInRun(index uint32, r *records.Record) (structures.ID, *records.Record) {
	if t.runs.Add(index, r) {
		return records.IDOf(index, r.Generation), r
	}
	return t.placeSlowly(index, r) // last, so that no variable is saved across a call
}

func (t *core) placeSlowly(index uint32, r *records.Record) (structures.ID, *records.Record) {
	if t.lists.Came()%gatherEvery == 0 && t.lists.Len() <= handful && !t.lists.InPile() && !r.Where.InList() {
		t.lists.Gather(&t.records)
	}
	if r.Deadline < t.runs.From {
		t.runs.Miss(r.Deadline)
	} else if (!r.Where.InList() || t.lists.InPile()) && t.runs.AddSlowly(&t.records, index, r, t.lists.Len()) {
		return records.IDOf(index, r.Generation), r
	}
	return t.lists.Place(&t.records, index, r)
}

// popRuns is Pop if runs have an entry that is due. To get a timer that is due before the entry, it sets the clock back, so that
// lists and wheel do not work on later ticks.
func (t *core) popRuns() (structures.ID, *records.Record) {
	rs := &t.records
	for t.runs.Due <= rs.Clock && t.runs.Due != runs.Never {
		e, r := t.runs.First(rs)
		if t.mode == few && t.lists.MayFire(e.Deadline) || t.mode != few && t.wheel.MayFire(e.Deadline) {
			now := rs.Clock
			rs.Clock = e.Deadline - 1
			id, r := t.popOthers()
			if rs.Clock = now; r != nil {
				return id, r
			}
			continue // the first entry may have been removed
		}
		switch {
		case r == nil:
			t.runs.Drop(rs)
		case r.Deadline > e.Deadline:
			t.placeAgain(e.Index, r)
		default:
			if !t.runs.TakeNext() {
				t.runs.Take(rs)
			}
			if t.mode == few {
				t.lists.Count(-1)
			} else {
				t.runs.Live--
			}
			id := records.IDOf(e.Index, r.Generation)
			if r.End(); !rs.TryRelease(e.Index, r) {
				rs.Release(e.Index, r)
			}
			return id, r
		}
	}
	return t.popOthers()
}

// popOthers is Pop for the timers in no run.
func (t *core) popOthers() (structures.ID, *records.Record) {
	if t.mode != few {
		return t.wheel.Pop(&t.records)
	} else if t.lists.Quiet() > t.records.Clock {
		return 0, nil // nearly always if timers come in order
	} else if t.lists.InPile() {
		return t.lists.PopPile(&t.records)
	}
	return t.lists.Pop(&t.records)
}

// placeAgain takes the first entry of the runs, whose timer moved to a later tick, and puts the timer where its deadline belongs.
func (t *core) placeAgain(index uint32, r *records.Record) {
	rs := &t.records
	t.runs.Moved(rs)
	switch {
	case r.Deadline >= t.runs.From && t.runs.AddSlowly(rs, index, r, t.Len()):
	case t.mode == few:
		r.Where = records.Nowhere
		t.lists.Place(rs, index, r)
	default:
		t.runs.Live--
		t.wheel.Adopt(rs, index)
	}
}

// firstInRuns returns the deadline of the first timer in runs, or the last tick of all. If up to 1000 dead entries that are not
// due come before it, it may remove those and return the deadline of the next entry.
func (t *core) firstInRuns() structures.Tick {
	for n := 0; t.runs.Due != runs.Never && (n < 60 || t.runs.Due <= t.records.Clock); n++ {
		e, r := t.runs.First(&t.records)
		switch {
		case r == nil:
			t.runs.Drop(&t.records)
		case r.Deadline > e.Deadline:
			t.placeAgain(e.Index, r)
		default:
			return e.Deadline
		}
	}
	return t.runs.Due
}

// cancelInRun is Cancel for a record in a run, which may be free, while the mode is not few.
func (t *core) cancelInRun(index uint32, r *records.Record) bool {
	if !r.Pending() {
		return false
	}
	r.End()
	r.Where = records.Nowhere
	t.runs.Leave(&t.records)
	t.records.Release(index, r)
	return true
}
