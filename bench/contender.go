package bench

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/internal/gotimer"
	"github.com/timerbench/timerbench/bench/internal/heap"
	"github.com/timerbench/timerbench/bench/replay"
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
	results.Row
	entry    catalog.Entry     // declares its bounds
	samples  *replay.Latencies // nil after the rounds that every contender gets
	counted  hardwareCounts    // in the cost trials
	instance *replay.Instance  // of the pass
}

func newContender(role results.Role, e catalog.Entry) *contender {
	return &contender{Row: results.Row{Structure: e.Name, Role: role, Coarse: !e.Exact()}, entry: e}
}

// mostGoTimers is how many of Go's timers take part at most (chosen): they take 150 bytes each.
const mostGoTimers = 10_000_000

// contenders returns the contenders of a cell: the floor, the structures, and, where nothing
// fires, Go's timers and beside lean loops the stub.
func (c cell) contenders(entries []catalog.Entry) []*contender {
	floor := catalog.Entry{Name: FloorName, New: replay.Null}
	list := []*contender{newContender(results.RoleFloor, floor)}
	nothingFires := c.workload.Kind().NothingFires
	if nothingFires && c.lean {
		list = append(list, newContender(results.RoleBaseline,
			catalog.Entry{Name: StubName, Allocates: true, New: replay.Stub}))
	}
	if nothingFires && c.n <= mostGoTimers {
		goTimers := func() structures.Scheduler[uint64] { return gotimer.New() }
		list = append(list, newContender(results.RoleBaseline,
			catalog.Entry{Name: BaselineName, Allocates: true, New: goTimers}))
	}
	for _, e := range entries {
		list = append(list, newContender(results.RoleStructure, e))
	}
	return list
}

// controlOf returns a second instance of a structure.
func controlOf(e catalog.Entry) *contender {
	c := newContender(results.RoleControl, e)
	c.Structure, c.Of = e.Name+"-control", e.Name
	return c
}

// ofHarness reports whether the contender is a part of the harness, whose failure is a
// fault of the harness.
func (c *contender) ofHarness() bool {
	return c.Role == results.RoleFloor || c.Role == results.RoleBaseline
}

// recordMemory records what the filled structure added to the heap and to a full garbage
// collection.
func (c *contender) recordMemory(before, after heap.Use) {
	if c.Role == results.RoleFloor || c.instance.Len() == 0 {
		return
	}
	c.BytesPerTimer = after.BytesSince(before) / float64(c.instance.Len())
	c.CollectNS = after.CollectSince(before)
}

// prove replays a block without timing it and checks every answer. The harness answers
// from the script.
func (c *contender) prove(b *script.Block) error {
	if c.ofHarness() {
		return c.instance.Replay(b)
	}
	return c.instance.Prove(b)
}

// checkAllocations checks the number of allocations of an instance in its timed blocks.
// floor is the number of allocations of the harness.
func (c *contender) checkAllocations(instance int, floor uint64) error {
	if c.entry.Allocates || c.Role == results.RoleFloor {
		return nil
	}
	allocs, ops := c.allocations(instance)
	// The runtime itself allocates from time to time. A structure may grow when its
	// number of timers reaches a new maximum: a few times, however long the run. One
	// of several arrays and a map makes a dozen allocations each time. Among many
	// timers it adds pages until it has aged.
	allowed := floor + 18 + ops/50_000 + uint64(c.instance.Len())/20_000
	if allocs > allowed {
		return fmt.Errorf("%d allocations in %d operations of the steady state, and it declares none",
			allocs, ops)
	}
	return nil
}

// allocations returns the number of allocations in the timed blocks of an instance, and
// the number of operations.
func (c *contender) allocations(instance int) (allocs, ops uint64) {
	for _, t := range c.Cost {
		if t.Instance == instance {
			allocs += t.Allocs
			ops += uint64(t.Ops + t.Wakes)
		}
	}
	return allocs, ops
}

// stop drops the instance.
func (c *contender) stop() {
	if c.instance != nil {
		c.instance.Stop()
		c.instance = nil
	}
}
