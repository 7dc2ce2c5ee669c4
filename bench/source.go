package bench

import (
	"context"
	"errors"
	"io"

	"github.com/timerbench/timerbench/bench/script"
)

// stream writes the blocks of fresh instances, and knows how far they have come. It has the script of a workload, which does not
// end, or of a recording.
type stream struct {
	*script.Script
	recording *recording      // nil: a workload
	warmUp    *script.WarmUp  // nil: a cycle or a recording has none
	at        script.Moment   //
	timed     bool            // it has begun a timed round
	began     script.Moment   // at the first one
	spare     *script.Block   // memory of a block that is not timed
	blocks    []*script.Block // of the last timed round; their memory is reused
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
	r := s.recording
	if r == nil {
		return s.noted(s.FillContext(ctx))
	}
	b, err = s.Write(ctx, nil, func(w *script.Writer) {
		for r.made < r.operations()/2 && float64(w.Pending()) < r.Summary.ResidentOp {
			r.call(w)
		}
	})
	if err == nil {
		b.Keys = len(r.timers)
	}
	return s.noted(b, err)
}

// noted notes how far a new block comes.
func (s *stream) noted(b *script.Block, err error) (*script.Block, error) {
	if err == nil {
		if s.at = b.End; s.warmUp != nil && !s.warmUp.Done() {
			s.warmUp.Note(b)
		}
	}
	return b, err
}

// next returns the next block. It reuses the memory of reuse, which may be nil. The block has at least size operations, or
// fewer at the end of a recording. After that the error is io.EOF.
func (s *stream) next(ctx context.Context, size int, reuse *script.Block) (*script.Block, error) {
	if s.recording == nil {
		return s.noted(s.NextContext(ctx, size, reuse))
	}
	return s.noted(s.Write(ctx, reuse, func(w *script.Writer) {
		for range size {
			s.recording.call(w)
		}
	}))
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
	return min(max(0, s.warmUp.Operations()+age-s.at.Operations), largestAgeing)
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
