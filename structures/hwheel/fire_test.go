package hwheel

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// Jumps of every width, from around every power of two, over timers around every
// power of two.
func TestJumpsOfEveryWidth(t *testing.T) {
	forShapes(t, func(t *testing.T, g geometry) {
		for width := range 62 {
			w := newWheel[int](g)
			var pending []structures.Tick
			for from := width % 5; from < 62; from += 5 {
				start := max(w.clock, 1<<from-1)
				for bits := (from + width) % 4; bits < 62; bits += 4 {
					for _, deadline := range []structures.Tick{start + 1<<bits - 1, start + 1<<bits, start + 1<<bits + 1} {
						if deadline > start {
							w.Schedule(deadline, 0)
							pending = append(pending, deadline)
						}
					}
				}
				slices.Sort(pending)
				end := start + min(1<<width, last-start)
				due, _ := slices.BinarySearch(pending, end+min(1, last-end))
				if end == last {
					due = len(pending)
				}
				if got := drive(w, end); !slices.Equal(got, pending[:due]) {
					t.Fatalf("a jump from %d to %d fired %v, want %v", start, end, got, pending[:due])
				}
				pending = pending[due:]
				if end == last {
					break
				}
			}
			mustHold(t, w)
		}
	})
}

// Any set of timers fires by one jump in the order of their deadlines, all of them.
func TestOneJumpFiresAllInOrder(t *testing.T) {
	forShapes(t, func(t *testing.T, g geometry) {
		rng := rand.New(rand.NewPCG(9, uint64(g.ringBits)))
		for round := range 63 {
			w := newWheel[int](g)
			drive(w, structures.Tick(rng.Uint64()>>1>>rng.IntN(63)))
			var want []structures.Tick
			for range 60 {
				delay := structures.Tick(rng.Uint64()>>1) >> rng.IntN(63)
				deadline := w.clock + min(max(delay>>(62-round), 1), last-w.clock)
				w.Schedule(deadline, 0)
				want = append(want, deadline)
			}
			slices.Sort(want)
			if got := drive(w, last); !slices.Equal(got, want) {
				t.Fatalf("fired %v, want %v", got, want)
			}
			if w.dead != 0 || w.Len() != 0 || w.occupiedSlots != [maxLevels]int{} {
				t.Fatalf("%d dead entries, %d timers, slots %v are left", w.dead, w.Len(), w.occupiedSlots)
			}
			mustHold(t, w)
		}
	})
}

// The last ticks there are, from each of them.
func TestClockAtTheEndOfTime(t *testing.T) {
	forShapes(t, func(t *testing.T, g geometry) {
		width := structures.Tick(1) << (2 * g.levelBits)
		for _, before := range []structures.Tick{0, 1, 2, 3, width - 1, width, 5*width + 1, 1 << 40} {
			s := newTracker(t, newWheel[int](g))
			drive(s.w, last-before)
			var ids []structures.ID
			for _, left := range []structures.Tick{0, 0, 1, 2, 3, width - 1, width, width + 1, 1 << 30} {
				if left < max(before, 1) {
					ids = append(ids, s.schedule(last-left))
				}
			}
			if s.w.clock == last { // the tick after it is the same one: due at once
				if at, ok := s.w.Next(); at != last || !ok {
					t.Fatalf("Next() = %d, %t at the last tick", at, ok)
				}
			}
			for i, id := range ids { // later, which has to stay where it is, and earlier
				s.reschedule(id, last)
				if i%2 == 0 && before > 0 {
					s.reschedule(id, last-before+1)
				}
			}
			mustHold(t, s.w)
			s.drain()
			s.pop(last, 1)
			for range 3 {
				id := s.schedule(last)
				s.w.Reschedule(id, last-5) // counts as the last tick
				mustHold(t, s.w)
				if n := s.pop(last, 9); n != 1 {
					t.Fatalf("%d timers fired at the last tick, want 1", n)
				}
			}
			if s.w.cursor == last || s.w.Len() != 0 {
				t.Fatalf("cursor %d, %d timers at the end", s.w.cursor, s.w.Len())
			}
		}
	})
}

