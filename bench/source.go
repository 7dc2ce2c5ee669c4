package bench

import (
	"context"

	"github.com/timerbench/timerbench/bench/script"
)

// source is the script of a workload, which does not end, or of a recording.
type source struct {
	*script.Script
	recording *recording // nil: a workload
}

func (c cell) open() (*source, error) {
	if c.trace != nil {
		return c.trace.open()
	}
	return &source{Script: c.workload.Script(c.n, c.seed)}, nil
}

func (s *source) close() {
	if s.recording != nil {
		_ = s.recording.reader.Close() // it was only read
	}
}

// fill returns the block that fills a structure. It must be called first.
func (s *source) fill(ctx context.Context) (*script.Block, error) {
	if s.recording == nil {
		return s.FillContext(ctx)
	}
	b, err := s.Write(ctx, nil, s.recording.fill)
	if err == nil {
		b.Keys = len(s.recording.timers)
	}
	return b, err
}

// next returns the next block. It reuses the memory of reuse, which may be nil. The block has at least size operations, or
// fewer at the end of a recording. After that the error is io.EOF.
func (s *source) next(ctx context.Context, size int, reuse *script.Block) (*script.Block, error) {
	if s.recording == nil {
		return s.NextContext(ctx, size, reuse)
	}
	return s.Write(ctx, reuse, func(w *script.Writer) {
		for range size {
			s.recording.call(w)
		}
	})
}

// roundPlan has the sizes of the blocks of a cell. A round is divided into
// segments. Each contender replays the blocks of a segment before the next segment
// starts. A trial is the sum of the segments of its round.
type roundPlan struct {
	prove    int // operations in the block with checked answers
	block    int // operations in a timed block
	warm     int // operations in the block that warms the caches
	segments int // in a round
}

// plan returns the sizes of the blocks after the fill.
func (c cell) plan(s *source, rounds, blocks int) roundPlan {
	if r := s.recording; r != nil {
		return divided(r.operations()-r.made, rounds, blocks)
	}
	block := c.block()
	return roundPlan{prove: max(block, proveSize(c.proveOps, c.n)), block: block, warm: warmSize(c.n), segments: 1}
}
