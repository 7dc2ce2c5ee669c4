// Package replay replays the blocks of a script, and proves the answers. A [Player] is what replays: a structure by ID, a
// structure whose timers are fields of the caller's structs, a floor, or a program of another language (package external).
// The first three are an [Instance].
package replay

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures/entry"
)

// Player replays blocks, takes their times and proves its answers. A time counts only if the next Check passes. After an
// error only Begin may be called.
type Player interface {
	// Begin makes a fresh instance with room for the given number of keys.
	Begin(keys int) error

	// Load prepares the blocks that will be replayed next, outside the timed region.
	Load(blocks ...*script.Block) error

	// Replay replays a block and returns its time. If every is set, it checks every answer, and the time does not count.
	// The block must not change before the next Check.
	Replay(b *script.Block, every bool) (time.Duration, error)

	// Check compares what was replayed since the last Check with the script. Replay leaves to it what would disturb the
	// times of further blocks. At the end of a script pending yields the pending timers; before, it is nil.
	Check(pending func(do func(script.Timer))) error

	// Proof returns the outcome after the last checked block.
	Proof() script.Proof
}

// Instance is the Player of a structure in this process. A coarse structure has a second instance that is not timed. It
// checks each timer against its bound, and both must fire the same timers.
type Instance struct {
	replayer
	entry     entry.Entry
	unchecked []replayed
	second    *walker // nil for an exact structure, and before the first Check
	proof     script.Proof
}

type replayed struct {
	block   *script.Block
	outcome outcome
}

// New returns an Instance of a structure. The caller must call Begin.
func New(e entry.Entry) *Instance { return &Instance{entry: e} }

// Begin implements [Player].
func (i *Instance) Begin(keys int) error {
	const blocks = 4 // that are replayed before a Check
	*i = Instance{entry: i.entry, replayer: newReplayer(i.entry), unchecked: make([]replayed, 0, blocks)}
	return i.Load(&script.Block{Keys: keys})
}

// Load implements [Player].
func (i *Instance) Load(blocks ...*script.Block) error {
	for _, b := range blocks {
		i.reserve(b)
	}
	return nil
}

// Replay implements [Player]. Check makes all checks of a coarse structure.
func (i *Instance) Replay(b *script.Block, every bool) (took time.Duration, err error) {
	if every && i.entry.Exact() {
		p := &prover{walker: walkerOn(&i.replayer, nil), pending: i.Len()}
		p.Fired = p.fired
		err = p.replay(b)
	} else {
		took = i.time(b)
	}
	i.note(b)
	return took, err
}

func (i *Instance) note(b *script.Block) {
	i.unchecked = append(i.unchecked, replayed{b, i.now()})
}

// TimeByKind is Replay with a reading of the clock for each batch of operations. It returns the time by kind, without the cost of
// reading the clock, which takes clockNS.
func (i *Instance) TimeByKind(b *script.Block, clockNS float64) (out []results.KindTime) {
	i.reserve(b)
	var times [script.NumKinds]results.KindTime
	ops := b.Ops
	epoch := time.Now()
	last := time.Since(epoch)
	for at, batch := range b.Batches {
		fired := i.outcome.done.Fired
		i.do(b.Batches[at:at+1], ops, &i.outcome)
		now := time.Since(epoch)
		k := &times[batch.Kind]
		k.NS += float64(now - last)
		k.ClockReads++
		if batch.Kind == script.KindFire {
			k.Count += int(i.outcome.done.Fired - fired)
		} else {
			k.Count += batch.Len
		}
		last = now
		ops = ops[batch.Len:]
	}
	i.note(b)
	for kind, k := range times {
		if k.Count > 0 {
			k.Kind = script.Kind(kind)
			k.NS = max(0, k.NS-float64(k.ClockReads)*clockNS)
			out = append(out, k)
		}
	}
	return out
}

// Check implements [Player].
func (i *Instance) Check(pending func(do func(script.Timer))) error {
	for _, r := range i.unchecked {
		if err := i.check(r.block, r.outcome); err != nil {
			return err
		}
	}
	i.unchecked = i.unchecked[:0]
	if pending == nil || i.second != nil { // the second instance has checked timer by timer
		return nil
	}
	return i.checkBindings(i.outcome, pending)
}

func (i *Instance) check(b *script.Block, o outcome) error {
	i.settle(&o, b)
	i.proof = o.done
	if i.entry.Exact() {
		return o.check(b)
	}
	if i.second == nil {
		r := newReplayer(i.entry)
		i.second = walkerOn(&r, i.entry.MaxLate)
	}
	i.second.Replay(b, i.second.Wake)
	if err := i.second.Check(b); err != nil {
		return err
	}
	if second := i.second.now(); o != second {
		return fmt.Errorf("two instances that replayed the same fired other timers, "+
			"or at other ticks: %+v and %+v", o, second)
	}
	return nil
}

// Proof implements [Player].
func (i *Instance) Proof() script.Proof { return i.proof }
