package replay

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// Instance is a fresh instance of a structure that replays a script block by block. A coarse structure has a second
// instance that is not timed. It checks each timer against its bound, and both must fire the same timers.
type Instance struct {
	replayer
	entry  entry.Entry
	second *Walker // nil for an exact structure and after Alone

	program Program // replays in place of a structure; may be nil

	// Proof is the outcome after the last checked block.
	Proof script.Proof
}

// New returns an instance with its structure.
func New(e entry.Entry) *Instance { return NewOf(e, 0, nil) }

// NewOf is New with room for the IDs of the given number of keys. If p is not nil, it replays in place of a
// structure.
func NewOf(e entry.Entry, keys int, p Program) *Instance {
	if p != nil {
		i := &Instance{entry: e, program: p}
		i.outcome.failed = p.Begin(keys)
		return i
	}
	i := Alone(e)
	i.Reserve(&script.Block{Keys: keys})
	if !e.Exact() {
		i.second = NewWalker(e)
	}
	return i
}

// Alone is New without the second instance of a coarse structure, so that nothing checks the bounds of its timers.
func Alone(e entry.Entry) *Instance {
	i := &Instance{entry: e}
	i.s = e.New()
	i.prefetcher, _ = i.s.(structures.Prefetcher)
	i.form, _ = i.s.(Form)
	return i
}

// Wrap replaces the structure by a scheduler around it, such as one that times its calls.
func (i *Instance) Wrap(wrap func(structures.Scheduler[uint64]) structures.Scheduler[uint64]) {
	i.s = wrap(i.s)
	i.form, _ = i.s.(Form)
}

// Replay replays a block without timing it and checks its outcome.
func (i *Instance) Replay(b *script.Block) error {
	i.Time(b)
	return i.Check(b, i.Outcome())
}

// Prove replays a block without timing it. It checks every answer of an exact structure, and the bound of each
// timer of a coarse one.
func (i *Instance) Prove(b *script.Block) error {
	if i.program != nil {
		i.ask(b, true)
		return i.Check(b, i.Outcome())
	}
	if i.second != nil {
		return i.Replay(b)
	}
	if err := newProver(&i.replayer).replay(b); err != nil {
		return err
	}
	return i.Check(b, i.Outcome())
}

// Check compares the outcome after a block with that of the generator. Blocks must be checked in order, without gaps.
func (i *Instance) Check(b *script.Block, o Outcome) error {
	if i.second != nil {
		i.second.Replay(b, i.second.Wake)
	}
	return i.compare(b, o)
}

func (i *Instance) compare(b *script.Block, o Outcome) error {
	o = i.proveKeys(o, b)
	i.Proof = o.done
	if i.second == nil {
		return o.check(b)
	}
	if err := i.second.Check(b); err != nil {
		return err
	}
	if second := i.second.Outcome(); o != second {
		return fmt.Errorf("two instances that replayed the same fired other timers, "+
			"or at other ticks: %+v and %+v", o, second)
	}
	return nil
}

// CheckBindings returns an error unless each timer fired with its own ID and value: the remaining sum of bindings
// must be that of the pending timers. Coarse structures, whose pending timers may differ, are checked timer by
// timer by their second instance. Timers without IDs are their own.
func (i *Instance) CheckBindings(pending func(do func(script.Timer))) error {
	if i.second != nil || i.program != nil || i.form != nil {
		return nil
	}
	want := uint64(0)
	pending(func(t script.Timer) { want += script.Binding(i.ids[t.Key], t.Value) })
	if i.outcome.binding != want {
		return fmt.Errorf("of %d timers some fired under an ID or with a value that is not theirs",
			i.outcome.done.Fired)
	}
	return nil
}
