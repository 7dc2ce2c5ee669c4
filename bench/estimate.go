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
	scriptBytes  = 68        // during the generation of the fill
	idBytes      = 8         // per instance
	keptBytes    = 4*16 + 32 // of single calls: operations after the fill, and the fire
	unknownBytes = 400       // an upper bound for a structure that declares nothing
)

// peakRatio is the peak memory of a cell divided by the declared memory of its structures. Structures
// hold 0.7 to 0.85 of the declared bytes. The peak is up to 1.6 times that: arrays are copied when they
// grow, and the garbage collector frees the old ones later.
const peakRatio = 1.2

// bytes estimates the memory of the cell from the declared bytes of the structures. It is accurate to
// about a third.
func (c cell) bytes(entries []entry.Entry) uint64 {
	perTimer := scriptBytes + idBytes // of the floor
	all, largest := bytesOfInstances(entries)
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
		bytes := idBytes + unknownBytes
		if e.MaxBytes > 0 {
			bytes = idBytes + e.MaxBytes
		}
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

// seconds estimates the duration of the cell. The estimates were fitted to a virtual machine with two
// cores at 2.5 GHz. contenders counts the structures and programs.
func (c cell) seconds(contenders int) float64 {
	const (
		perOp   = 60e-9  // of a contender whose timers are in the cache
		missing = 140e-9 // added among many timers
		proof   = 250e-9 // of an operation with a checked answer
		fixed   = 0.05   // of a pass
		traced  = 100e-9 // of an operation of a trace
	)
	if c.trace != nil {
		return traced * float64(c.passes) * float64(c.trace.operations()) * float64(contenders)
	}
	many := float64(c.n) / float64(c.n+50_000)
	op := perOp + missing*many
	block := float64(c.block())
	perPass := float64(c.n) // fill
	if c.period > 0 {
		perPass += warmUpOf(c.workload) * float64(c.n)
	}
	const stay = 0.6 // of the contenders, after the first rounds of a race
	modes, untimed := 0.0, perPass*float64(c.common)
	for pass := range c.common {
		age := 0
		for _, r := range c.roundsOf(pass) {
			of := float64(len(r.modes))
			if c.stops > 0 && r.number >= c.stops {
				of *= stay
			}
			modes, age = modes+of, r.age
		}
		untimed += float64(age)
	}
	timed := modes * block
	if c.cyclic() {
		timed = modes * max(2*float64(c.n), block)
	}
	otherSeeds := float64(c.otherSeeds) * (float64(c.n) + float64(c.trials)*block)
	proved := max(block, float64(proveSize(c.proveOps, c.n)))
	return fixed*float64(c.common) + float64(contenders+3)*(op*(untimed+timed+otherSeeds)+proof*proved)
}
