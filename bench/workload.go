package bench

import (
	"time"

	"github.com/timerbench/timerbench/bench/internal/dist"
)

// Rand is the source of randomness of a workload: fixed by its seed on any
// machine.
type Rand = dist.Rand

// Workload is a use of timers: who is scheduled when, for how long, and what
// becomes of it. It is the same for every structure.
type Workload struct {
	Name    string
	Summary string        // one line
	Source  string        // where its parameters come from
	Tick    time.Duration // length of a tick in what it models
	Model   Model         // what its timers do

	// Resident is the number of pending timers that its parameters lead to as
	// published; it takes any other as well. 0 when none is more typical than another.
	Resident int

	// Unit is what its cost is counted per; empty: that of its kind of model.
	Unit Unit

	// Extra marks a variant of another workload, which only the full profile runs
	// unasked.
	Extra bool

	// Trial is the number of operations in a timed trial; 0: what suits its size.
	Trial int

	// Definition is the text of the scenario file that it comes from; empty for
	// the built-in ones.
	Definition string
}

// process returns the process with n resident timers.
func (w Workload) process(n int) Process {
	if f, ok := w.Model.(*Flow); ok && w.Resident > 0 && n != w.Resident {
		return f.scaled(float64(n)/float64(w.Resident)).New(n, w.Tick)
	}
	return w.Model.New(n, w.Tick)
}

func (w Workload) unit() Unit {
	switch kind := KindOf(w.Model); {
	case w.Unit != "":
		return w.Unit
	case kind.Unit != "":
		return kind.Unit
	}
	return PerLifecycle
}

// Process writes a script, piece by piece.
type Process interface {
	// Fill brings the population to its steady state.
	Fill(w *Writer, r *Rand)
	// Step writes one event of the steady state: a few operations.
	Step(w *Writer, r *Rand)
}

// meanDelay is the mean of the delays of the synthetic families: at a tick of 1 ms
// it makes uniform delays spread over 60,000 ticks.
const meanDelay = Duration(30 * time.Second)

// family returns delays of one of the kinds that are given by their mean.
func family(kind string) Delay { return Delay{Kind: kind, Mean: meanDelay} }

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
	return &script{process: wl.process(n), rand: dist.NewRand(seed, streamOf(wl.Name, n))}
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

// scripted is a script as the source of a cell.
type scripted struct {
	*script
	workload Workload
	filled   *Block
}

func (s *scripted) pace(n, _ int) pace { return pace{blockSize(s.workload, n), warmSize(n), 1} }

func (s *scripted) keys() int { return s.start().Keys }

func (s *scripted) populate(do func(*Block) error) error { return do(s.start()) }

func (s *scripted) follow(size int, reuse *Block) (*Block, error) {
	s.filled = nil // it may be large
	return s.next(size, reuse), nil
}

func (s *scripted) close() {}

// start returns the block that fills a structure, which is the same for all.
func (s *scripted) start() *Block {
	if s.filled == nil {
		s.filled = s.fill()
	}
	return s.filled
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
