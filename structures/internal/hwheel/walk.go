package hwheel

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Walk adds the levels, the moved timers without a new slot, and the arrival buffer to b, and checks the invariants. It leaves
// out empty levels above 0. The old place of a moved or cancelled timer is a stale entry at the first tick of its slot.
func (w *Wheel) Walk(b *records.Walk) {
	w.checkCursor(b.Set.Clock)
	k := walk{Wheel: w, b: b, gone: make(map[records.Where]uint32)}
	k.findDepartures()
	for level := range uint(Levels) {
		k.walkLevel(level)
	}
	b.DueBefore(w.slotsDue, "slots")
	b.List("moved timers", filed(k.moved))
	b.Held(w.count)
	k.walkArrivals()
	b.DueBefore(w.buffersDue, "buffers")
	for n := w.chunks.free; n != 0 && k.walked <= w.chunks.chunk.Fresh; k.walked++ {
		c, mask := k.chunk(n)
		rules.Must(mask == 0, "chunk %d is free and in use", n)
		n = c.next
	}
	want := max(1, w.chunks.chunk.Fresh) - 1
	rules.Must(k.walked == want && len(k.gone) == 0, "%d chunks, want %d; %d timers in departures have no place in a slot",
		k.walked, want, len(k.gone))
	b.Held(int(w.arrived))
}

// walk is a walk through a wheel.
type walk struct {
	*Wheel
	b      *records.Walk
	gone   map[records.Where]uint32 // old places that are not cleared, with their records
	moved  []departure              // the timers that have no new slot
	walked uint32                   // chunks seen, in lists and free
}

func (w *Wheel) checkCursor(clock structures.Tick) {
	rules.Must(w.cursor >= 0 && w.cursor <= clock, "cursor %d, clock %d", w.cursor, clock)
	rules.Must(w.slotsDue <= max(clock, w.stepAt), "the next work is at %d, after %d, when timers are to be moved", w.slotsDue, w.stepAt)
}

// findDepartures notes the old places of moved and cancelled timers.
func (k *walk) findDepartures() {
	for _, d := range k.left[:k.departed] {
		r := k.b.At(d.index)
		k.leaves(d, r.Pending())
		if r.Pending() {
			k.moved = append(k.moved, departure{index: d.index, deadline: r.Deadline})
		}
	}
	for i := k.first; i != k.end; i++ {
		v := k.vacant[i&vacantMask]
		k.leaves(v, false)
		r := k.b.At(v.index)
		rules.Must(!r.Pending() && r.Deadline == v.deadline, "vacancies: record %d has generation %d and deadline %d, want %d",
			v.index, r.Generation, r.Deadline, v.deadline)
	}
}

// leaves notes the old place of a record. Walk visits a pending timer later.
func (k *walk) leaves(d departure, pending bool) {
	r := k.b.At(d.index)
	rules.Must(r.Where == records.Nowhere, "record %d was at %#x, and is at %#x", d.index, d.from, r.Where)
	if k.gone[d.from] = d.index; !pending {
		k.b.Use(d.index)
	}
}

func (k *walk) walkLevel(level uint) {
	k.b.Begin(shape.Part{
		Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: ringLen,
		Width: 1 << widthBits(level), Now: int(slotOf(level, k.b.Set.Clock)),
	})
	g := k.levels[level]
	for slot := uint32(0); slot < ringLen && g != nil; slot++ {
		l := g.lists[slot]
		word := g.occupied[slot>>6]
		rules.Must(word>>(slot&63)&1 == 1 == (l != 0) && g.summary>>(slot>>6)&1 == 1 == (word != 0),
			"level %d, slot %d: the list is %#x, and its bit or that of the summary is wrong", level, slot, l)
		if l != 0 {
			k.walkSlot(level, slot)
		}
	}
	if level > 0 {
		k.b.DropEmpty()
	}
}

// walkSlot adds the timers of a slot. A timer that moved to a later slot and kept its place is filed at the slot's last tick.
func (k *walk) walkSlot(level uint, slot uint32) {
	number := uint64(k.cursor)>>widthBits(level) + uint64(min(level, 1)) // the slot of the cursor is for level 0 only
	number += uint64((slot - uint32(number)) & ringMask)
	first := structures.Tick(number << widthBits(level))
	last, opens := first|(1<<widthBits(level)-1), windowStart(level, first)
	rules.Must(level == 0 || first >= k.cascadeAt && (k.cursor >= opens || k.stepAt <= opens),
		"level %d, slot %d starts at %d, before %d, or can be emptied from %d on, before %d", level, slot, first, k.cascadeAt, opens, k.stepAt)
	g, list, chunks := k.levels[level], k.levels[level].lists[slot], uint32(0)
	before, used := ofHead|uint32(level)<<ringBits|slot, uint16(1<<records.Places-1)&^(1<<(list&records.TagMask)-1)
	var timers []departure // the last ones that were added come first; deadline is where they are filed
	for n := list.chunk(); n != 0; chunks++ {
		c, mask := k.chunk(n)
		rules.Must(c.before == before && mask != 0 && mask&^used == 0,
			"chunk %d: its link back is %#x, want %#x, or its mask is %#x, of %#x",
			n, c.before, before, mask, used)
		for rest := mask; rest != 0; rest &= rest - 1 {
			place := bits.TrailingZeros16(rest)
			here := records.Where(n)<<records.TagBits | records.Where(place) | records.Where(-int32(min(level, 1)))&above
			index, filed := c.timers[place], last
			r := k.b.At(index)
			if left, ok := k.gone[here]; ok && left == index {
				delete(k.gone, here)
				index, filed = snapshot.Stale, first
			} else {
				rules.Must(r.Where == here, "record %d at %#x says %#x", index, here, r.Where)
				if level == 0 || r.Deadline < last {
					filed = r.Deadline
				}
			}
			timers = append(timers, departure{index, here, filed})
		}
		before, used, n = n, 1<<records.Places-1, c.next
	}
	k.walked += chunks
	rules.Must(chunks <= g.added[slot], "level %d, slot %d has %d chunks, and %d were added", level, slot, chunks, g.added[slot])
	slices.Reverse(timers)
	k.b.Cell(shape.Cell{Index: int(slot), From: first, To: last}, filed(timers))
}

// chunk returns a chunk that the walk has found, and its mask.
func (k *walk) chunk(n uint32) (*chunk, uint16) {
	rules.Must(n < k.chunks.chunk.Fresh, "chunk %d was never made", n)
	return k.chunks.chunk.At(n), *k.chunks.mask.At(n)
}

// filed returns an iterator over timers and the deadlines under which they are filed.
func filed(timers []departure) snapshot.Timers {
	return func(yield func(uint32, structures.Tick) bool) {
		for _, t := range timers {
			if !yield(t.index, t.deadline) {
				return
			}
		}
	}
}

func (k *walk) walkArrivals() {
	var timers []departure
	for position, id := range k.ids[:k.positions] {
		index, r := uint32(id), k.records[position]
		rules.Must(r == k.b.At(index) && records.IDOf(index, r.Generation) == id && r.Pending() &&
			r.Where == records.Where(position)<<records.TagBits|records.InBuffer,
			"arrival buffer: position %d has ID %#x, its record is at %#x, generation %d", position, id, r.Where, r.Generation)
		if position < int(k.arrived) {
			timers = append(timers, departure{index: index, deadline: r.Deadline})
		} else {
			k.b.Use(index)
		}
	}
	k.b.List("arrival buffer", filed(timers))
}
