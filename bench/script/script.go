package script

import (
	"context"
	"errors"
	"io"

	"github.com/timerbench/timerbench/structures"
)

// Process writes a script, event by event.
type Process interface {
	// Fill brings the population to its steady state.
	Fill(w *Writer, r *Rand)
	// Step writes one event of the steady state: a few operations.
	Step(w *Writer, r *Rand)
}

// Script divides the operations of a process into blocks.
type Script struct {
	process Process
	writer  Writer
	rand    *Rand
	first   *Block // memory for the block that fills a structure
}

// New starts the script of a process, with room for n timers and for the block that schedules them. So writing them
// takes 68 bytes a timer, and no more while arrays grow.
func New(p Process, r *Rand, n int) *Script {
	s := &Script{process: p, rand: r, first: &Block{Ops: make([]Op, 0, n)}}
	s.writer.timers, s.writer.pendingKeys = make([]modelTimer, 0, n), make([]uint32, 0, n)
	s.writer.deadlines.Reserve(n)
	return s
}

// Fill returns the block that fills a structure. It must be called first.
func (s *Script) Fill() *Block {
	b, _ := s.FillContext(context.Background())
	return b
}

// Next returns a block of at least size operations. It reuses the memory of reuse, if that is not nil.
func (s *Script) Next(size int, reuse *Block) *Block {
	b, _ := s.NextContext(context.Background(), size, reuse)
	return b
}

// FillContext is Fill with a context. If ctx is done before the block is, it returns the
// error of ctx, and the script cannot be used any more.
func (s *Script) FillContext(ctx context.Context) (*Block, error) {
	first := s.first
	s.first = nil
	return s.Write(ctx, first, func(w *Writer) { s.process.Fill(w, s.rand) })
}

// NextContext is Next with a context. If ctx is done before the block is, it returns the
// error of ctx, and the script cannot be used any more.
func (s *Script) NextContext(ctx context.Context, size int, reuse *Block) (*Block, error) {
	return s.Write(ctx, reuse, func(w *Writer) {
		for b := w.block; b.Calls+b.Pops < size; {
			s.process.Step(w, s.rand)
		}
	})
}

// Write returns a block of the calls that write makes, up to [Writer.Stop]. A script of such blocks alone needs no process.
func (s *Script) Write(ctx context.Context, reuse *Block, write func(w *Writer)) (b *Block, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stopped:
			if last := s.writer.end(); errors.Is(p.err, io.EOF) && len(last.Ops) > 0 {
				b = last
			} else {
				err = p.err
			}
		default:
			panic(p)
		}
	}()
	s.writer.interrupted = ctx.Err
	s.writer.begin(reuse)
	write(&s.writer)
	return s.writer.end(), ctx.Err()
}

// Now returns the tick that the script has reached.
func (s *Script) Now() structures.Tick { return s.writer.Now() }

// MedianDelay returns the median of the last few thousand delays, in ticks; 0 if there was none.
func (s *Script) MedianDelay() structures.Tick { return s.writer.tally.MedianDelay() }

// Pending calls do with each timer that is pending after the last block, in an unspecified order.
func (s *Script) Pending(do func(Timer)) {
	for _, key := range s.writer.pendingKeys {
		do(Timer{key, s.writer.timers[key].value})
	}
}
