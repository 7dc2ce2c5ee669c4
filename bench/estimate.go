package bench

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// Bytes for each timer that a cell holds in addition to the structures.
const (
	scriptBytes = 68        // during the generation of the fill
	idBytes     = 8         // per instance
	keptBytes   = 4*16 + 32 // of single calls: operations after the fill, and the fire
)

// peakRatio is the peak memory of a cell divided by the declared memory of its structures. Structures
// hold 0.7 to 0.85 of the declared bytes. The peak is up to 1.6 times that: arrays are copied when they
// grow, and the garbage collector frees the old ones later.
const peakRatio = 1.2

// bytes estimates the memory of the cell from the declared bytes of the structures. It is accurate to
// about a third.
func (c *Cell) bytes() uint64 {
	perTimer := scriptBytes + idBytes // of the floor
	all, largest := bytesOfInstances(c.entries)
	if perTimer += largest; !c.apart { // otherwise the largest is that of the control
		perTimer += all
	}
	return peakOf(c.n, perTimer)
}

// bytesOfCalls estimates the memory of the analysis of single calls, which measures a structure on
// each processor.
func bytesOfCalls(n int, entries []entry.Entry) uint64 {
	_, largest := bytesOfInstances(entries)
	return peakOf(n, scriptBytes+keptBytes+runtime.GOMAXPROCS(0)*largest)
}

func peakOf(n, perTimer int) uint64 { return uint64(peakRatio * float64(n) * float64(perTimer)) }

// bytesOfInstances returns the bytes per timer of an instance of each structure, and of the largest
// instance. A coarse structure has two instances.
func bytesOfInstances(entries []entry.Entry) (all, largest int) {
	for _, e := range entries {
		bytes := idBytes + e.MaxBytes
		if !e.Exact() {
			bytes *= 2
		}
		all += bytes
		largest = max(largest, bytes)
	}
	return all, largest
}

// warmUps caches warmUpOf by the name and the version of a workload.
var warmUps sync.Map

// warmUpOf estimates the operations of a warm-up for each timer, from the script of a few timers. That takes milliseconds.
func warmUpOf(w workload.Workload) float64 {
	const n = 4_000
	key := fmt.Sprint(w.Name, w.Version(), w.Scenario)
	if known, ok := warmUps.Load(key); ok {
		return known.(float64)
	}
	s, warm := w.Script(n, 1), w.WarmUp(n)
	b := s.Fill()
	for warm.Note(b); !warm.Done(); warm.Note(b) {
		b = s.Next(warm.Size(n), b)
	}
	per := float64(warm.Operations()) / n
	warmUps.Store(key, per)
	return per
}

// perOperation estimates the seconds of an operation. This estimate and those built on it were fitted to a virtual machine with two
// cores at 2.5 GHz.
func (c *Cell) perOperation() float64 {
	const cached, missing = 60e-9, 140e-9 // of a contender whose timers are in the cache; added among many timers
	return cached + missing*float64(c.n)/float64(c.n+50_000)
}

// seconds estimates the duration of rounds.
func (c *Cell) seconds(rounds []Round) float64 {
	const (
		proof  = 250e-9 // of an operation with a checked answer
		fixed  = 0.05   // of fresh instances
		traced = 100e-9 // of an operation of a trace
		stay   = 0.6    // of the contenders, after the first rounds of a race
	)
	op := c.perOperation()
	sum, age := 0.0, 0
	for _, r := range rounds {
		contenders := float64(len(r.Contenders) + 1)
		if c.leaves == allButFew {
			contenders = min(contenders, mostContenders+3)
		}
		if c.trace != nil {
			if r.Fresh {
				sum += traced * float64(c.trace.operations()) * contenders
			}
			continue
		}
		if c.stops > 0 && r.Number >= c.stops {
			contenders *= stay
		}
		operations := 0.0
		if r.Fresh {
			sum, operations, age = sum+fixed, float64(c.n), BeforeWarmUp
		}
		if r.Age > age && c.period > 0 {
			if age == BeforeWarmUp {
				operations += warmUpOf(c.workload) * float64(c.n)
			}
			operations, age = operations+float64(r.Age-max(0, age)), r.Age
		}
		for _, b := range r.Blocks {
			switch {
			case b.Timing == Checked:
				operations += float64(b.Operations) * proof / op
			case c.cyclic():
				operations += float64(max(2*c.n, b.Operations))
			default:
				operations += float64(b.Operations)
			}
		}
		sum += contenders * op * operations
	}
	return sum
}
