package records

import (
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Holder holds timers of a set. Walk adds each of its timers to a walk and notes the other records that it uses. It ends the walk by
// rules.Must at the first broken invariant that the walk does not check.
type Holder interface{ Walk(w *Walk) }

// Walk is a walk through all holders of a set. Slots are indexes of records.
type Walk struct {
	snapshot.Builder
	Set      *Set
	count    int // timers that Held was told of
	earliest structures.Tick
}

func (s *Set) walk(holders []Holder) (w *Walk, err error) {
	w = &Walk{Set: s, earliest: math.MaxInt64}
	w.Entry = func(index uint32, filed structures.Tick) shape.Entry {
		r := s.At(index)
		w.earliest = min(w.earliest, r.Deadline)
		return shape.Entry{ID: IDOf(index, r.Generation), Deadline: r.Deadline, Filed: filed}
	}
	w.Holds = func(index uint32) bool { return index < s.Fresh && s.At(index).Pending() }
	for i := 0; i < len(holders) && err == nil; i++ {
		err = rules.FirstBroken(holders[i], func() { holders[i].Walk(w) })
	}
	return w, err
}

// At is Set.At for an index that the walk has found.
func (w *Walk) At(index uint32) *Record {
	rules.Must(index < w.Set.Fresh, "record %d was never made", index)
	return w.Set.At(index)
}

// Use notes the use of a record, which must be the only one.
func (w *Walk) Use(index uint32) {
	rules.Must(!w.Seen(index), "record %d is used twice", index)
	w.See(index)
}

// DueBefore checks that no timer that was added since the last call is due before a tick.
func (w *Walk) DueBefore(quiet structures.Tick, where string) {
	rules.Must(w.earliest >= quiet, "%s: deadline %d is before %d, until when nothing should be due", where, w.earliest, quiet)
	w.earliest = math.MaxInt64
}

// Held checks that count timers were added since the last call.
func (w *Walk) Held(count int) {
	w.count += count
	rules.Must(w.Count == w.count, "%d timers are in their places, want %d", w.Count, w.count)
}

// Check returns the first broken invariant of the holders or of the records.
func (s *Set) Check(holders ...Holder) error {
	w, err := s.walk(holders)
	if err != nil {
		return err
	}
	return rules.FirstBroken(s, w.checkRest)
}

// Snapshot returns the parts that the holders add. It costs O(n).
func (s *Set) Snapshot(holders ...Holder) shape.Snapshot {
	w, _ := s.walk(holders) // Check returns the error
	return shape.Snapshot{Parts: w.Parts}
}

// checkRest checks the records of which no use was noted. They may be in lists.
func (w *Walk) checkRest() {
	s := w.Set
	f := s.free
	for i := range uint(f.page)*stackPage + f.depth {
		index := f.pages[i/stackPage][i%stackPage]
		r := w.At(index)
		w.Use(index)
		rules.Must(!r.Pending() && r.Where.mayBeFree(),
			"record %d is free, at %#x, and has generation %d", index, r.Where, r.Generation)
	}
	for index := range s.Fresh {
		r := s.At(index)
		rules.Must(w.Seen(index) || r.Generation == 0 && r.Where.mayBeFree(), "record %d is neither in use nor free", index)
	}
}
