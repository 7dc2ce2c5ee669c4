package hwheel

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// sound returns a wheel in which there is something of everything: timers at the
// desk, staged, in a slot that is being served and in one that is being swept, on
// several levels; dead entries, and free records below the top of the stack.
func sound(t *testing.T) *Wheel[int] {
	t.Helper()
	w := newWheel[int](newGeometry(2, 3))
	var ids []structures.ID
	for range 3 * stackPage {
		ids = append(ids, w.Schedule(2, 0))
	}
	w.insertArrivals()
	for _, id := range ids {
		w.Cancel(id)
	}
	if timer, ok := w.Pop(2); ok || w.records.free.spilled == 0 {
		t.Fatalf("fired %+v", timer)
	}
	for range 5 * chunkLen {
		for _, deadline := range []structures.Tick{5, 7, 8, 15, 90, 1 << 30} {
			ids = append(ids, w.Schedule(deadline, 0))
		}
	}
	w.insertArrivals()
	for i := range 5 * chunkLen {
		w.Cancel(ids[len(ids)-1-6*i]) // of the last deadline
	}
	w.Reschedule(ids[len(ids)-2], 200)
	if _, ok := w.Pop(5); !ok {
		t.Fatal("nothing fires")
	}
	w.Cancel(w.Schedule(20, 0))
	for range 3 {
		w.Schedule(20, 0)
	}
	w.sweeper.slot = w.slotAt(2, 90) - 1
	w.sweepChunk()
	s := &w.firing
	if s.rest == 0 || s.n-s.done < 2 || w.sweeper.rest == 0 || w.lists[w.sweeper.slot] == 0 || w.arrivals.len() != 3 {
		t.Fatalf("staged %d of %d, to serve %d, to sweep %d", s.done, s.n, s.rest, w.sweeper.rest)
	}
	w.nextSlot()
	mustHold(t, w)
	return w
}

// slotOf returns the slot of a level that holds a deadline, and its list.
func slotOf(w *Wheel[int], level int, deadline structures.Tick) (int, *list) {
	slot := w.slot0(deadline)
	if level > 0 {
		slot = w.slotAt(level, deadline)
	}
	return slot, &w.lists[slot]
}

// recordOf returns the record of the last timer in a list.
func recordOf(w *Wheel[int], l list) *record[int] {
	return w.records.at(w.entries.at(uint32(l)).index())
}

