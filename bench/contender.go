package bench

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/internal/gotimer"
	"github.com/timerbench/timerbench/bench/internal/heap"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Names of the rows that are not structures.
const (
	FloorName    = "null"
	BaselineName = "time.AfterFunc"
	StubName     = "stub"
)

// ReferenceName is the structure that takes part in every cell of every shard of a run,
// if it was chosen. It is neither the fastest nor the slowest.
const ReferenceName = "quadheap"

// contender is one row of a cell. During a pass it has a fresh instance of the structure
// that it measures.
type contender struct {
	row     results.Row
	entry   catalog.Entry  // declares its bounds
	samples *latencies     // nil after the rounds that every contender gets
	counted hardwareCounts // in the cost trials

	// Of the pass:
	*replayer
	second *coarseReplayer // second instance of a coarse structure; nil: exact
	proof  script.Proof    // after the last block
}

// mostGoTimers is how many of Go's timers take part at most (chosen): they take 150 bytes each.
const mostGoTimers = 10_000_000

// contenders returns the contenders of a cell: the floor, the structures, and, where nothing
// fires, Go's timers and beside lean loops the stub.
func (c cellConfig) contenders(entries []catalog.Entry) []*contender {
	list := []*contender{{
		row:   results.Row{Structure: FloorName, Role: results.RoleFloor},
		entry: catalog.Entry{New: func() structures.Scheduler[uint64] { return &null{} }},
	}}
	beside := func(name string, newScheduler func() structures.Scheduler[uint64]) {
		list = append(list, &contender{
			row:   results.Row{Structure: name, Role: results.RoleBaseline},
			entry: catalog.Entry{Allocates: true, New: newScheduler},
		})
	}
	nothingFires := c.workload.Kind().NothingFires
	if nothingFires && c.lean {
		beside(StubName, func() structures.Scheduler[uint64] { return &stub{} })
	}
	if nothingFires && c.n <= mostGoTimers {
		beside(BaselineName, func() structures.Scheduler[uint64] { return gotimer.New() })
	}
	for _, e := range entries {
		list = append(list, &contender{row: results.Row{Structure: e.Name, Role: results.RoleStructure, Coarse: !e.Exact()}, entry: e})
	}
	return list
}

// controlOf returns a second instance of a structure.
func controlOf(e catalog.Entry) *contender {
	return &contender{row: results.Row{Structure: e.Name + "-control", Role: results.RoleControl, Of: e.Name, Coarse: !e.Exact()}, entry: e}
}

// reserveIDs allocates the array of IDs, so that it does not count as memory of the
// structure.
func (c *contender) reserveIDs(s source) {
	c.replayer = &replayer{}
	c.reserve(&script.Block{Keys: s.keys()})
}

// create creates the instance.
func (c *contender) create() { c.s = c.entry.New() }

// createSecond creates the second instance of a coarse structure.
func (c *contender) createSecond() {
	if !c.entry.Exact() {
		c.second = newCoarseReplayer(c.entry.New(), c.entry.MaxLate)
	}
}

// fillMeasured replays the fill of the source. It returns the heap that is in use with the
// filled structure, without the second instance of a coarse one.
func (c *contender) fillMeasured(s source) (heap.Use, error) {
	c.create()
	var last script.Proof // of the fill, which may have many blocks
	if err := s.populate(func(b *script.Block) error {
		c.replayWhole(b)
		last = b.Want
		if !c.entry.Exact() {
			return nil // compared with the second instance below
		}
		return c.check(b, c.snapshot())
	}); err != nil {
		return heap.Use{}, err
	}
	used := heap.Measure()
	if c.createSecond(); c.second == nil {
		return used, nil
	}
	first := c.snapshot()
	return used, s.populate(func(b *script.Block) error {
		if c.second.replay(b); b.Want != last {
			return nil
		}
		return c.compareInstances(b, first)
	})
}

// recordMemory records what the filled structure added to the heap and to a full garbage
// collection.
func (c *contender) recordMemory(before, after heap.Use) {
	if c.row.Role == results.RoleFloor || c.s.Len() == 0 {
		return
	}
	c.row.BytesPerTimer = after.BytesSince(before) / float64(c.s.Len())
	c.row.CollectNS = after.CollectSince(before)
}

// prove replays a block without timing it and checks every answer.
func (c *contender) prove(b *script.Block) error {
	structure := c.row.Role == results.RoleStructure || c.row.Role == results.RoleControl
	if !structure || c.second != nil {
		return c.replayChecked(b)
	}
	if err := newProver(c.replayer).replay(b); err != nil {
		return err
	}
	return c.check(b, c.snapshot())
}

// replayChecked replays a block without timing it and checks its outcome.
func (c *contender) replayChecked(b *script.Block) error {
	c.replayWhole(b)
	return c.check(b, c.snapshot())
}

// check compares the outcome after a block with the expected one. No time counts
// without this check.
func (c *contender) check(b *script.Block, o outcome) error {
	if c.second != nil {
		c.second.replay(b)
		return c.compareInstances(b, o)
	}
	c.proof = o.done
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
	c.proof = o.done
	return nil
}

// finish makes the checks that are possible only at the end: the bindings of IDs and
// values, and the number of allocations. pending lists the timers that are pending
// after the last block; nil: lean loops keep no bindings. The allocations are those of one instance. floorAllocs is the number of allocations of the harness.
func (c *contender) finish(pending func(func(script.Timer)), instance int, floorAllocs uint64) error {
	if c.second == nil && pending != nil {
		if err := c.checkBindings(pending); err != nil {
			return err
		}
	}
	if c.entry.Allocates || c.row.Role == results.RoleFloor {
		return nil
	}
	allocs, ops := c.allocations(instance)
	// The runtime itself allocates from time to time. A structure may grow when its
	// number of timers reaches a new maximum: a few times, however long the run. One
	// of several arrays and a map makes a dozen allocations each time. Among many
	// timers it adds pages until it has aged.
	if allowed := floorAllocs + 18 + ops/50_000 + uint64(c.s.Len())/20_000; allocs > allowed {
		return fmt.Errorf("%d allocations in %d operations of the steady state, and it declares none", allocs, ops)
	}
	return nil
}

// allocations returns the number of allocations in the timed blocks of an instance, and
// the number of operations.
func (c *contender) allocations(instance int) (allocs, ops uint64) {
	for _, t := range c.row.Cost {
		if t.Instance == instance {
			allocs += t.Allocs
			ops += uint64(t.Ops + t.Wakes)
		}
	}
	return allocs, ops
}

// stopper is a scheduler whose timers live on in the Go runtime until Stop.
type stopper interface{ Stop() }

// stop stops the timers that the scheduler has started in the Go runtime, and drops the
// instance.
func (c *contender) stop() {
	if c.replayer == nil {
		return
	}
	if s, ok := c.s.(stopper); ok {
		s.Stop()
	}
	c.replayer, c.second = nil, nil
}
