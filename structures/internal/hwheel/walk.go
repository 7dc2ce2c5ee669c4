package hwheel

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Walk adds level 0, the other levels that hold a timer, and the timers that wait for a slot. A place that a timer has
// left shows as a stale entry, filed for the first tick of its slot.
func (w *Wheel) Walk(b *records.Walk) error {
	if err := w.checkCursor(b.Set.Clock); err != nil {
		return err
	}
	k := walk{Wheel: w, b: b, gone: make(map[records.Where]uint32)}
	if err := k.findVacancies(); err != nil {
		return err
	}
	if err := k.findWaiting(); err != nil {
		return err
	}
	for level := range uint(Levels) {
		if err := k.walkLevel(level); err != nil {
			return fmt.Errorf("level %d: %w", level, err)
		}
	}
	if err := b.DueBefore(w.slotsDue); err != nil {
		return fmt.Errorf("slots: %w", err)
	}
	b.List("waiting timers", func(yield func(uint32, structures.Tick) bool) {
		for _, d := range w.waiting[:w.waits] {
			if r := b.Set.At(d.index); r.Pending() && !yield(d.index, r.Deadline) {
				return
			}
		}
	})
	if err := b.DueBefore(w.buffersDue); err != nil {
		return fmt.Errorf("waiting timers: %w", err)
	}
	for n := w.chunks.free; n != 0 && k.walked <= w.chunks.chunk.Fresh(); n = w.chunks.chunk.At(n).next {
		if *w.chunks.mask.At(n) != 0 {
			return fmt.Errorf("chunk %d is free and in use", n)
		}
		k.walked++
	}
	if want := max(1, w.chunks.chunk.Fresh()) - 1; k.walked != want || len(k.gone) > 0 {
		return fmt.Errorf("%d chunks, want %d; %d records that left a slot have no place in it",
			k.walked, want, len(k.gone))
	}
	return b.Held(w.count)
}

// walk is a walk through a wheel.
type walk struct {
	*Wheel
	b      *records.Walk
	gone   map[records.Where]uint32 // the records that leave a place, by place
	walked uint32                   // in lists, and free ones
	err    error
}

func (w *Wheel) checkCursor(clock structures.Tick) error {
	if w.cursor < 0 || w.cursor > clock {
		return fmt.Errorf("cursor %d, clock %d", w.cursor, clock)
	}
	if w.levels[0] != nil && w.firing() != 0 && w.slotsDue > clock ||
		w.slotsDue > max(clock, w.stepAt) {
		return fmt.Errorf("the next work is at %d, after %d, when timers are due or to be moved",
			w.slotsDue, max(clock, w.stepAt))
	}
	if w.waits >= bufferLen || w.vacancies >= vacantLen {
		return fmt.Errorf("%d records wait, and %d are vacant: too many", w.waits, w.vacancies)
	}
	return nil
}

// findVacancies notes the vacant records, and the places of those that are in slots.
func (k *walk) findVacancies() error {
	for _, index := range k.vacant[:k.vacancies] {
		if err := k.b.Use(index); err != nil {
			return fmt.Errorf("vacancies: %w", err)
		}
		r := k.b.Set.At(index)
		if r.Pending() {
			return fmt.Errorf("record %d is vacant and pending", index)
		}
		if r.Where.InSlot() {
			k.gone[r.Where] = index
		}
	}
	return nil
}

// findWaiting notes the places that waiting records leave. A record without a timer is vacant, too.
func (k *walk) findWaiting() error {
	for _, d := range k.waiting[:k.waits] {
		r := k.b.Set.At(d.index)
		_, twice := k.gone[d.from]
		if twice || r.Where != records.InBuffer || !r.Pending() && !k.b.Seen(d.index) {
			return fmt.Errorf("record %d leaves %#x, and is at %#x with generation %d", d.index, d.from, r.Where,
				r.Generation)
		}
		if d.from.InSlot() {
			k.gone[d.from] = d.index
		}
	}
	return nil
}

