package records

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Holder holds timers of a set. Walk adds each of its timers to a walk, notes the other records that it uses, and
// returns the first broken invariant that the walk does not check.
type Holder interface{ Walk(w *Walk) error }

// Walk is a walk through all holders of a set. Slots are indexes of records.
type Walk struct {
	snapshot.Builder
	Set      *Set
	count    int // timers that Held was told of
	earliest structures.Tick
}

func (s *Set) walk(holders []Holder) (*Walk, error) {
	w := &Walk{Set: s, earliest: math.MaxInt64}
	w.Entry = func(index uint32, filed structures.Tick) shape.Entry {
		r := s.At(index)
		w.earliest = min(w.earliest, r.Deadline)
		return shape.Entry{ID: IDOf(index, r.Generation), Deadline: r.Deadline, Filed: filed}
	}
	w.Holds = func(index uint32) bool { return index < s.Fresh && s.At(index).Pending() }
	for _, h := range holders {
		if err := h.Walk(w); err != nil {
			return w, err
		}
	}
	return w, nil
}

// Use notes the use of a record, which must be the only one.
func (w *Walk) Use(index uint32) error {
	if index >= w.Set.Fresh || w.Seen(index) {
		return fmt.Errorf("record %d is used twice, or was never made", index)
	}
	w.See(index)
	return nil
}

// DueBefore returns an error if a timer that was added since the last call is due before a tick.
func (w *Walk) DueBefore(quiet structures.Tick) (err error) {
	if w.earliest < quiet {
		err = fmt.Errorf("deadline %d is before %d, until when nothing should be due", w.earliest, quiet)
	}
	w.earliest = math.MaxInt64
	return err
}

// Held returns an error unless count timers were added since the last call.
func (w *Walk) Held(count int) error { w.count += count; return w.Check(nil, w.count) }

// Check returns the first broken invariant of the holders or of the records, after the name of a package.
func (s *Set) Check(name string, holders ...Holder) error {
	w, err := s.walk(holders)
	if err = w.Check(err, w.Count); err == nil {
		err = w.checkRest()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Snapshot returns the parts that the holders add. It costs O(n).
func (s *Set) Snapshot(holders ...Holder) shape.Snapshot {
	w, _ := s.walk(holders) // Check returns the error
	return shape.Snapshot{Parts: w.Parts}
}

// checkRest checks the records of which no use was noted. They may be in lists.
func (w *Walk) checkRest() error {
	s := w.Set
	f := s.free
	for i := range uint(f.page)*stackPage + f.depth {
		index := f.pages[i/stackPage][i%stackPage]
		if err := w.Use(index); err != nil {
			return fmt.Errorf("free records: %w", err)
		}
		if r := s.At(index); r.Pending() || !r.Where.mayBeFree() {
			return fmt.Errorf("record %d is free, at %#x, and has generation %d", index, r.Where, r.Generation)
		}
	}
	for index := range s.Fresh {
		if r := s.At(index); !w.Seen(index) && (r.Generation != 0 || !r.Where.mayBeFree()) {
			return fmt.Errorf("record %d is neither in use nor free", index)
		}
	}
	return nil
}
