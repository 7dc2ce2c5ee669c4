package bench

import (
	"context"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

type source interface {
	// plan returns the sizes of the blocks of a round, for that number of rounds with that number of
	// blocks.
	plan(rounds, blocks int) roundPlan
	// keys returns the number of keys in the blocks of populate.
	keys() int
	// populate calls do with the blocks that fill a structure. They are the same in
	// each call. A block is valid until do returns.
	populate(do func(*script.Block) error) error
	// nextBlock returns the next block after populate. It reuses the memory of reuse, which may be
	// nil. The block has at least size operations, or fewer at the end. After the end the error is
	// io.EOF.
	nextBlock(size int, reuse *script.Block) (*script.Block, error)
	// remaining calls do with the remaining blocks of a source that ends, so that the proof covers
	// the whole source.
	remaining(do func(*script.Block) error) error
	// Pending calls do with each pending timer after the last block.
	Pending(do func(script.Timer))
	// MedianDelay returns the median of the delays so far, in ticks; 0: there is none.
	MedianDelay() structures.Tick
	close()
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

// scriptSource provides the blocks of a script, which does not end.
type scriptSource struct {
	*script.Script
	ctx       context.Context // of the run: writing a script can take seconds
	roundPlan roundPlan
	fillBlock *script.Block
}

func openScript(ctx context.Context, c cell) (source, error) {
	block := c.block()
	s := &scriptSource{
		Script: c.workload.Script(c.n, c.seed), ctx: ctx,
		roundPlan: roundPlan{
			prove: max(block, proveSize(c.proveOps, c.n)), block: block, warm: warmSize(c.n), segments: 1,
		},
	}
	var err error
	s.fillBlock, err = s.FillContext(ctx)
	return s, err
}

func (s *scriptSource) plan(int, int) roundPlan { return s.roundPlan }

func (s *scriptSource) keys() int { return s.fillBlock.Keys }

func (s *scriptSource) populate(do func(*script.Block) error) error { return do(s.fillBlock) }

func (s *scriptSource) nextBlock(size int, reuse *script.Block) (*script.Block, error) {
	s.fillBlock = nil // frees its memory, which may be large
	return s.NextContext(s.ctx, size, reuse)
}

func (s *scriptSource) remaining(func(*script.Block) error) error { return nil }

func (s *scriptSource) close() {}
