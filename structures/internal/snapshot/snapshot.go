// Package snapshot walks structures, for their snapshots and for their checks. One method of a structure, Walk, serves both.
package snapshot

import (
	"iter"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/shape"
)

// Timers is a sequence of slots and of the deadlines under which they are filed.
type Timers = iter.Seq2[uint32, structures.Tick]

// Stale stands for the slot of an entry whose timer is gone.
const Stale = math.MaxUint32

// Builder builds a snapshot part by part. Parts, cells and timers are added in order. The first timer in a wrong place ends the walk
// (rules.Must), so a walk ends even if links form a circle. It checks:
//
//   - Holds is true for each timer, and each timer is there once.
//   - In slots, it is filed within the span of its slot. If the part is Loose, it may be filed after that.
//   - In a heap, and in a tree that is not a search tree, it is not before the parent.
//   - If the part is Sorted, it is not before the one before it.
//   - It is not filed after its deadline.
type Builder struct {
	Clock structures.Tick
	Parts []shape.Part
	Entry func(slot uint32, filed structures.Tick) shape.Entry
	Holds func(slot uint32) bool // nil: nothing is checked
	Count int                    // timers so far

	Loose, Sorted bool // how the part is checked that Begin has begun

	last structures.Tick // the latest deadline of a sorted part
	seen []bool          // by slot
}

// Walker adds its timers to a builder. It ends the walk by rules.Must at the first broken invariant that the builder does not check.
type Walker interface{ Walk(b *Builder) }

// Check returns the first broken invariant of a structure that has size timers.
func (b *Builder) Check(w Walker, size int) error {
	return rules.FirstBroken(w, func() {
		w.Walk(b)
		rules.Must(b.Count == size, "%d timers are in their places, want %d", b.Count, size)
	})
}

// Snapshot returns the parts of a structure.
func (b *Builder) Snapshot(w Walker) shape.Snapshot {
	_ = rules.FirstBroken(w, func() { w.Walk(b) }) // Check returns the error
	return shape.Snapshot{Parts: b.Parts}
}

// Begin begins a part. The next cells belong to it.
func (b *Builder) Begin(p shape.Part) {
	b.Parts = append(b.Parts, p)
	b.Loose, b.Sorted, b.last = false, false, math.MinInt64
}

// DropEmpty removes the last part if it has no cells and is not the only part.
func (b *Builder) DropEmpty() {
	if last := len(b.Parts) - 1; last > 0 && len(b.Parts[last].Cells) == 0 {
		b.Parts = b.Parts[:last]
	}
}

// Cell adds a cell of timers, unless there are none. It returns the place of the cell, or its index in a part of slots.
func (b *Builder) Cell(c shape.Cell, timers Timers) (place int) {
	p := &b.Parts[len(b.Parts)-1]
	for slot, filed := range timers {
		if b.Holds != nil {
			b.check(p, &c, slot, filed)
		}
		e := shape.Entry{Deadline: filed, Filed: filed}
		if slot != Stale {
			b.Count++
			e = b.Entry(slot, filed)
			rules.Must(e.Deadline >= filed || b.Holds == nil, "slot %d is due at %d, and filed under %d", slot, e.Deadline, filed)
		}
		c.Entries = append(c.Entries, e)
	}
	if len(c.Entries) == 0 {
		return -1
	}
	place = len(p.Cells)
	if p.Kind != shape.Slots {
		c.Index = place
	}
	p.Cells = append(p.Cells, c)
	return place
}

// Timer adds a cell of one timer and returns its place.
func (b *Builder) Timer(c shape.Cell, slot uint32, filed structures.Tick) (place int) {
	return b.Cell(c, func(yield func(uint32, structures.Tick) bool) { yield(slot, filed) })
}

// check checks a timer that is added to a cell.
func (b *Builder) check(p *shape.Part, c *shape.Cell, slot uint32, filed structures.Tick) {
	from, to := structures.Tick(math.MinInt64), structures.Tick(math.MaxInt64)
	switch {
	case p.Kind == shape.Slots:
		if from = c.From; !b.Loose {
			to = c.To
		}
	case p.Kind != shape.List && (p.Kind != shape.Tree || p.Arity != 2) && c.Parent >= 0 && c.Parent < len(p.Cells):
		from = p.Cells[c.Parent].Entries[0].Filed
	}
	if b.Sorted {
		from = max(from, b.last)
		b.last = filed
	}
	rules.Must(filed >= from && filed <= to,
		"%s: slot %d is filed under %d, where deadlines are from %d to %d", p.Name, slot, filed, from, to)
	if slot != Stale {
		rules.Must(!b.Seen(slot) && b.Holds(slot), "%s: slot %d, filed under %d, is there twice, or not in use", p.Name, slot, filed)
		b.See(slot)
	}
}

// Seen reports whether a slot was added, or seen elsewhere.
func (b *Builder) Seen(slot uint32) bool { return int(slot) < len(b.seen) && b.seen[slot] }

// See notes a slot that is not a timer and must not be added.
func (b *Builder) See(slot uint32) {
	if n := int(slot) + 1; n > len(b.seen) {
		b.seen = append(b.seen, make([]bool, n-len(b.seen))...)
	}
	b.seen[slot] = true
}

// List adds a list, with a cell for each timer. A list without timers is shown only if there is no other part.
func (b *Builder) List(name string, timers Timers) {
	b.Begin(shape.Part{Name: name, Kind: shape.List})
	b.Each(timers)
	b.DropEmpty()
}

// Each adds a cell for each timer.
func (b *Builder) Each(timers Timers) {
	for slot, filed := range timers {
		b.Timer(shape.Cell{}, slot, filed)
	}
}