// What is scheduled while a tick fires goes where it belongs as seen from there.
func TestScheduleWhileATickFires(t *testing.T) {
	forShapes(t, func(t *testing.T, g geometry) {
		s := newTracker(t, newWheel[int](g))
		turn := structures.Tick(1) << g.levelBits
		for range 200 {
			s.schedule(70)
		}
		for n := 0; s.pop(90, 1) == 1; n++ {
			// The same slot a turn later, the next ones, and far away.
			s.schedule(90 + []structures.Tick{1, 2, turn - 1, turn, turn + 1, turn * turn, 1 << 30}[n%7])
			if n%3 == 0 {
				s.reschedule(s.ids[n%len(s.ids)], 91+structures.Tick(n))
			}
			if n%5 == 0 {
				s.cancel(n % len(s.ids))
			}
			if n%4 == 0 {
				s.w.insertArrivals()
			}
			mustHold(t, s.w)
		}
		s.drain()
	})
}

// What a tick has staged, and what it has not, can be moved and cancelled.
func TestManyTimersOfOneTick(t *testing.T) {
	const pending, fired, cancelled, moved = 0, 1, 2, 3
	n := 100_000
	if testing.Short() {
		n = 20_000
	}
	w := New[int]()
	for _, settled := range []bool{true, false} {
		at := w.clock + 100_000
		rng := rand.New(rand.NewPCG(11, 12))
		ids := make([]structures.ID, n)
		state := make([]int, n)
		count := [4]int{pending: n}
		become := func(i, to int) {
			count[state[i]]--
			count[to]++
			state[i] = to
		}
		for i := range ids {
			ids[i] = w.Schedule(at, i)
		}
		if settled {
			w.insertArrivals()
		}
		for count[pending] > 0 {
			timer, ok := w.Pop(at)
			if !ok || timer.Deadline != at || state[timer.Value] != pending || ids[timer.Value] != timer.ID {
				t.Fatalf("with %d pending fired %+v, %t, whose state is %d", count[pending], timer, ok, state[timer.Value])
			}
			become(timer.Value, fired)
			for range rng.IntN(4) {
				i := rng.IntN(n)
				is := state[i] == pending || state[i] == moved
				if got := w.Cancel(ids[i]); got != is {
					t.Fatalf("Cancel = %t of a timer whose state is %d", got, state[i])
				}
				if is {
					become(i, cancelled)
				}
			}
			if i := rng.IntN(n); rng.IntN(3) == 0 && state[i] == pending {
				w.Reschedule(ids[i], at+1+structures.Tick(rng.IntN(600)))
				become(i, moved)
			}
			if rng.IntN(n/20) == 0 {
				mustHold(t, w)
				if next, ok := w.Next(); count[pending] > 0 && (next != at || !ok) {
					t.Fatalf("Next() = %d, %t with %d timers due at %d", next, ok, count[pending], at)
				}
			}
		}
		if timer, ok := w.Pop(at); ok {
			t.Fatalf("fired %+v, and none was left", timer)
		}
		mustHold(t, w)
		if got := len(drive(w, at+600)); got != count[moved] || w.Len() != 0 || w.dead != 0 {
			t.Fatalf("%d timers fired of %d that were moved, and %d dead entries are left", got, count[moved], w.dead)
		}
		mustHold(t, w)
	}
}

// Timers that are moved over and over end where they were moved to last.
func TestMovesOverTime(t *testing.T) {
	forShapes(t, func(t *testing.T, g geometry) {
		rng := rand.New(rand.NewPCG(13, uint64(g.ringBits)))
		s := newTracker(t, newWheel[int](g))
		for range 100 {
			s.schedule(structures.Tick(1 + rng.IntN(1<<20)))
		}
		for range 4000 {
			id := s.ids[rng.IntN(len(s.ids))]
			now, deadline := s.w.clock, s.pending[id]
			switch rng.IntN(4) {
			case 0: // a little later
				deadline += structures.Tick(rng.IntN(30))
			case 1: // a lot later
				deadline += structures.Tick(rng.IntN(1 << (1 + rng.IntN(30))))
			case 2: // earlier
				deadline = now + 1 + (deadline-now)/structures.Tick(1+rng.IntN(50))
			case 3: // to where another one is
				deadline = s.pending[s.ids[rng.IntN(len(s.ids))]]
			}
			s.reschedule(id, max(deadline, now+1))
			if rng.IntN(3) == 0 {
				s.w.insertArrivals()
			}
			if rng.IntN(10) == 0 {
				at, _ := s.w.Next()
				s.pop(at, 1+rng.IntN(3))
			}
			for len(s.ids) < 100 {
				s.schedule(s.w.clock + 1 + structures.Tick(rng.IntN(1<<10)))
			}
			if rng.IntN(8) == 0 && (g.levelBits < 5 || rng.IntN(8) == 0) {
				mustHold(t, s.w)
			}
		}
		s.drain()
	})
}

