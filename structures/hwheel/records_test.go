package hwheel

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// wearOut brings the records that are ready at the desk to the end of their
// generations, but for so many timers, and returns their indexes.
func wearOut(w *Wheel[int], left uint32) map[uint32]bool {
	if w.arrivals.open == 0 {
		w.makeArrivalRoom()
	}
	worn := make(map[uint32]bool)
	d := &w.arrivals
	for position, r := range d.records {
		index := uint32(d.ids[position])
		r.state |= math.MaxUint32
		r.state -= 2 * nextGeneration * state(left)
		d.ids[position] = idOf(index, r.state)
		worn[index] = true
	}
	return worn
}

func TestSpentRecordsAreNeverUsedAgain(t *testing.T) {
	const left = 2
	fates := map[string]func(w *Wheel[int], id structures.ID) bool{
		"cancelled at the desk":  func(w *Wheel[int], id structures.ID) bool { return w.Cancel(id) },
		"cancelled in the wheel": func(w *Wheel[int], id structures.ID) bool { w.insertArrivals(); return w.Cancel(id) },
		"cancelled while staged": func(w *Wheel[int], id structures.ID) bool { w.insertArrivals(); due(w); return w.Cancel(id) },
		"moved, then cancelled": func(w *Wheel[int], id structures.ID) bool {
			w.insertArrivals()
			return w.Reschedule(id, 1) && w.Cancel(id)
		},
		"moved on and away again": func(w *Wheel[int], id structures.ID) bool { return w.Reschedule(id, 1<<40) && w.Cancel(id) },
		"fired": func(w *Wheel[int], id structures.ID) bool {
			timer, ok := w.Pop(w.clock + 100)
			return ok && timer.ID == id && timer.Value == 7
		},
	}
	for name, leave := range fates {
		t.Run(name, func(t *testing.T) {
			w := New[int]()
			worn := wearOut(w, left)
			mustHold(t, w)
			last := 0 // timers with the last ID of their record
			var before structures.ID
			issued := make(map[structures.ID]bool)
			for range 10_000 {
				id := w.Schedule(w.clock+100, 7)
				if issued[id] {
					t.Fatalf("ID %#x was issued before", id)
				}
				issued[id] = true
				if w.Cancel(before) || w.Reschedule(before, 5) || w.Len() != 1 {
					t.Fatalf("ID %#x reaches the timer after it", before)
				}
				before = id
				index, spent := uint32(id), id>>32 == math.MaxUint32
				if worn[index] && spent {
					last++
				}
				if !worn[index] && id>>32 > math.MaxUint32/2 {
					t.Fatalf("ID %#x is of a record that was new", id)
				}
				if !leave(w, id) {
					t.Fatalf("timer %#x cannot leave", id)
				}
				if w.Cancel(id) || w.Reschedule(id, 5) || w.Cancel(id+1<<32) || w.Cancel(structures.ID(index)) {
					t.Fatalf("ID %#x is not refused once its timer is gone", id)
				}
			}
			// A timer alone at the desk is always at the first position.
			if last == 0 {
				t.Error("no record was used to its end")
			}
			mustHold(t, w)
			for range arrivalsLen { // the other positions
				issue := w.Schedule(w.clock+100, 7)
				if issued[issue] {
					t.Fatalf("ID %#x was issued before", issue)
				}
				issued[issue] = true
			}
			mustHold(t, w)
			if fired := drive(w, math.MaxInt64-1); len(fired) != arrivalsLen {
				t.Fatalf("%d timers fired of %d", len(fired), arrivalsLen)
			}
			mustHold(t, w)
		})
	}
}

// due stages what is due at the next tick at which anything is.
func due(w *Wheel[int]) {
	at, _ := w.Next()
	w.clock = max(w.clock, at)
	w.Next()
}

// A record that is spent while its timer is linked lies among the free ones until
// it is picked, and is passed over then, wherever that happens.
func TestManySpentRecordsAreNeverUsedAgain(t *testing.T) {
	w := New[int]()
	worn := wearOut(w, 0)
	for range 100 {
		for range arrivalsLen {
			w.Schedule(w.clock+1, 0)
		}
		if fired := drive(w, w.clock+1); len(fired) != arrivalsLen {
			t.Fatalf("%d timers fired of %d", len(fired), arrivalsLen)
		}
		mustHold(t, w)
	}
	for index := range worn {
		if word := w.records.at(index).state; !word.exhausted() || word.pendingInSlot() {
			t.Fatalf("record %d is not spent: %#x", index, word)
		}
	}
}

