package bench

import (
	"runtime"

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
	row  Row
	make func() structures.Scheduler[uint64]
	late func(delay structures.Tick) structures.Tick // as catalog.Entry.MaxLate

	*replayer
	samples *latencies
}

// contenders returns who takes part in a workload: the structures, and the rows
// that judge the harness.
func contenders(entries []catalog.Entry, w Workload) []*contender {
	list := []*contender{{
		row:  Row{Structure: FloorName, Role: RoleFloor},
		make: func() structures.Scheduler[uint64] { return &null{} },
	}}
	if w.NothingFires {
		list = append(list, &contender{
			row:  Row{Structure: BaselineName, Role: RoleBaseline},
			make: func() structures.Scheduler[uint64] { return newGoTimers() },
		})
	}
	for _, e := range entries {
		list = append(list, &contender{row: Row{Structure: e.Name, Role: RoleStructure}, make: e.New, late: e.MaxLate})
	}
	if len(entries) > 0 {
		of := controlOf(entries)
		list = append(list, &contender{
			row:  Row{Structure: of.Name + "-control", Role: RoleControl, Of: of.Name},
			make: of.New,
			late: of.MaxLate,
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

// populate makes the structure, fills it and measures the memory that it takes.
func (c *contender) populate(fill *Block) {
	c.replayer = newReplayer(nil, c.late)
	c.reserve(fill)
	before := heapInUse()
	c.s = c.make()
	c.whole(fill)
	if after, resident := heapInUse(), c.s.Len(); resident > 0 && after > before && c.row.Role != RoleFloor {
		c.row.BytesPerTimer = float64(after-before) / float64(resident)
	}
	c.samples = newLatencies()
}

// heapInUse returns the bytes of live objects on the heap.
func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
