package script

import (
	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/structures"
)

// Rand is the source of randomness of a process: fixed by its seed on any
// machine.
type Rand = dist.Rand

// Process writes a script, piece by piece.
type Process interface {
	// Fill brings the population to its steady state.
	Fill(w *Writer, r *Rand)
	// Step writes one event of the steady state: a few operations.
	Step(w *Writer, r *Rand)
}

// script turns the process of a workload into blocks.
type Script struct {
	process Process
	writer  Writer
	rand    *Rand
}

func New(p Process, r *Rand) *Script { return &Script{process: p, rand: r} }

// fill returns the block that fills a structure.
func (s *Script) Fill() *Block {
	s.writer.Begin(nil)
	s.process.Fill(&s.writer, s.rand)
	return s.writer.End()
}

// next returns a block of at least size operations, in the memory of reuse.
func (s *Script) Next(size int, reuse *Block) *Block {
	s.writer.Begin(reuse)
	for b := s.writer.block; b.Calls+b.Pops < size; {
		s.process.Step(&s.writer, s.rand)
	}
	return s.writer.End()
}

// Now returns the tick that the script has reached.
func (s *Script) Now() structures.Tick { return s.writer.Now() }

// NextDeadline returns the tick at which the next timer fires; ok is false when
// none is pending.
func (s *Script) NextDeadline() (at structures.Tick, ok bool) { return s.writer.NextDeadline() }

// Process returns what writes the script.
func (s *Script) Process() Process { return s.process }