func TestCheckInvariantsNamesWhatIsBroken(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(w *Wheel[int])
		want  string
	}{
		{"cursor below 0", func(w *Wheel[int]) { w.cursor = -1 }, "cursor -1"},
		{"cursor after the clock", func(w *Wheel[int]) { w.cursor = w.clock + 1 }, "cursor 6, clock 5"},
		{"cursor at the end", func(w *Wheel[int]) { w.cursor, w.clock = last, last }, "cursor 9223372036854775807"},

		{"slot marked as empty", func(w *Wheel[int]) { slot, _ := slotOf(w, 0, 7); w.occupied.Clear(slot) }, "not marked as occupied"},
		{"empty slot marked", func(w *Wheel[int]) { slot, _ := slotOf(w, 0, 6); w.occupied.Set(slot) }, "marked as occupied, and holds no entries"},
		{"slot emptied", func(w *Wheel[int]) { _, l := slotOf(w, 0, 7); *l = 0 }, "marked as occupied, and holds no entries"},
		{"swept slot marked as empty", func(w *Wheel[int]) {
			w.lists[w.sweeper.slot] = 0
			w.occupied.Clear(w.sweeper.slot)
		}, "not marked as occupied"},
		{"next too late", func(w *Wheel[int]) { w.nextWork = 8 }, "before the next work at 8"},
		{"upper too late", func(w *Wheel[int]) { w.nextAbove = 9 }, "the bound for levels above 0"},
		{"soonest slot", func(w *Wheel[int]) { w.next.slot++ }, "is noted as the next one"},
		{"soonest tick", func(w *Wheel[int]) { w.next.start++ }, "is noted as the next one"},
		{"busy", func(w *Wheel[int]) { w.occupiedSlots[2]++ }, "the counters say"},
		{"busy too low", func(w *Wheel[int]) { w.occupiedSlots[1]-- }, "the counters say"},

		{"list in two slots", func(w *Wheel[int]) {
			_, a := slotOf(w, 0, 7)
			_, b := slotOf(w, 1, 8)
			*a = *b
		}, "in two lists, or empty"},
		{"list that is being swept twice", func(w *Wheel[int]) { _, l := slotOf(w, 1, 8); w.sweeper.rest = *l }, "in two lists, or empty"},
		{"list that is being served twice", func(w *Wheel[int]) { _, l := slotOf(w, 1, 8); w.firing.rest = *l }, "in two lists, or empty"},
		{"list in a circle", func(w *Wheel[int]) {
			_, l := slotOf(w, 1, 8)
			link, _ := w.entries.chunk(*l)
			*link = entry(*l)<<32 | entry(*l)
		}, "in two lists, or empty"},
		{"chunk without entries", func(w *Wheel[int]) { _, l := slotOf(w, 1, 8); *l = *l &^ chunkMask }, "or empty"},
		{"chunk after next", func(w *Wheel[int]) {
			_, l := slotOf(w, 1, 8)
			link, _ := w.entries.chunk(*l)
			*link ^= 1 << 36
		}, " links to "},

		{"entry in a later slot", func(w *Wheel[int]) { _, l := slotOf(w, 0, 7); recordOf(w, *l).deadline = 6 }, "no entry that is reached by its deadline 6"},
		{"entry that leads past the deadline", func(w *Wheel[int]) { _, l := slotOf(w, 1, 15); recordOf(w, *l).deadline = 13 }, "no entry that is reached by its deadline 13"},
		{"entry of another timer", func(w *Wheel[int]) {
			_, l := slotOf(w, 1, 15)
			*w.entries.at(uint32(*l)) = *w.entries.at(uint32(*l - 1))
		}, "has no entry"},
		{"stamp", func(w *Wheel[int]) { _, l := slotOf(w, 1, 15); recordOf(w, *l).state += nextVersion }, "has no entry"},
		{"entry lost", func(w *Wheel[int]) { _, l := slotOf(w, 1, 15); *l-- }, "entries, the counters say"},
		{"lost while sweeping", func(w *Wheel[int]) { w.sweeper.rest-- }, "entries, the counters say"},
		{"lost while serving", func(w *Wheel[int]) { w.firing.rest-- }, "entries, the counters say"},
		{"dead", func(w *Wheel[int]) { w.dead++ }, "entries, the counters say"},
		{"linked", func(w *Wheel[int]) { w.inSlots++; w.dead-- }, "the counter says"},

		{"deadline staged", func(w *Wheel[int]) { w.records.at(w.firing.staged[w.firing.done].index).deadline++ }, "deadline 6 is staged at tick 5"},
		{"place staged", func(w *Wheel[int]) {
			e := &w.firing.staged[w.firing.done]
			w.records.at(e.index).state &^= locationMask
			e.state &^= locationMask
		}, "deadline 5 is staged at tick 5"},
		{"staged lost", func(w *Wheel[int]) { w.firing.done++ }, "entries, the counters say"},
		{"word staged", func(w *Wheel[int]) { w.firing.staged[w.firing.done].state += nextVersion }, "has no entry"},

		{"free twice", func(w *Wheel[int]) { f := &w.records.free; f.top[0] = f.top[1] }, "is free twice"},
		{"free twice below the top", func(w *Wheel[int]) { f := &w.records.free; f.pages[0][0] = f.top[0] }, "is free twice"},
		{"free and never used", func(w *Wheel[int]) { w.records.free.top[0] = w.records.fresh }, "was never used"},
		{"next at the desk and free", func(w *Wheel[int]) { w.arrivals.nextRecords[3] = w.records.free.top[0] }, "is free twice"},
		{"neither in use nor free", func(w *Wheel[int]) { w.records.free.n-- }, "neither in use nor free"},
		{"free and in use", func(w *Wheel[int]) { w.records.at(w.records.free.top[0]).state += nextGeneration }, "is free and in use"},
		{"in use and nowhere", func(w *Wheel[int]) {
			f := &w.records.free
			f.n--
			w.records.at(f.top[f.n]).state = nextGeneration | inArrivals | 7<<locationShift
		}, "is not at position 7 of the arrival buffer"},

		{"record of a position", func(w *Wheel[int]) { w.arrivals.records[5] = w.arrivals.records[6] }, "position 5 has ID"},
		{"ID of a position", func(w *Wheel[int]) { w.arrivals.ids[5] += 2 << 32 }, "position 5 has ID"},
		{"generation at the desk", func(w *Wheel[int]) { w.arrivals.records[5].state += 2 * nextGeneration }, "position 5 has ID"},
		{"even generation at the desk", func(w *Wheel[int]) {
			w.arrivals.records[31].state += nextGeneration
			w.arrivals.ids[31] += 1 << 32
		}, "position 31 has ID"},
		{"not at the desk", func(w *Wheel[int]) { w.arrivals.records[5].state &^= inArrivals }, "position 5 has ID"},
		{"record like that of a position", func(w *Wheel[int]) {
			d := &w.arrivals
			other := w.records.at(d.nextRecords[5])
			*other = *d.records[5]
			d.records[5] = other
		}, "position 5 has ID"},
		{"position at the desk", func(w *Wheel[int]) { w.arrivals.records[5].state ^= 1 << locationShift }, "position 5 has ID"},
		{"another position's record", func(w *Wheel[int]) {
			d := &w.arrivals
			d.records[5], d.records[6] = d.records[6], d.records[5]
			d.ids[5], d.ids[6] = d.ids[6], d.ids[5]
		}, "position 5 has ID"},
		{"due at the desk", func(w *Wheel[int]) { w.arrivals.records[0].deadline = 3 }, "deadline 3 is before the next work"},

		{"chunk free and in use", func(w *Wheel[int]) {
			_, l := slotOf(w, 1, 8)
			first := list(uint32(*l) &^ chunkMask)
			*w.entries.at(uint32(w.entries.free)) = entry(first)
		}, "is free and in use"},
		{"chunk lost", func(w *Wheel[int]) { w.entries.free = list(*w.entries.at(uint32(w.entries.free))) }, "chunks, want"},
		{"chunk too many", func(w *Wheel[int]) { w.entries.fresh -= chunkLen }, "chunks, want"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := sound(t)
			c.spoil(w)
			err := w.CheckInvariants()
			if err == nil {
				t.Fatal("nothing was found")
			}
			if got := err.Error(); !strings.HasPrefix(got, "hwheel: ") || !strings.Contains(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// A check is only a look.
func TestCheckInvariantsChangesNothing(t *testing.T) {
	w := sound(t)
	w.nextAbove = w.clock // a bound that is lower than need be
	upper, soonest, work := w.nextAbove, w.next, w.Work()
	for range 3 {
		mustHold(t, w)
	}
	if w.nextAbove != upper || w.next != soonest || w.Work() != work {
		t.Error("something has changed")
	}
}
