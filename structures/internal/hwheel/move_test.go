package hwheel

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

// A timer that moves to an earlier deadline and at once back keeps its place above level 0, also if it moves in between.
// A timer that does not come back, or comes back to an earlier deadline, or is cancelled, leaves its place.
func TestATimerThatMovesBackKeepsItsPlace(t *testing.T) {
	set := records.Of[int]()
	rs, w := &set, New(&set, nil)
	var ids []structures.ID
	for range 5 {
		id, _ := w.Schedule(rs, 20_000)
		ids = append(ids, id)
	}
	near, _ := w.Schedule(rs, 1000)
	w.Next(rs)
	record := func(id structures.ID) *records.Record { return rs.At(uint32(id)) }
	move := func(id structures.ID, deadlines ...structures.Tick) {
		for _, at := range deadlines {
			w.Reschedule(rs, uint32(id), record(id), at)
		}
	}
	before := make([]records.Where, len(ids))
	for i, id := range ids {
		before[i] = record(id).Where
	}
	move(ids[0], 500, 20_000)
	move(ids[1], 500, 600, 30_000)
	move(ids[2], 500)
	move(ids[3], 500)
	w.CancelElsewhere(rs, record(ids[3]))
	move(ids[4], 500, 19_999)
	move(near, 500, 1001)
	for range 2 {
		if err := rs.Check(w); err != nil {
			t.Fatal(err)
		}
		w.clearDepartures(rs)
	}
	for i, want := range []bool{true, true, false, false, false} {
		if got := record(ids[i]).Where == before[i]; got != want {
			t.Errorf("timer %d keeps its place: %t, want %t", i, got, want)
		}
	}
	for _, want := range []struct {
		id structures.ID
		at structures.Tick
	}{{ids[2], 500}, {near, 1001}, {ids[4], 19_999}, {ids[0], 20_000}, {ids[1], 30_000}} {
		rs.Clock = want.at - 1
		if id, _ := w.Pop(rs); id != 0 {
			t.Errorf("timer %#x fires before %d", id, want.at)
		}
		rs.Clock = want.at
		if id, r := w.Pop(rs); id != want.id || r.Deadline != want.at {
			t.Errorf("timer %#x fires at %d, want %#x", id, want.at, want.id)
		}
	}
}

func TestCheckFindsPlacesWithoutTimers(t *testing.T) {
	for name, harm := range map[string]func(w *Wheel){
		"a chunk has no timers":         func(w *Wheel) { w.levels[1].lists[78] = w.addChunk(w.levels[1], 1, 78) },
		"a departure has left no place": func(w *Wheel) { w.chunks.clear(w.left[0].from) },
	} {
		rs := records.Of[int]()
		w := New(&rs, nil)
		id, _ := w.Schedule(&rs, 78<<8)
		w.Schedule(&rs, 78<<8)
		w.Next(&rs)
		w.Reschedule(&rs, uint32(id), rs.At(uint32(id)), 90)
		if err := rs.Check(w); err != nil {
			t.Fatal(err)
		}
		if harm(w); rs.Check(w) == nil {
			t.Errorf("%s: Check finds nothing", name)
		}
	}
}