// The records are all different, on as many pages as it takes.
func TestRecordsAreGivenOutOnce(t *testing.T) {
	w := New[int]()
	seen := make(map[uint32]bool)
	for n := range 3 << 12 {
		index := w.takeRecord()
		if seen[index] || !w.records.has(structures.ID(index)) {
			t.Fatalf("record %d is given out as number %d", index, n)
		}
		seen[index] = true
		w.records.at(index).value = n
	}
	for _, beyond := range []structures.ID{4 << 12, 5 << 12, math.MaxUint32} {
		if w.records.has(beyond) {
			t.Errorf("there is a record %d", beyond)
		}
	}
	w.records.free.push(77)
	if got := w.takeRecord(); got != 77 {
		t.Errorf("took record %d, want 77, which was freed", got)
	}
}

func TestWordHoldsGenerationPlaceAndStamp(t *testing.T) {
	for _, generation := range []uint32{0, 1, 2, math.MaxUint32 - 1, math.MaxUint32} {
		for _, place := range []state{inSlot, staged, inArrivals, inArrivals | (arrivalsLen-1)<<locationShift} {
			for _, stamp := range []uint16{0, 1, math.MaxUint16} {
				w := state(generation) | place | state(stamp)<<48
				position := 0
				if place&inArrivals != 0 {
					position = int(place &^ inArrivals >> locationShift)
				}
				if w.generation() != generation || w.location() != place || w.version() != stamp || w.position() != position {
					t.Fatalf("%#x: generation %d, place %#x, position %d, stamp %d", w, w.generation(), w.location(), w.position(), w.version())
				}
				if want := generation%2 == 1 && place == inSlot; w.pendingInSlot() != want {
					t.Fatalf("%#x: inWheel() = %t", w, !want)
				}
				if next := w + nextVersion; next.version() != stamp+1 || next.generation() != generation || next.location() != place {
					t.Fatalf("%#x: the next stamp gives %#x", w, next)
				}
				if last := generation == math.MaxUint32; (w + nextGeneration).exhausted() != last {
					t.Fatalf("%#x: spent after it: %t", w, !last)
				}
			}
		}
	}
	if state(0).exhausted() {
		t.Error("a new record is spent")
	}
}

// Stamps come round: an entry of a timer long gone finds its record with the very
// stamp that it has itself. Here nothing but the contract is used.
func TestStampsComeRound(t *testing.T) {
	for _, far := range []structures.Tick{1 << 18, 1 << 20, 1 << 40} {
		w := New[int]()
		id := w.Schedule(far, 0)
		w.insertArrivals()
		stamp := w.records.at(uint32(id)).state.version()
		w.Cancel(id) // leaves an entry behind
		var now structures.Tick
		for now < 1<<18-2 && (now < 2 || w.records.at(uint32(id)).state.version() != stamp) {
			now++
			w.Schedule(now, 0)
			if got := drive(w, now); len(got) != 1 {
				t.Fatalf("%d timers fired at tick %d", len(got), now)
			}
		}
		for range 3 { // one of them gets the record
			w.Schedule(far-1, 1)
			w.insertArrivals()
		}
		r := w.records.at(uint32(id))
		if !r.state.pendingInSlot() || r.state.version() != stamp || w.dead != 1 {
			t.Fatalf("the stamp has not come round: %#x, %d dead entries", r.state, w.dead)
		}
		mustHold(t, w)
		for steps := 0; w.Len() > 0; steps++ {
			at, _ := w.Next()
			mustHold(t, w)
			drive(w, at-1)
			mustHold(t, w)
			if w.Len() != 3 {
				t.Fatalf("a timer fired at %d, before tick %d", w.clock, at)
			}
			if got := drive(w, at); len(got) != 0 && (len(got) != 3 || at != far-1) {
				t.Fatalf("at %d fired %v", at, got)
			}
			mustHold(t, w)
			if steps > 3*w.levels {
				t.Fatal("too many steps")
			}
		}
		drive(w, far)
		mustHold(t, w)
		if w.dead != 0 {
			t.Fatalf("%d dead entries are left", w.dead)
		}
	}
}