// Staging stops before it holds more than there is room for, however the entries
// of a slot are mixed.
func TestStagingKeepsToItsRoom(t *testing.T) {
	for _, late := range []int{0, 1, 2, 15, 16, 48, 49, 100} {
		s := newTracker(t, New[int]())
		rng := rand.New(rand.NewPCG(15, 16))
		for range 100 + late {
			s.schedule(50)
		}
		s.w.insertArrivals()
		slices.SortFunc(s.ids, func(a, b structures.ID) int { return cmp.Compare(uint32(a), uint32(b)) })
		rng.Shuffle(len(s.ids), func(i, j int) { s.ids[i], s.ids[j] = s.ids[j], s.ids[i] })
		for _, id := range s.ids[:late] {
			s.reschedule(id, 60)
		}
		if got := s.pop(50, math.MaxInt); got != 100 {
			t.Fatalf("%d timers fired, want 100 beside %d that were moved", got, late)
		}
		if got, want := s.w.Work().Moved, uint64(late); got != want {
			t.Fatalf("%d timers moved, want %d", got, want)
		}
		if got := s.pop(60, math.MaxInt); got != late {
			t.Fatalf("%d timers fired, want the %d that were moved", got, late)
		}
		mustHold(t, s.w)
	}
}

// A Pop that finds nothing notes how far there is nothing, so that the next one need
// not look, and what is scheduled then is placed from there.
func TestIdlePopNotesWhatItHasFound(t *testing.T) {
	w := New[int]()
	id := w.Schedule(10, 0)
	w.Schedule(1<<18+5, 0)
	w.insertArrivals()
	w.Cancel(id)
	if fired := drive(w, 100); len(fired) != 0 || w.nextWork != 1<<18 || w.cursor != 100 {
		t.Errorf("fired %v, next look at %d, cursor %d, want nothing, %d and 100", fired, w.nextWork, w.cursor, 1<<18)
	}
	mustHold(t, w)
	w = New[int]()
	w.Cancel(w.Schedule(10, 0))
	if fired := drive(w, 100); len(fired) != 0 || w.nextWork != last || w.cursor != 100 {
		t.Errorf("fired %v, next look at %d, cursor %d, want nothing, never and 100", fired, w.nextWork, w.cursor)
	}
	mustHold(t, w)
}

// What a tick leaves behind is placed as seen from that tick: 300 is too far for
// level 0 as seen from tick 0.
func TestTimersMovedOnArePlacedFromTheTickThatFires(t *testing.T) {
	w := New[int]()
	id := w.Schedule(200, 0)
	w.Schedule(200, 0)
	w.insertArrivals()
	w.Reschedule(id, 300)
	if _, ok := w.Pop(1000); !ok || w.cursor != 200 || w.occupiedSlots != [maxLevels]int{0: 1} {
		t.Errorf("fired: %t, cursor %d, slots in use by level: %v", ok, w.cursor, w.occupiedSlots)
	}
	mustHold(t, w)
}

// Of slots that start at one tick the highest goes first, into those below.
func TestSlotsThatStartTogetherCascadeTogether(t *testing.T) {
	g := newGeometry(2, 3)
	w := newWheel[int](g)
	// Seen from tick 0: 64 starts a slot of level 1, 2 and 3 alike.
	for _, from := range []structures.Tick{0, 40, 62} {
		drive(w, from)
		for _, deadline := range []structures.Tick{64, 65, 66, 75, 76, 79, 80, 100, 127} {
			w.Schedule(deadline, 0)
		}
		w.insertArrivals()
		mustHold(t, w)
	}
	if at, _ := w.Next(); at != 64 {
		t.Fatalf("Next() = %d, want 64", at)
	}
	var got []structures.Tick
	for now := structures.Tick(63); now <= 127; now++ {
		for _, deadline := range drive(w, now) {
			if deadline != now {
				t.Fatalf("deadline %d fired at %d", deadline, now)
			}
			got = append(got, deadline)
		}
		mustHold(t, w)
	}
	if len(got) != 27 {
		t.Fatalf("fired %v", got)
	}
}
