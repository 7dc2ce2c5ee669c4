package bench

import (
	"context"
	"errors"
	"io"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// stream writes the blocks of fresh instances, and knows how far they have come. It has the script of a workload, which does not
// end, or of a recording.
type stream struct {
	*script.Script
	recording *recording      // nil: a workload
	warmUp    *script.WarmUp  // nil: a cycle or a recording has none
	at        progress        //
	timed     bool            // it has begun a timed round
	began     progress        // at the first one
	spare     *script.Block   // memory of a block that is not timed
	blocks    []*script.Block // of the last timed round; their memory is reused
}

// progress is how far a script has come since the fill.
type progress struct {
	operations int
	fired      uint64
	ticks      structures.Tick
	passed     script.Passage
}

func (c *Cell) open(seed uint64) (*stream, error) {
	if c.trace != nil {
		return c.trace.open()
	}
	s := &stream{Script: c.workload.Script(c.n, seed)}
	if c.period > 0 {
		s.warmUp = c.workload.WarmUp(c.n)
	}
	return s, nil
}

func (s *stream) close() {
	if s.recording != nil {
		_ = s.recording.reader.Close() // it was only read
	}
}

// fill returns the block that fills a structure. It must be called first.
func (s *stream) fill(ctx context.Context) (b *script.Block, err error) {
	if s.recording == nil {
		b, err = s.FillContext(ctx)
	} else if b, err = s.Write(ctx, nil, s.recording.writeFill); err == nil {
		b.Keys = len(s.recording.timers)
	}
	if err == nil {
		s.at = progress{passed: b.Passed, fired: b.Want.Fired}
		if s.warmUp != nil {
			s.warmUp.Note(b)
		}
	}
	return b, err
}

// next returns the next block. It reuses the memory of reuse, which may be nil. The block has at least size operations, or
// fewer at the end of a recording. After that the error is io.EOF.
func (s *stream) next(ctx context.Context, size int, reuse *script.Block) (b *script.Block, err error) {
	if s.recording == nil {
		b, err = s.NextContext(ctx, size, reuse)
	} else {
		b, err = s.Write(ctx, reuse, func(w *script.Writer) {
			for range size {
				s.recording.call(w)
			}
		})
	}
	if err == nil {
		s.at.operations += b.Calls + b.Pops
		s.at.ticks += b.Ticks
		s.at.fired, s.at.passed = b.Want.Fired, b.Passed
		if s.warmUp != nil && !s.warmUp.Done() {
			s.warmUp.Note(b)
		}
	}
	return b, err
}

// ageing returns the size of the next untimed block before a round of an age: first the warm-up of the
// script, after which time passes for dead entries as it does later. 0: the round begins.
func (s *stream) ageing(age int) int {
	switch {
	case s.warmUp == nil || age == BeforeWarmUp:
		return 0
	case !s.warmUp.Done():
		return s.warmUp.Size(largestAgeing)
	}
	return min(max(0, s.warmUp.Operations()+age-s.at.operations), largestAgeing)
}

// largestAgeing is the largest number of operations of an untimed block. It limits the memory.
const largestAgeing = 200_000

// rest calls do with the blocks that are left of a recording.
func (s *stream) rest(ctx context.Context, do func(*script.Block) error) error {
	for {
		b, err := s.next(ctx, largestBlock, s.spare)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		s.spare = b
		if err := do(b); err != nil {
			return err
		}
	}
}
