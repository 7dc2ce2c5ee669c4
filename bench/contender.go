package bench

import (
	"fmt"
	"runtime"
	"time"

	"github.com/timerbench/timerbench/bench/internal/gotimer"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Names of the rows that are not structures.
const (
	FloorName    = "null"
	BaselineName = "time.AfterFunc"
)

// contender is one row of a cell at work.
type contender struct {
	row   results.Row
	entry catalog.Entry // what it declares of itself

	*replayer
	second  *coarseReplayer // of a coarse structure: proves what the first one does
	samples *latencies
	empty   heapUse // before the structure was made
}

// contenders returns who takes part in a workload: the structures, and the rows
// that judge the harness.
func contenders(entries []catalog.Entry, w workload.Workload) []*contender {
	list := []*contender{{
		row:   results.Row{Structure: FloorName, Role: results.RoleFloor},
		entry: catalog.Entry{New: func() structures.Scheduler[uint64] { return &null{} }},
	}}
	if workload.KindOf(w.Model).NothingFires {
		list = append(list, &contender{
			row:   results.Row{Structure: BaselineName, Role: results.RoleBaseline},
			entry: catalog.Entry{Allocates: true, New: func() structures.Scheduler[uint64] { return gotimer.New() }},
		})
	}
	for _, e := range entries {
		list = append(list, &contender{row: results.Row{Structure: e.Name, Role: results.RoleStructure}, entry: e})
	}
	if len(entries) > 0 {
		of := controlOf(entries)
		list = append(list, &contender{
			row:   results.Row{Structure: of.Name + "-control", Role: results.RoleControl, Of: of.Name},
			entry: of,
		})
	}
	return list
}

// controlOf chooses the structure that is run twice: a heap of four if it takes
// part, being neither the fastest nor the slowest.
func controlOf(entries []catalog.Entry) catalog.Entry {
	for _, e := range entries {
		if e.Name == "quadheap" {
			return e
		}
	}
	return entries[0]
}

// fill makes the structure, brings it to where the blocks begin, and measures what
// it takes. Room for all keys is made before.
func (c *contender) fill(s source) error {
	c.samples = newLatencies()
	c.replayer = &replayer{}
	c.reserve(&script.Block{Keys: s.keys()})
	c.empty = heap()
	c.s = c.entry.New()
	exact := c.entry.Exact()
	var last script.Proof // of the fill, which may be many blocks
	if err := s.populate(func(b *script.Block) error {
		c.whole(b)
		last = b.Want
		if !exact {
			return nil // the second instance will say
		}
		return c.check(b, c.taken())
	}); err != nil {
		return err
	}
	c.filled()
	if exact {
		return nil
	}
	c.second = newCoarseReplayer(c.entry.New(), c.entry.MaxLate)
	first := c.taken()
	return s.populate(func(b *script.Block) error {
		if c.second.replay(b); b.Want != last {
			return nil
		}
		return c.agrees(b, first)
	})
}

// filled measures what the structure takes, once it is filled: memory, and the
// collector's time to look through it.
func (c *contender) filled() {
	if c.row.Role == results.RoleFloor || c.s.Len() == 0 {
		return
	}
	full := heap()
	c.row.BytesPerTimer = max(0, float64(full.bytes)-float64(c.empty.bytes)) / float64(c.s.Len())
	c.row.CollectNS = max(0, float64(full.collect-c.empty.collect))
}

// prove replays a block and checks every answer, untimed.
func (c *contender) prove(b *script.Block) error {
	structure := c.row.Role == results.RoleStructure || c.row.Role == results.RoleControl
	if !structure || c.second != nil {
		c.whole(b)
	} else if err := newProver(c.replayer).replay(b); err != nil {
		return err
	}
	return c.check(b, c.taken())
}

// check makes sure that no number counts without its proof: the account taken after
// a block that the contender has replayed must be what the generator says.
func (c *contender) check(b *script.Block, a account) error {
	if c.second != nil {
		c.second.replay(b)
		return c.agrees(b, a)
	}
	c.row.Proof = a.done
	return a.check(b)
}

// agrees holds the account of a coarse structure against that of its second
// instance, and that against the generator.
func (c *contender) agrees(b *script.Block, a account) error {
	if err := c.second.check(b); err != nil {
		return err
	}
	if second := c.second.taken(); a != second {
		return fmt.Errorf("two instances that replayed the same fired other timers, or at other ticks: %+v and %+v", a, second)
	}
	c.row.Proof = a.done
	return nil
}

// finish checks what can only be checked at the end: pending are the timers that are
// pending after the last block, and quiet is how often the harness itself allocated.
func (c *contender) finish(pending func(func(script.Timer)), quiet uint64) error {
	if c.second == nil {
		if err := c.bound(pending); err != nil {
			return err
		}
	}
	if c.entry.Allocates || c.row.Role == results.RoleFloor {
		return nil
	}
	allocs, ops := c.allocations()
	// The runtime allocates now and then, and a structure that has never been so full
	// may grow: a few times, however long the run.
	if most := 2*quiet + 8 + ops/20_000; allocs > most {
		return fmt.Errorf("%d allocations in %d operations of the steady state, and it declares none", allocs, ops)
	}
	return nil
}

// allocations returns the number of allocations in the timed blocks, and the number
// of operations.
func (c *contender) allocations() (allocs, ops uint64) {
	for _, t := range c.row.Cost {
		allocs += t.Allocs
		ops += uint64(t.Ops + t.Wakes)
	}
	return allocs, ops
}

// stopper is a scheduler with something that outlives it.
type stopper interface{ Stop() }

// stop ends what would outlive the cell.
func (c *contender) stop() {
	if c.replayer == nil {
		return
	}
	if s, ok := c.s.(stopper); ok {
		s.Stop()
	}
}

// heapUse is the bytes of live objects on the heap and the time of a full
// collection.
type heapUse struct {
	bytes   uint64
	collect time.Duration
}

func heap() heapUse {
	runtime.GC()
	start := time.Now()
	runtime.GC()
	collect := time.Since(start)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return heapUse{m.HeapAlloc, collect}
}
