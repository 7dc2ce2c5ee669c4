package wheel

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Check walks the due list and the occupied buckets.
func (r *ring) Check(nodes *fifo.Lists, clock structures.Tick, size int, mayBeLinked func(timer uint32) bool) error {
	if r.cursor < 0 || r.cursor > clock {
		return fmt.Errorf("wheel: cursor %d, clock %d", r.cursor, clock)
	}
	if err := r.occupied.Check(); err != nil {
		return fmt.Errorf("wheel: %w", err)
	}
	linked, err := r.checkDue(nodes, mayBeLinked)
	if err != nil {
		return err
	}
	// A timer in a bucket that is not marked as occupied is missing in the sum.
	for i := r.occupied.Next(0); i >= 0; i = r.occupied.Next(i + 1) {
		if r.buckets[i].list.Empty() {
			return fmt.Errorf("wheel: bucket %d is empty but marked as occupied", i)
		}
		n, err := r.checkBucket(nodes, i, mayBeLinked)
		if err != nil {
			return err
		}
		linked += n
	}
	if linked != size {
		return fmt.Errorf("wheel: %d timers in occupied buckets, %d pending or just cancelled", linked, size)
	}
	return nil
}

func (r *ring) checkDue(nodes *fifo.Lists, mayBeLinked func(timer uint32) bool) (length int, err error) {
	if length, err = nodes.Check(r.due); err != nil {
		return 0, fmt.Errorf("wheel: due list: %w", err)
	}
	last := structures.Tick(0)
	for timer, deadline := range nodes.All(r.due) {
		if !mayBeLinked(timer) {
			return 0, fmt.Errorf("wheel: timer %d in the due list is not pending", timer)
		}
		if deadline < last || deadline > r.cursor {
			return 0, fmt.Errorf("wheel: deadline %d in the due list, after %d, cursor %d",
				deadline, last, r.cursor)
		}
		last = deadline
	}
	return length, nil
}

func (r *ring) checkBucket(nodes *fifo.Lists, i int, mayBeLinked func(timer uint32) bool) (length int, err error) {
	b := &r.buckets[i]
	if length, err = nodes.Check(b.list); err != nil {
		return 0, fmt.Errorf("wheel: bucket %d: %w", i, err)
	}
	if b.bound <= r.cursor || b.bound < r.next || r.index(b.bound) != i {
		return 0, fmt.Errorf("wheel: bucket %d has the bound %d, cursor %d, next %d",
			i, b.bound, r.cursor, r.next)
	}
	for timer, deadline := range nodes.All(b.list) {
		if !mayBeLinked(timer) {
			return 0, fmt.Errorf("wheel: timer %d in bucket %d is not pending", timer, i)
		}
		if deadline < b.bound || r.index(deadline) != i {
			return 0, fmt.Errorf("wheel: deadline %d in bucket %d of %d, whose bound is %d",
				deadline, i, len(r.buckets), b.bound)
		}
	}
	return length, nil
}

// Show adds the occupied buckets, each with the next tick at which the clock passes it, and
// the due list.
func (r *ring) Show(nodes *fifo.Lists, b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "wheel", Kind: shape.Slots, Size: len(r.buckets), Width: 1, Now: r.index(b.Clock)})
	after := r.index(r.cursor)
	for i := r.occupied.First(); i >= 0; i = r.occupied.Next(i + 1) {
		ahead := i - after
		if ahead <= 0 {
			ahead += len(r.buckets)
		}
		tick := r.cursor + structures.Tick(ahead)
		b.Cell(shape.Cell{Index: i, From: tick, To: tick}, nodes.All(r.buckets[i].list))
	}
	b.List("due", nodes.All(r.due))
}
