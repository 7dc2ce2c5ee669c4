package bench

import (
	"math"
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/structures"
)

// Rand is the source of randomness of a workload: fixed by its seed on any
// machine.
type Rand = dist.Rand

// Workload is a use of timers: who is scheduled when, for how long, and what
// becomes of it. It is the same for every structure.
type Workload struct {
	Name         string
	Summary      string        // one line
	Source       string        // where its parameters come from
	Distribution string        // of its delays; empty when it is the workload's own
	Tick         time.Duration // length of a tick in what it models

	// Resident is the number of pending timers that its parameters lead to; 0
	// when it takes any number.
	Resident int

	// NothingFires says that the script never moves the clock, so that real
	// timers can be measured beside virtual ones.
	NothingFires bool

	// Unit is what its cost is counted per; empty: PerLifecycle.
	Unit Unit

	// mixed marks the workloads whose point is the mixture, not the scaling.
	mixed bool

	// cyclic marks the workloads whose Step is a whole cycle of all timers.
	cyclic bool

	// New returns the process that writes the script with n resident timers.
	New func(n int) Process
}

func (w Workload) unit() Unit {
	if w.Unit == "" {
		return PerLifecycle
	}
	return w.Unit
}

// Process writes a script, piece by piece.
type Process interface {
	// Fill brings the population to its steady state.
	Fill(w *Writer, r *Rand)
	// Step writes one event of the steady state: a few operations.
	Step(w *Writer, r *Rand)
}

// meanDelay is the mean of the delays of the synthetic families, in ticks: 30 s
// at a tick of 1 ms, which makes uniform delays spread over 60,000 ticks.
const meanDelay = 30_000

// never bounds the delays that heavy tails draw: 35 years at a tick of 1 ms.
const never = 1 << 40

// ticks rounds a real number of ticks to a delay: at least one tick.
func ticks(x float64) structures.Tick {
	return structures.Tick(math.Min(math.Max(1, math.Floor(x+0.5)), never))
}

// fillFromDelays schedules n timers whose remaining delays are those of a
// population in its steady state.
func fillFromDelays(w *Writer, r *Rand, n int, delay dist.Dist) {
	for range n {
		w.Schedule(w.Now() + ticks(dist.Residual(delay, r)))
	}
}

// script turns the process of a workload into blocks.
type script struct {
	process Process
	writer  Writer
	rand    *Rand
}

// newScript starts the script that workload, n and seed name.
func newScript(wl Workload, n int, seed uint64) *script {
	return &script{process: wl.New(n), rand: dist.NewRand(seed, streamOf(wl.Name, n))}
}

// streamOf gives each workload and size a random stream of its own, so that the
// choice of what else to run does not change its script.
func streamOf(name string, n int) uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h ^ uint64(n)
}

// fill returns the block that fills a structure.
func (s *script) fill() *Block {
	s.writer.begin(nil)
	s.process.Fill(&s.writer, s.rand)
	return s.writer.end()
}

// next returns a block of at least size operations, in the memory of reuse.
func (s *script) next(size int, reuse *Block) *Block {
	s.writer.begin(reuse)
	for b := s.writer.block; b.Calls+b.Pops < size; {
		s.process.Step(&s.writer, s.rand)
	}
	return s.writer.end()
}