func (k *walk) walkLevel(level uint) error {
	k.b.Begin(shape.Part{
		Name: fmt.Sprintf("level %d", level), Kind: shape.Slots, Size: ringLen,
		Width: 1 << widthBits(level), Now: int(slotOf(level, k.b.Set.Clock)),
	})
	g := k.levels[level]
	for slot := range uint32(ringLen) {
		if g == nil {
			break
		}
		l := g.lists[slot]
		word := g.occupied[slot>>6]
		if word>>(slot&63)&1 == 1 != (l != 0) || g.summary>>(slot>>6)&1 == 1 != (word != 0) {
			return fmt.Errorf("slot %d: the list is %#x, and its bit or that of the summary is wrong",
				slot, l)
		}
		if l == 0 {
			continue
		}
		if err := k.walkSlot(level, slot); err != nil {
			return fmt.Errorf("slot %d: %w", slot, err)
		}
	}
	if level > 0 {
		k.b.DropEmpty()
	}
	return nil
}

func (k *walk) walkSlot(level uint, slot uint32) error {
	first, last := k.spanOf(level, slot)
	opens := windowStart(level, first)
	if level > 0 && (first < k.cascadeAt || k.cursor < opens && k.stepAt > opens) {
		return fmt.Errorf("it starts at %d, before %d, or can be emptied from %d on, before %d",
			first, k.cascadeAt, opens, k.stepAt)
	}
	before := k.walked
	cell := shape.Cell{Index: int(slot), From: first, To: last}
	if place := k.b.Cell(cell, k.timersOf(level, slot, first, last)); place >= 0 {
		p := k.b.Parts[len(k.b.Parts)-1]
		slices.Reverse(p.Cells[place].Entries) // in the order in which they were added
	}
	if added := k.levels[level].added[slot]; k.err == nil && k.walked-before > added {
		return fmt.Errorf("%d chunks, and %d were added", k.walked-before, added)
	}
	return k.err
}

// timersOf walks the chunks of a slot. A timer that was moved to later and kept its place is filed for the last tick.
func (k *walk) timersOf(level uint, slot uint32, first, last structures.Tick) snapshot.Timers {
	return func(yield func(uint32, structures.Tick) bool) {
		l := k.levels[level].lists[slot]
		before, used := ofHead|uint32(level)<<ringBits|slot, uint16(1<<records.Places-1)&^(1<<(l&records.TagMask)-1)
		for n := l.chunk(); n != 0; k.walked++ {
			c, mask := k.chunks.chunk.At(n), *k.chunks.mask.At(n)
			if c.before != before || mask == 0 || mask&^used != 0 {
				k.err = fmt.Errorf("chunk %d: its link back is %#x, want %#x, or its mask is %#x, of %#x",
					n, c.before, before, mask, used)
				return
			}
			for rest := mask; rest != 0; rest &= rest - 1 {
				place := bits.TrailingZeros16(rest)
				here := records.Where(n)<<records.TagBits | records.Where(place)
				if level > 0 {
					here |= above
				}
				index, filed, err := k.timerAt(c.timers[place], here, first)
				if level > 0 {
					filed = min(filed, last)
				}
				if k.err = err; err != nil || !yield(index, filed) {
					return
				}
			}
			before, used = n, 1<<records.Places-1
			n = c.next
		}
	}
}

// timerAt returns the timer at a place in a slot that starts at first, or a stale entry.
func (k *walk) timerAt(
	index uint32, at records.Where, first structures.Tick,
) (uint32, structures.Tick, error) {
	r := k.b.Set.At(index)
	if left, ok := k.gone[at]; ok && left == index {
		delete(k.gone, at)
		return snapshot.Stale, first, nil
	}
	if r.Where != at {
		return 0, 0, fmt.Errorf("record %d at %#x says %#x", index, at, r.Where)
	}
	return index, r.Deadline, nil
}

// spanOf returns the first and the last tick of a slot, as seen from the cursor.
func (w *hierarchy) spanOf(level uint, slot uint32) (first, last structures.Tick) {
	number := uint64(w.cursor) >> widthBits(level)
	if level > 0 {
		number++
	}
	number += uint64((slot - uint32(number)) & ringMask)
	first = structures.Tick(number << widthBits(level))
	return first, first | (1<<widthBits(level) - 1)
}
