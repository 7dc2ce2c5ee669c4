package ladder

import (
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/records"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Walk adds the front and the levels whose lists hold a record. A free record in a list becomes a stale entry.
func (q *Queue) Walk(w *records.Walk) {
	rules.Must(q.base >= 0 && q.base <= w.Set.Clock, "base %d, clock %d", q.base, w.Set.Clock)
	w.Begin(shape.Part{Name: "front", Kind: shape.List})
	w.Sorted = !q.pile
	w.Each(q.walkFront(w))
	w.DueBefore(max(q.base, q.due), "front")
	listed, piled := 0, 0
	if q.pile {
		for i, e := range q.front.entries {
			r, due := w.At(e.index), never
			if placeInPile(r) == uint(i) {
				if piled++; r.Pending() {
					due = r.Deadline
				}
			}
			rules.Must(e.deadline == due && (q.first != uint(i) || q.due == due),
				"record %d at %#x, due at %d, has entry %d of the pile, due at %d",
				e.index, r.Where, r.Deadline, i, e.deadline)
		}
	}
	for level := range uint32(Levels) {
		listed += q.walkLevel(w, level)
	}
	free, inList := 0, 0
	for n := q.nodes.free; n != 0 && free <= len(q.nodes.all); n = q.nodes.all[n].behind {
		free++
	}
	for index := range w.Set.Fresh {
		inList += toInt(w.Set.At(index).Where.InList())
	}
	want := max(0, len(q.nodes.all)-1)
	rules.Must(inList == listed+piled && (listed+free == want || q.nodes.byIndex),
		"%d of %d nodes are in lists and %d free, and %d records say they are in lists", listed, want, free, inList)
	rules.Must(q.firstList() >= q.listed, "a list starts before %d", q.listed)
	w.DueBefore(q.listed, "lists")
	w.Held(q.Len())
}

// walkFront walks the front, the earliest timer first.
func (q *Queue) walkFront(w *records.Walk) snapshot.Timers {
	return func(yield func(uint32, structures.Tick) bool) {
		for i, e := range slices.Backward(q.front.entries) {
			index, r := e.index, w.At(e.index)
			held := current(e, r) && !r.Where.InList()
			if q.pile {
				held = r.Pending() && placeInPile(r) == uint(i)
			}
			if !held || w.Seen(index) {
				index = snapshot.Stale
			}
			if !yield(index, e.deadline) {
				return
			}
		}
	}
}

// walkLevel walks the lists of a level, and returns how many records are in them.
func (q *Queue) walkLevel(w *records.Walk, level uint32) (listed int) {
	occupied := q.occupied[level]
	rules.Must(q.levels>>level&1 == 1 == (occupied != 0), "level %d: the slots are %#x, the levels %#x", level, occupied, q.levels)
	width := structures.Tick(1) << (level * digitBits)
	w.Begin(shape.Part{
		Name: fmt.Sprintf("lists %d", level), Kind: shape.Slots, Size: digitMask + 1,
		Width: width, Now: int(w.Set.Clock / width & digitMask),
	})
	for slot := range uint32(digitMask + 1) {
		at := positionAt(uint(level), uint(slot))
		inUse := int(at) < len(q.nodes.heads) && q.nodes.heads[at].first != 0
		rules.Must(inUse == (occupied>>slot&1 == 1), "level %d, slot %d: the slots are %#x", level, slot, occupied)
		if !inUse {
			continue
		}
		start := q.startOf(at)
		want := (q.base>>at.shift()&^digitMask | structures.Tick(at.slot())) << at.shift()
		rules.Must(start >= q.base && start == want,
			"level %d, slot %d starts at %d, want %d, after the base %d", level, slot, start, want, q.base)
		w.Cell(shape.Cell{Index: int(slot), From: start, To: at.last(start)}, func(yield func(uint32, structures.Tick) bool) {
			for before, number := uint32(0), q.nodes.heads[at].first; number != 0; listed++ {
				n := q.nodes.all[number]
				r, index := w.At(n.index), n.index
				rules.Must(n.before == before && r.Where == whereAt(number, at),
					"level %d, slot %d: record %d says %#x, want %#x, or its link back is %d, want %d",
					level, slot, index, r.Where, whereAt(number, at), n.before, before)
				if !r.Pending() {
					index = snapshot.Stale
				}
				if !yield(index, start) {
					return
				}
				before, number = number, n.behind
			}
		})
	}
	w.DropEmpty()
	return listed
}
