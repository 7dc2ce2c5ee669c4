package records

import "fmt"

// Checked is what holds timers of a set. Check notes their records, and names the first
// invariant that is broken.
type Checked[T any] interface{ Check(c *Checker[T]) error }

// Check names the first invariant that is broken, of those that hold timers or of the records,
// with the name of a package in front.
func (s *Set[T]) Check(name string, holders ...Checked[T]) (err error) {
	c := &Checker[T]{s, make(map[uint32]bool)}
	for _, h := range holders {
		if err == nil {
			err = h.Check(c)
		}
	}
	if err == nil {
		err = c.checkRest()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Checker finds out whether every record is in use, free once, or exhausted.
type Checker[T any] struct {
	Set  *Set[T]
	seen map[uint32]bool
}

// Seen reports whether a use of the record was noted.
func (c *Checker[T]) Seen(index uint32) bool { return c.seen[index] }

// See notes the use of a record, which must be the only one.
func (c *Checker[T]) See(index uint32) error {
	if index >= c.Set.Fresh() || c.seen[index] {
		return fmt.Errorf("record %d is used twice, or was never made", index)
	}
	c.seen[index] = true
	return nil
}

// checkRest checks the records of which no use was noted. They may be in lists.
func (c *Checker[T]) checkRest() error {
	s := c.Set
	for i := range s.freeCount {
		index := *s.free.At(i)
		if err := c.See(index); err != nil {
			return fmt.Errorf("free records: %w", err)
		}
		if r := s.At(index); r.Pending() || r.Where.Tag() != Nowhere {
			return fmt.Errorf("record %d is free, at %#x, and has generation %d",
				index, r.Where, r.Generation)
		}
	}
	for index := range s.Fresh() {
		if r := s.At(index); !c.seen[index] && (r.Generation != 0 || r.Where.Tag() != Nowhere) {
			return fmt.Errorf("record %d is neither in use nor free", index)
		}
	}
	return nil
}
