package replay

import (
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// Program replays blocks in another process and times itself, see package external. Its [Instance] has
// no structure and asks it, and what differs from the script is an error of the next check.
type Program interface {
	// Begin makes a fresh instance, with room for so many keys.
	Begin(keys int) error
	// Load hands over blocks that are to be replayed next.
	Load(blocks ...*script.Block) error
	// Replay replays a block, proves what came of it, and returns how long it took. With every,
	// each timer that fired is held against the script.
	Replay(b *script.Block, every bool) (time.Duration, error)
}

// Load lets a program prepare blocks that are to be replayed next. A structure needs nothing.
func (i *Instance) Load(blocks ...*script.Block) {
	if i.program != nil && i.outcome.failed == nil {
		i.outcome.failed = i.program.Load(blocks...)
	}
}

// ask replays a block by the program. What it has proved is the outcome of the script.
func (i *Instance) ask(b *script.Block, every bool) (took time.Duration) {
	if i.outcome.failed != nil {
		return 0
	}
	took, i.outcome.failed = i.program.Replay(b, every)
	i.outcome.done, i.outcome.late = b.Want, b.Late
	return took
}

// Time replays a block and returns its duration.
func (i *Instance) Time(b *script.Block) time.Duration {
	if i.program != nil {
		return i.ask(b, false)
	}
	return i.replayer.Time(b)
}

// TimeByKind is [Instance.Time] by kinds of operations, which programs do not tell.
func (i *Instance) TimeByKind(b *script.Block, clock Clock) []results.KindTime {
	if i.program != nil {
		i.ask(b, false)
		return nil
	}
	return i.replayer.TimeByKind(b, clock)
}

// Reserve prepares the replay of a block.
func (i *Instance) Reserve(b *script.Block) {
	if i.program == nil {
		i.replayer.Reserve(b)
	}
}

// Outcome returns a copy of the outcome so far.
func (i *Instance) Outcome() Outcome {
	if i.program != nil {
		return i.outcome
	}
	return i.replayer.Outcome()
}

// Len returns the number of pending timers.
func (i *Instance) Len() int {
	if i.program != nil {
		return int(i.outcome.done.Pending)
	}
	return i.s.Len()
}
