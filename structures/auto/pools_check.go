package auto

import (
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// checkPools checks the pools, and that they hold all timers.
func (c *checker[T]) checkPools() error {
	p, rs := &c.t.pools, &c.t.records
	if err := p.checkFront(); err != nil {
		return err
	}
	listed := make(map[uint32]where) // by index: the bits of the pools that list it
	for pool := uint32(1); pool <= lastPool; pool++ {
		for _, index := range p.lists[pool] {
			if index >= rs.Fresh() || listed[index]&listedIn(pool) != 0 {
				return fmt.Errorf("pool %d lists record %d of %d, or lists it twice", pool, index, rs.Fresh())
			}
			listed[index] |= listedIn(pool)
		}
	}
	found := 0
	for index := range rs.Fresh() {
		r := rs.At(index)
		if bits := r.where >> listBits << listBits; bits != listed[index] {
			return fmt.Errorf("record %d says that it is listed by pools %#x, not %#x", index, bits, listed[index])
		}
		if r.generation&1 == 0 {
			continue
		}
		if r.deadline < c.t.nextWork {
			return fmt.Errorf("deadline %d is before the next work at %d", r.deadline, c.t.nextWork)
		}
		found++
		if err := p.checkTimer(r, index); err != nil {
			return err
		}
		c.seen[index] = true
	}
	if found != c.t.settled {
		return fmt.Errorf("%d records in use, the counter says %d", found, c.t.settled)
	}
	return nil
}

func (p *pools[T]) checkFront() error {
	if !slices.IsSorted(p.bounds[:]) {
		return fmt.Errorf("the bounds %d do not ascend", p.bounds)
	}
	if len(p.front) > frontLen {
		return fmt.Errorf("%d entries in front, want at most %d", len(p.front), frontLen)
	}
	last := p.bounds[0]
	for _, e := range p.front {
		if e.deadline > last {
			return fmt.Errorf("deadline %d in front comes after %d", e.deadline, last)
		}
		last = e.deadline
	}
	return nil
}

func (p *pools[T]) checkTimer(r *record[T], index uint32) error {
	pool := uint32(r.where & homeMask >> homeShift)
	if pool == 0 {
		if !slices.Contains(p.front, entry{r.deadline, index, r.generation}) {
			return fmt.Errorf("no entry in front for record %d, deadline %d", index, r.deadline)
		}
		return nil
	}
	if pool > lastPool || r.where&listedIn(pool) == 0 {
		return fmt.Errorf("record %d is at home in pool %d, which does not list it", index, pool)
	}
	last := structures.Tick(math.MaxInt64)
	if pool < lastPool {
		last = p.bounds[pool]
	}
	if r.deadline < p.bounds[pool-1] || r.deadline > last {
		return fmt.Errorf("deadline %d in pool %d, whose bounds are %d and %d", r.deadline, pool, p.bounds[pool-1], last)
	}
	return nil
}
