package bench

import (
	"context"

	"github.com/timerbench/timerbench/bench/script"
)

// source is where the blocks of a cell come from.
type source interface {
	// pace says how much to replay in each of so many rounds.
	pace(rounds int) pace
	// keys returns how many keys the blocks of populate need.
	keys() int
	// populate gives do the blocks that fill a structure, each time the same. A
	// block holds until do returns.
	populate(do func(*script.Block) error) error
	// follow returns a block of at least size operations, if there are as many, in
	// the memory of reuse. The first follows what populate gave last. At the end the
	// error is io.EOF.
	follow(size int, reuse *script.Block) (*script.Block, error)
	// rest gives do what a source that ends has left, so that the proof is of all
	// of it.
	rest(do func(*script.Block) error) error
	// pending gives do the timers that are pending after the last block.
	pending(do func(script.Timer))
	close()
}

// pace is how much is replayed: operations in the block that proves every answer, in
// a timed block and in one that warms the caches, and stretches in a round. The
// blocks of a stretch are replayed by one contender after the other; a trial sums up
// the stretches of its round.
type pace struct{ prove, block, warm, stretches int }

// scripted is a script as the source of a cell. It has no end.
type scripted struct {
	*script.Script
	ctx    context.Context // of the run, for scripts that take seconds to write
	paces  pace
	filled *script.Block
}

// openScript starts the script of a cell, and writes the fill, which is the same for all.
func openScript(ctx context.Context, c cellConfig) (source, error) {
	block := blockSize(c.workload, c.n)
	s := &scripted{
		Script: c.workload.Script(c.n, c.seed), ctx: ctx,
		paces: pace{prove: max(block, proveSize(c.proof, c.n)), block: block, warm: warmSize(c.n), stretches: 1},
	}
	var err error
	s.filled, err = s.FillContext(ctx)
	return s, err
}

func (s *scripted) pace(int) pace { return s.paces }

func (s *scripted) keys() int { return s.filled.Keys }

func (s *scripted) populate(do func(*script.Block) error) error { return do(s.filled) }

func (s *scripted) follow(size int, reuse *script.Block) (*script.Block, error) {
	s.filled = nil // it may be large
	return s.NextContext(s.ctx, size, reuse)
}

func (s *scripted) rest(func(*script.Block) error) error { return nil }

func (s *scripted) pending(do func(script.Timer)) { s.Pending(do) }

func (s *scripted) close() {}
