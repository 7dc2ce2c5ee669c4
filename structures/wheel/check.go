package wheel

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
)

// check walks the ring and names the first broken invariant. live tells which
// slots may be linked, pending or just cancelled; there are size of them.
func (r *ring) check(clock structures.Tick, size int, live func(slot uint32) bool) error {
	if r.cursor < 0 || r.cursor > clock {
		return fmt.Errorf("wheel: cursor %d, clock %d", r.cursor, clock)
	}
	if err := r.occupied.Check(); err != nil {
		return fmt.Errorf("wheel: %w", err)
	}
	linked, err := r.checkDue(live)
	if err != nil {
		return err
	}
	// What is not marked as occupied is not walked: a timer in there is missing in
	// the sum.
	for i := r.occupied.Next(0); i >= 0; i = r.occupied.Next(i + 1) {
		if r.buckets[i].list.Empty() {
			return fmt.Errorf("wheel: slot %d is empty but marked as occupied", i)
		}
		n, err := r.checkBucket(i, live)
		if err != nil {
			return err
		}
		linked += n
	}
	if linked != size {
		return fmt.Errorf("wheel: %d timers in occupied slots, %d pending or just cancelled", linked, size)
	}
	return nil
}

func (r *ring) checkDue(live func(slot uint32) bool) (length int, err error) {
	if length, err = r.lists.Check(r.due); err != nil {
		return 0, fmt.Errorf("wheel: due list: %w", err)
	}
	last := structures.Tick(0)
	for slot, deadline := range r.lists.All(r.due) {
		if !live(slot) {
			return 0, fmt.Errorf("wheel: slot %d in the due list holds no timer", slot)
		}
		if deadline < last || deadline > r.cursor {
			return 0, fmt.Errorf("wheel: deadline %d in the due list, after %d, cursor %d",
				deadline, last, r.cursor)
		}
		last = deadline
	}
	return length, nil
}

func (r *ring) checkBucket(i int, live func(slot uint32) bool) (length int, err error) {
	b := &r.buckets[i]
	if length, err = r.lists.Check(b.list); err != nil {
		return 0, fmt.Errorf("wheel: slot %d: %w", i, err)
	}
	if b.bound <= r.cursor || b.bound < r.next || r.index(b.bound) != i {
		return 0, fmt.Errorf("wheel: slot %d has the bound %d, cursor %d, next %d",
			i, b.bound, r.cursor, r.next)
	}
	for slot, deadline := range r.lists.All(b.list) {
		if !live(slot) {
			return 0, fmt.Errorf("wheel: slot %d in slot %d of the wheel holds no timer", slot, i)
		}
		if deadline < b.bound || r.index(deadline) != i {
			return 0, fmt.Errorf("wheel: deadline %d in slot %d of %d, whose bound is %d",
				deadline, i, len(r.buckets), b.bound)
		}
	}
	return length, nil
}
