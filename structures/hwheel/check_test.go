package hwheel

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
)

// sound returns a wheel at tick 5 that has timers in the arrival buffer, staged, in
// the slot that fires, in the slot that is being swept, and on several levels. It
// has dead entries, and so many free records that the stack has spilled.
func sound(t *testing.T) *Wheel[int] {
	t.Helper()
	w := newWheel[int](newGeometry(2, 3))
	var ids []structures.ID
	for range 3 * stackPage {
		ids = append(ids, w.Schedule(2, 0))
	}
	w.Next()
	for _, id := range ids {
		w.Cancel(id)
	}
	w.Pop(2)
	for range 5 * chunkLen {
		for _, deadline := range []structures.Tick{5, 7, 8, 15, 90} {
			ids = append(ids, w.Schedule(deadline, 0))
		}
	}
	w.Next()
	for i := range 3 { // the last timers of 90, and one of 8
		w.Cancel(ids[len(ids)-1-5*i])
	}
	w.Cancel(ids[len(ids)-3])
	w.Pop(5)
	w.Schedule(20, 0)
	w.sweeper.slot = w.slotAt(2, 90) - 1
	w.sweepChunk()
	w.nextSlot()
	f := &w.firing
	if f.rest == 0 || f.n-f.done < 2 || w.sweeper.rest == 0 || w.lists[w.sweeper.slot] == 0 ||
		w.records.free.spilled == 0 || w.arrivals.len() != 1 || w.dead == 0 {
		t.Fatalf("the wheel does not have all that it should: rest %d, staged %d, sweeper %d, list %d, spilled %d, arrivals %d, dead %d", f.rest, f.n-f.done, w.sweeper.rest, w.lists[w.sweeper.slot], w.records.free.spilled, w.arrivals.len(), w.dead)
	}
	if err := w.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestCheckInvariantsFindsHarm(t *testing.T) {
	at7 := func(w *Wheel[int]) *list { return &w.lists[w.slot0(7)] }
	at8 := func(w *Wheel[int]) *list { return &w.lists[w.slotAt(1, 8)] }
	at15 := func(w *Wheel[int]) *list { return &w.lists[w.slotAt(1, 15)] }
	last := func(w *Wheel[int], l *list) *entry { return w.entries.at(uint32(*l)) }
	recordOf := func(w *Wheel[int], l *list) *record[int] { return w.records.at(last(w, l).index()) }

	for name, c := range map[string]struct {
		harm func(w *Wheel[int])
		want string
	}{
		"cursor after the clock":    {func(w *Wheel[int]) { w.cursor = w.clock + 1 }, "cursor 6, clock 5"},
		"slot not marked":           {func(w *Wheel[int]) { w.occupied.Clear(w.slot0(7)) }, "not marked as occupied"},
		"swept slot not marked":     {func(w *Wheel[int]) { w.lists[w.sweeper.slot] = 0; w.occupied.Clear(w.sweeper.slot) }, "not marked as occupied"},
		"empty slot marked":         {func(w *Wheel[int]) { w.occupied.Set(w.slot0(6)) }, "holds no entries"},
		"slot without a list":       {func(w *Wheel[int]) { w.occupied.Set(w.slotCount() - 1) }, "holds no entries"},
		"count of occupied slots":   {func(w *Wheel[int]) { w.occupiedSlots[2]++ }, "the counters say"},
		"nextWork too late":         {func(w *Wheel[int]) { w.nextWork = 8 }, "before the next work at 8"},
		"nextWork after a stage":    {func(w *Wheel[int]) { w.nextWork = 6 }, "are left, and the next work is at 6"},
		"nextAbove too late":        {func(w *Wheel[int]) { w.nextAbove = 9 }, "the bound for levels above 0"},
		"next slot":                 {func(w *Wheel[int]) { w.next.start++ }, "noted as the next one"},
		"list in two slots":         {func(w *Wheel[int]) { *at7(w) = *at8(w) }, "in two lists"},
		"list swept twice":          {func(w *Wheel[int]) { w.sweeper.rest = *at8(w) }, "in two lists"},
		"list fired twice":          {func(w *Wheel[int]) { w.firing.rest = *at8(w) }, "in two lists"},
		"chunk without entries":     {func(w *Wheel[int]) { *at8(w) &^= chunkMask }, "or empty"},
		"second link":               {func(w *Wheel[int]) { h, _ := w.entries.chunk(*at8(w)); *h ^= 1 << 36 }, "want a full chunk"},
		"link to a part of a chunk": {func(w *Wheel[int]) { h, _ := w.entries.chunk(*at8(w)); *h-- }, "want a full chunk"},
		"deadline before the slot":  {func(w *Wheel[int]) { recordOf(w, at7(w)).deadline = 6 }, "no entry that is reached by its deadline 6"},
		"entry after the deadline":  {func(w *Wheel[int]) { recordOf(w, at15(w)).deadline = 13 }, "no entry that is reached by its deadline 13"},
		"entry of another timer":    {func(w *Wheel[int]) { *last(w, at15(w)) = *w.entries.at(uint32(*at15(w) - 1)) }, "has no entry"},
		"version":                   {func(w *Wheel[int]) { recordOf(w, at15(w)).state += nextVersion }, "has no entry"},
		"entry lost":                {func(w *Wheel[int]) { *at15(w)-- }, "entries, the counters say"},
		"entry lost by the sweep":   {func(w *Wheel[int]) { w.sweeper.rest-- }, "entries, the counters say"},
		"count of timers":           {func(w *Wheel[int]) { w.inSlots++; w.dead-- }, "timers in slots, the counter says"},
		"too many dead":             {func(w *Wheel[int]) { addDead(w, 3*sweepFloor) }, "dead entries, and"},
		"staged deadline":           {func(w *Wheel[int]) { w.records.at(w.firing.staged[w.firing.done].index).deadline++ }, "is staged at tick 5"},
		"staged timer lost":         {func(w *Wheel[int]) { w.firing.done++ }, "entries, the counters say"},
		"open positions":            {func(w *Wheel[int]) { w.arrivals.open &^= 2 }, "are open"},
		"record of a position":      {func(w *Wheel[int]) { w.arrivals.records[5] = w.arrivals.records[6] }, "position 5 has ID"},
		"ID of a position":          {func(w *Wheel[int]) { w.arrivals.ids[5] += 2 << 32 }, "position 5 has ID"},
		"deadline of an arrival":    {func(w *Wheel[int]) { w.arrivals.records[0].deadline = 3 }, "deadline 3 is before the next work"},
		"arrival nowhere":           {func(w *Wheel[int]) { useNowhere(w) }, "not at position 7"},
		"free twice":                {func(w *Wheel[int]) { f := &w.records.free; f.top[0] = f.top[1] }, "is free twice"},
		"free below and on top":     {func(w *Wheel[int]) { f := &w.records.free; f.pages[0][0] = f.top[0] }, "is free twice"},
		"next and free":             {func(w *Wheel[int]) { w.arrivals.nextRecords[3] = w.records.free.top[0] }, "is free twice"},
		"free and never used":       {func(w *Wheel[int]) { w.records.free.top[0] = w.records.fresh }, "never used"},
		"free and in use":           {func(w *Wheel[int]) { w.records.at(w.records.free.top[0]).state += nextGeneration }, "free and in use"},
		"neither in use nor free":   {func(w *Wheel[int]) { w.records.free.n-- }, "neither in use nor free"},
		"chunk free and in use":     {func(w *Wheel[int]) { *w.entries.at(uint32(w.entries.free)) = entry(*at8(w) &^ chunkMask) }, "free and in use"},
		"chunk lost":                {func(w *Wheel[int]) { w.entries.free = list(*w.entries.at(uint32(w.entries.free))) }, "chunks, want"},
	} {
		t.Run(name, func(t *testing.T) {
			w := sound(t)
			c.harm(w)
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

// addDead adds n dead entries to a slot.
func addDead(w *Wheel[int], n int) {
	for range n {
		w.addEntry(w.slot0(7), newEntry(w.records.free.top[0], 0, 7))
		w.dead++
	}
}

// useNowhere gives a free record the state of a timer in the arrival buffer.
func useNowhere(w *Wheel[int]) {
	r := w.records.at(w.takeRecord())
	r.state = nextGeneration | inArrivals | 7<<locationShift
}

func TestCheckInvariantsChangesNothing(t *testing.T) {
	w := sound(t)
	w.nextAbove = w.clock // lower than it need be
	before := *w
	for range 3 {
		if err := w.CheckInvariants(); err != nil {
			t.Fatal(err)
		}
	}
	if w.nextAbove != before.nextAbove || w.next != before.next || w.work != before.work {
		t.Error("something has changed")
	}
}
