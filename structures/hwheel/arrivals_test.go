package hwheel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// kept returns the values that the records hold, in order.
func kept(w *Wheel[*int]) (values []int) {
	for index := range w.records.room {
		if v := w.records.at(index).value; v != nil {
			values = append(values, *v)
		}
	}
	slices.Sort(values)
	return values
}

func TestValuesAreReleasedWhereverTheTimerIs(t *testing.T) {
	const at = 1000
	later := func(w *Wheel[*int], id structures.ID) { w.Reschedule(id, 2*at) }
	earlier := func(w *Wheel[*int], id structures.ID) { w.Reschedule(id, at/2) }
	settle := func(w *Wheel[*int], _ structures.ID) { w.insertArrivals() }
	stage := func(w *Wheel[*int], _ structures.ID) { w.insertArrivals(); w.clock = 3 * at; w.Next() }
	cancel := func(w *Wheel[*int], id structures.ID) { w.Cancel(id) }
	fire := func(w *Wheel[*int], _ structures.ID) { w.Pop(3 * at) }
	for name, steps := range map[string][]func(*Wheel[*int], structures.ID){
		"cancelled at the desk":                 {cancel},
		"moved and cancelled at the desk":       {later, earlier, cancel},
		"cancelled in the wheel":                {settle, cancel},
		"moved later and cancelled":             {settle, later, cancel},
		"moved earlier and cancelled":           {settle, earlier, cancel},
		"cancelled while staged":                {settle, stage, cancel},
		"moved while staged and cancelled":      {settle, stage, later, cancel},
		"fired from the desk":                   {fire},
		"fired":                                 {settle, fire},
		"moved at the desk and fired":           {earlier, fire},
		"moved later and fired":                 {settle, later, fire},
		"moved earlier and fired":               {settle, earlier, fire},
		"moved there and back and fired":        {settle, earlier, later, fire},
		"moved from the desk and back, settled": {later, earlier, settle, fire},
	} {
		t.Run(name, func(t *testing.T) {
			w := New[*int]()
			value, other := 7, 8
			id := w.Schedule(at, &value)
			w.Schedule(1<<40, &other)
			for _, step := range steps {
				if got := kept(w); !slices.Equal(got, []int{7, 8}) {
					t.Fatalf("the records hold %v, want 7 and 8", got)
				}
				step(w, id)
			}
			if got := kept(w); !slices.Equal(got, []int{8}) {
				t.Errorf("the records hold %v, want 8", got)
			}
			mustHold(t, w)
		})
	}
}

func TestTheDeskSettlesWhenItIsFull(t *testing.T) {
	w := New[int]()
	for n := 1; n <= 5*arrivalsLen; n++ {
		w.Schedule(100, 0)
		if want := (n - 1) / arrivalsLen * arrivalsLen; w.inSlots != want || w.arrivals.len() != n-want || w.Len() != n {
			t.Fatalf("%d timers: %d in the wheel and %d at the desk, want %d in the wheel", n, w.inSlots, w.arrivals.len(), want)
		}
	}
	mustHold(t, w)
}

// The IDs that are ready are those that come next, and are not to be used before.
func TestIDsThatAreReadyAreRefused(t *testing.T) {
	w := New[int]()
	w.makeArrivalRoom()
	for round := range 3 {
		ready := w.arrivals.ids
		for position, id := range ready {
			word := w.arrivals.records[position].state
			if w.Cancel(id) || w.Reschedule(id, 5) {
				t.Fatalf("ID %#x names a timer before it is given out", id)
			}
			if w.arrivals.records[position].state != word || w.arrivals.ids[position] != id || w.nextWork <= 5 {
				t.Fatalf("refusing ID %#x has changed something", id)
			}
		}
		for position, want := range ready {
			if id := w.Schedule(100, 0); id != want {
				t.Fatalf("ID %#x comes at position %d, want %#x", id, position, want)
			}
		}
		for _, position := range []int{3, 0, 17, arrivalsLen - 1} { // these go, one of them twice
			for range 1 + round {
				id := w.arrivals.ids[position]
				if !w.Cancel(id) || w.Cancel(id) || w.Len() != arrivalsLen-1 {
					t.Fatalf("timer %#x cannot be cancelled just once", id)
				}
				next := w.Schedule(100, 0)
				if uint32(next) != uint32(id) || next != id+2<<32 || w.arrivals.len() != arrivalsLen {
					t.Fatalf("ID %#x comes after %#x: the record stays at its position", next, id)
				}
			}
		}
		mustHold(t, w)
		if fired := drive(w, w.clock+100); len(fired) != arrivalsLen {
			t.Fatalf("%d timers fired, want %d", len(fired), arrivalsLen)
		}
	}
}

// What settles late is placed from where the clock is, not from where the last
// timer fired.
func TestSettlingStartsFromTheClock(t *testing.T) {
	w := New[int]()
	w.Schedule(1<<20, 0)
	drive(w, 1<<19)
	for range arrivalsLen { // settles, with nothing else before
		w.Schedule(1<<19+100, 0)
	}
	// As seen from tick 0 these are on level 1, and the first one on level 2.
	if got := w.occupiedSlots; got != [maxLevels]int{0: 1, 1: 1} {
		t.Errorf("slots in use by level: %v, want one of level 0 and one of level 1", got)
	}
	id := w.Schedule(1<<19+600, 0)
	w.insertArrivals()
	drive(w, 1<<19+50)
	w.clock += 20 // as a Pop would that finds nothing due
	w.Reschedule(id, 1<<19+320)
	if got := w.occupiedSlots[0]; got != 2 {
		t.Errorf("%d slots of level 0 in use, want 2", got)
	}
}

// Nothing is moved past: neither the cursor past what is due, nor back.
func TestCatchUpStaysBehindWhatIsDue(t *testing.T) {
	for _, c := range []struct{ cursor, now, next, want structures.Tick }{
		{0, 10, 100, 10},
		{0, 100, 10, 9},
		{0, 10, 11, 10},
		{0, 10, 10, 9},
		{50, 60, 40, 50},
		{5, 5, last, 5},
		{0, last - 1, last, last - 1},
		{0, last, last, last - 1},
		{last - 1, last, last, last - 1},
	} {
		w := New[int]()
		w.cursor, w.clock, w.nextWork = c.cursor, c.now, c.next
		if w.advanceCursor(); w.cursor != c.want {
			t.Errorf("cursor %d, clock %d, next %d: caught up to %d, want %d", c.cursor, c.now, c.next, w.cursor, c.want)
		}
	}
}

func TestDeskAgainstMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	s := newTracker(t, New[int]())
	for range 20_000 {
		at := s.w.clock + 1 + structures.Tick(rng.IntN(100))
		switch op := rng.IntN(20); {
		case op < 10:
			s.schedule(at)
		case op < 17 && len(s.ids) > 0:
			s.cancel(len(s.ids) - 1 - rng.IntN(min(20, len(s.ids)))) // one of the last, mostly
		case op < 19 && len(s.ids) > 0:
			s.reschedule(s.ids[rng.IntN(len(s.ids))], at)
		case op == 19 && rng.IntN(8) == 0:
			s.pop(s.w.clock+structures.Tick(rng.IntN(40)), 10)
		}
		if s.w.Len() != len(s.pending) {
			t.Fatalf("%d timers, want %d", s.w.Len(), len(s.pending))
		}
	}
	s.drain()
}
