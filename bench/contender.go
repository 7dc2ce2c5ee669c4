package bench

import (
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
	row  results.Row
	make func() structures.Scheduler[uint64]
	late func(delay structures.Tick) structures.Tick // as catalog.Entry.MaxLate

	*replayer
	samples *latencies
	empty   heapUse // before the structure was made
}

// contenders returns who takes part in a workload: the structures, and the rows
// that judge the harness.
func contenders(entries []catalog.Entry, w workload.Workload) []*contender {
	list := []*contender{{
		row:  results.Row{Structure: FloorName, Role: results.RoleFloor},
		make: func() structures.Scheduler[uint64] { return &null{} },
	}}
	if workload.KindOf(w.Model).NothingFires {
		list = append(list, &contender{
			row:  results.Row{Structure: BaselineName, Role: results.RoleBaseline},
			make: func() structures.Scheduler[uint64] { return gotimer.New() },
		})
	}
	for _, e := range entries {
		list = append(list, &contender{row: results.Row{Structure: e.Name, Role: results.RoleStructure}, make: e.New, late: e.MaxLate})
	}
	if len(entries) > 0 {
		of := controlOf(entries)
		list = append(list, &contender{
			row:  results.Row{Structure: of.Name + "-control", Role: results.RoleControl, Of: of.Name},
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

// begin makes the structure. Room for all keys is made before.
func (c *contender) begin(keys int) {
	c.samples = newLatencies()
	c.replayer = newReplayer(nil, c.late)
	c.reserve(&script.Block{Keys: keys})
	c.empty = heap()
	c.s = c.make()
}

// filled measures what the structure takes, once it is filled: memory, and the
// collector's time to look through it.
func (c *contender) filled() {
	if c.row.Role == results.RoleFloor || c.s.Len() == 0 {
		return
	}
	if c.coarse != nil {
		c.coarse.shrink()
	}
	full := heap()
	c.row.BytesPerTimer = max(0, float64(full.bytes)-float64(c.empty.bytes)) / float64(c.s.Len())
	c.row.CollectNS = max(0, float64(full.collect-c.empty.collect))
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
