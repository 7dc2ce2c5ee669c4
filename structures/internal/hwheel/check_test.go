package hwheel

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
)

type (
	wheel = *Wheel
	set   = *records.Set
)

// sound returns a wheel with timers in the arrival buffer, in slots of two levels, in
// departures, and with a vacancy. IDs are by the numbers of the timers.
func sound(t *testing.T) (*Wheel, *records.Set) {
	t.Helper()
	rs := newSet()
	w := *New(rs, nil)
	var ids []structures.ID
	for i := range 40 {
		id, _ := w.Schedule(rs, structures.Tick(100+i%2*20_000))
		ids = append(ids, id)
	}
	w.Next(rs)
	for i := range 4 {
		index := uint32(ids[i])
		w.Reschedule(rs, index, rs.At(index), 90)
	}
	w.Schedule(rs, 50)
	w.Leave(uint32(ids[5]), rs.At(uint32(ids[5])))
	if err := check(&w, rs); err != nil || w.departed != 4 || w.noVacancies() || w.arrived != 1 {
		t.Fatalf("%d departures, %d arrivals: %v", w.departed, w.arrived, err)
	}
	return &w, rs
}

func check(w *Wheel, rs *records.Set) error {
	return rs.Check(w)
}

func TestCheckFindsHarm(t *testing.T) {
	slot := slotOf(1, 20_100)
	head := func(w *Wheel) uint32 { return w.levels[1].lists[slot].chunk() }
	timer := func(w wheel, rs set) *records.Record {
		return rs.At(w.chunks.chunk.At(head(w)).timers[records.Places-1-int(w.levels[1].lists[slot]&1)])
	}
	for name, harm := range map[string]func(w wheel, rs set){
		"a timer is not counted":              func(w wheel, _ set) { w.count-- },
		"the cursor is after the clock":       func(w wheel, _ set) { w.cursor = 1 },
		"the cursor is before all ticks":      func(w wheel, _ set) { w.cursor = -1 },
		"a slot is due before slotsDue":       func(w wheel, _ set) { w.slotsDue = 101 },
		"a buffer is due before buffersDue":   func(w wheel, _ set) { w.buffersDue = 51 },
		"a departure is due before that":      func(w wheel, rs set) { rs.At(w.left[0].index).Deadline = 40 },
		"a slot starts before cascadeAt":      func(w wheel, _ set) { w.cascadeAt = 20_100 },
		"a slot can be emptied before stepAt": func(w wheel, _ set) { w.stepAt = 20_000 },
		"a step is before slotsDue":           func(w wheel, _ set) { w.stepAt = 50 },
		"a slot is not occupied":              func(w wheel, _ set) { w.levels[1].occupied[slot>>6] = 0 },
		"an empty slot is occupied":           func(w wheel, _ set) { w.levels[1].occupied[slot>>6] |= 1 << (slot&63 ^ 1) },
		"a word is not in the summary":        func(w wheel, _ set) { w.levels[1].summary = 0 },
		"more chunks than were added":         func(w wheel, _ set) { w.levels[1].added[slot] = 0 },
		"a chunk is lost":                     func(w wheel, _ set) { w.chunks.take() },
		"a free chunk has a timer": func(w wheel, _ set) {
			w.chunks.release(w.chunks.take())
			*w.chunks.mask.At(w.chunks.free) = 1
		},
		"a chunk has no timers": func(w wheel, _ set) {
			w.levels[1].lists[slot] = w.addChunk(w.levels[1], 1, uint64(slot))
		},
		"a link back is wrong":           func(w wheel, _ set) { w.chunks.chunk.At(head(w)).before++ },
		"a timer is in another place":    func(w wheel, rs set) { timer(w, rs).Where++ },
		"a deadline is before its slot":  func(w wheel, rs set) { timer(w, rs).Deadline = 300 },
		"a vacancy has another deadline": func(w wheel, _ set) { w.vacant[w.first&vacantMask].deadline++ },
		"a vacancy has a timer":          func(w wheel, rs set) { rs.At(w.vacant[w.first&vacantMask].index).Generation-- },
		"a departure has a place":        func(w wheel, rs set) { rs.At(w.left[0].index).Where = 0 },
		"a departure has left no place":  func(w wheel, _ set) { w.chunks.clear(w.left[0].from) },
		"two departures of one place":    func(w wheel, _ set) { w.left[1] = w.left[0] },
		"too many departures": func(w wheel, rs set) {
			for i := uint32(0); w.departed < bufferLen; i++ {
				if r := rs.At(i); r.Where.InSlot() {
					w.move(r, departure{i, r.Where, r.Deadline}, 90)
				}
			}
		},
		"too many arrivals":                 func(w wheel, _ set) { w.arrived = bufferLen + 1 },
		"an arrival has another record":     func(w wheel, _ set) { r := *w.records[0]; w.records[0] = &r },
		"an arrival says another position":  func(w wheel, _ set) { w.records[1].Where += 1 << records.TagBits },
		"a prepared ID is that of no timer": func(w wheel, _ set) { w.records[1].Generation++; w.ids[1] += 1 << 32 },
		"an ID is not that of the record":   func(w wheel, _ set) { w.ids[3] += 2 << 32 },
		"a record in use is free":           func(w wheel, rs set) { rs.Release(w.left[0].index, rs.At(w.left[0].index)) },
	} {
		w, rs := sound(t)
		if harm(w, rs); check(w, rs) == nil {
			t.Errorf("%s: Check finds nothing", name)
		}
	}
}

func newSet() *records.Set {
	rs := records.Of[int]()
	return &rs
}
