// Package snapshot walks structures, for their snapshots and for their checks. One method of a structure, Walk, serves both.
package snapshot

import (
	"fmt"
	"iter"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/shape"
)

// Timers is a sequence of slots and of the deadlines under which they are filed.
type Timers = iter.Seq2[uint32, structures.Tick]

// Stale stands for the slot of an entry whose timer is gone.
const Stale = math.MaxUint32

// Builder builds a snapshot part by part. Parts, cells and timers are added in order. Builder remembers the first timer in a
// wrong place and ignores all later ones, so a walk ends even if links form a circle. It checks:
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
	err  error
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
	for slot, filed := range timers {
		if b.entry(&c, slot, filed); b.err != nil {
			break
		}
	}
	if len(c.Entries) == 0 {
		return -1
	}
	p := &b.Parts[len(b.Parts)-1]
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

// entry adds a timer to a cell, after a check.
func (b *Builder) entry(c *shape.Cell, slot uint32, filed structures.Tick) {
	if b.err == nil && b.Holds != nil {
		b.err = b.check(&b.Parts[len(b.Parts)-1], c, slot, filed)
	}
	if b.err != nil {
		return
	}
	e := shape.Entry{Deadline: filed, Filed: filed}
	if slot != Stale {
		b.Count++
		if e = b.Entry(slot, filed); e.Deadline < filed && b.Holds != nil {
			b.err = fmt.Errorf("slot %d is due at %d, and filed under %d", slot, e.Deadline, filed)
		}
	}
	c.Entries = append(c.Entries, e)
}

// check checks a timer that is added to a cell.
func (b *Builder) check(p *shape.Part, c *shape.Cell, slot uint32, filed structures.Tick) error {
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
	if filed < from || filed > to {
		return fmt.Errorf("%s: slot %d is filed under %d, where deadlines are from %d to %d", p.Name, slot, filed, from, to)
	}
	if slot == Stale {
		return nil
	}
	if b.Seen(slot) || !b.Holds(slot) {
		return fmt.Errorf("%s: slot %d, filed under %d, is there twice, or not in use", p.Name, slot, filed)
	}
	b.See(slot)
	return nil
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

// Check returns err, or the first timer that was in a wrong place. There must be size timers.
func (b *Builder) Check(err error, size int) error {
	switch {
	case err != nil:
		return err
	case b.err != nil:
		return b.err
	case b.Count != size:
		return fmt.Errorf("%d timers are in their places, want %d", b.Count, size)
	}
	return nil
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
