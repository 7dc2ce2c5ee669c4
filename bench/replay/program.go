package replay

import (
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
)

// Program replays blocks in another process and times itself, see package external. An [Instance] of a program
// has no structure. It asks the program, and the next check returns the program's errors.
type Program interface {
	// Begin makes a fresh instance with room for the given number of keys.
	Begin(keys int) error
	// Load passes on the blocks that will be replayed next.
	Load(blocks ...*script.Block) error
	// Replay replays a block, proves the answer and returns the time. If every is set, it compares each
	// timer that fired with the script.
	Replay(b *script.Block, every bool) (time.Duration, error)
}

// Load lets a program prepare the blocks that will be replayed next. A structure needs no preparation.
func (i *Instance) Load(blocks ...*script.Block) {
	if i.program != nil && i.outcome.failed == nil {
		i.outcome.failed = i.program.Load(blocks...)
	}
}

// ask lets the program replay a block. The outcome is that of the script, because the program is proved.
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

// TimeByKind is [Instance.Time] by kind of operation. It returns nil for a program.
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
