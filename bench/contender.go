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

// contender is one row of a cell, together with the structure that it measures.
type contender struct {
	row   results.Row
	entry catalog.Entry // declares its bounds

	*replayer
	second  *coarseReplayer // second instance of a coarse structure; nil: exact
	samples *latencies
	counted hardwareCounts // in the cost trials
	empty   heapUse        // before the structure was created
}

// contenders returns the contenders of a workload: the floor, Go's timers where they
// can take part, the structures, and the control.
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

// controlOf chooses the structure that runs twice. It is quadheap if that takes part,
// because quadheap is neither the fastest nor the slowest.
func controlOf(entries []catalog.Entry) catalog.Entry {
	for _, e := range entries {
		if e.Name == "quadheap" {
			return e
		}
	}
	return entries[0]
}

// fill creates the structure, replays the fill of the source on it, and measures its
// memory. The array of IDs is allocated before, so that it does not count.
func (c *contender) fill(s source) error {
	c.samples = newLatencies()
	c.replayer = &replayer{}
	c.reserve(&script.Block{Keys: s.keys()})
	c.empty = measureHeap()
	c.s = c.entry.New()
	exact := c.entry.Exact()
	var last script.Proof // of the fill, which may have many blocks
	if err := s.populate(func(b *script.Block) error {
		c.replayWhole(b)
		last = b.Want
		if !exact {
			return nil // the second instance is filled and compared below
		}
		return c.check(b, c.snapshot())
	}); err != nil {
		return err
	}
	c.measureFilled()
	if exact {
		return nil
	}
	c.second = newCoarseReplayer(c.entry.New(), c.entry.MaxLate)
	first := c.snapshot()
	return s.populate(func(b *script.Block) error {
		if c.second.replay(b); b.Want != last {
			return nil
		}
		return c.compareInstances(b, first)
	})
}

// measureFilled measures the memory of the filled structure and the time that it adds
// to a full garbage collection.
func (c *contender) measureFilled() {
	if c.row.Role == results.RoleFloor || c.s.Len() == 0 {
		return
	}
	full := measureHeap()
	c.row.BytesPerTimer = max(0, float64(full.bytes)-float64(c.empty.bytes)) / float64(c.s.Len())
	c.row.CollectNS = max(0, float64(full.collectTime-c.empty.collectTime))
}

// prove replays a block without timing it and checks every answer.
func (c *contender) prove(b *script.Block) error {
	structure := c.row.Role == results.RoleStructure || c.row.Role == results.RoleControl
	if !structure || c.second != nil {
		c.replayWhole(b)
	} else if err := newProver(c.replayer).replay(b); err != nil {
		return err
	}
	return c.check(b, c.snapshot())
}

// check compares the outcome after a block with the expected one. No time counts
// without this check.
func (c *contender) check(b *script.Block, o outcome) error {
	if c.second != nil {
		c.second.replay(b)
		return c.compareInstances(b, o)
	}
	c.row.Proof = o.done
	return o.check(b)
}

// compareInstances checks the second instance of a coarse structure against the
// generator, and the outcome of the first instance against that of the second.
func (c *contender) compareInstances(b *script.Block, o outcome) error {
	if err := c.second.check(b); err != nil {
		return err
	}
	if second := c.second.snapshot(); o != second {
		return fmt.Errorf("two instances that replayed the same fired other timers, or at other ticks: %+v and %+v", o, second)
	}
	c.row.Proof = o.done
	return nil
}

// finish makes the checks that are possible only at the end: the bindings of IDs and
// values, and the number of allocations. pending lists the timers that are pending
// after the last block. floorAllocs is the number of allocations of the harness.
func (c *contender) finish(pending func(func(script.Timer)), floorAllocs uint64) error {
	if c.second == nil {
		if err := c.checkBindings(pending); err != nil {
			return err
		}
	}
	if c.entry.Allocates || c.row.Role == results.RoleFloor {
		return nil
	}
	allocs, ops := c.allocations()
	// The runtime itself allocates from time to time. A structure may grow when its
	// number of timers reaches a new maximum: a few times, however long the run. Among
	// many timers it adds pages until it has aged.
	if allowed := floorAllocs + 6 + ops/50_000 + uint64(c.s.Len())/20_000; allocs > allowed {
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

// stopper is a scheduler whose timers live on in the Go runtime until Stop.
type stopper interface{ Stop() }

// stop stops the timers that the scheduler has started in the Go runtime.
func (c *contender) stop() {
	if c.replayer == nil {
		return
	}
	if s, ok := c.s.(stopper); ok {
		s.Stop()
	}
}

// heapUse is the size of the live objects on the heap, in bytes, and the duration of a
// full garbage collection.
type heapUse struct {
	bytes       uint64
	collectTime time.Duration
}

func measureHeap() heapUse {
	runtime.GC()
	start := time.Now()
	runtime.GC()
	collect := time.Since(start)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return heapUse{m.HeapAlloc, collect}
}
