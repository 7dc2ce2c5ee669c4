package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// prover replays a script on an exact structure and checks every single answer. It
// is not timed. It proves more than the checksums of a timed replay can:
//
//   - Each timer fires at its deadline, in order, with the ID and the value that it
//     was scheduled with.
//   - Next misses no deadline: time moves from one tick that Next names to the next.
//   - IDs of timers that are done with, of all ages, are refused.
//   - Len is right after each operation.
type prover struct {
	*replayer
	pending int
	named   structures.Tick // the latest tick that Next has named: no deadline is before it
	fires   []script.Fire   // of the block, not due yet
	got     []structures.Timer[uint64]
	want    []script.Fire
	dead    deadIDs
}

func newProver(r *replayer) *prover {
	return &prover{replayer: r, pending: r.s.Len()}
}

// replay replays a block and returns the first answer that is wrong.
func (p *prover) replay(b *script.Block) error {
	p.reserve(b)
	p.fires = b.Fires
	ops := b.Ops
	for _, batch := range b.Batches {
		for i := range batch.Len {
			if err := p.step(batch.Kind, ops[i]); err != nil {
				return err
			}
			if n := p.s.Len(); n != p.pending {
				return fmt.Errorf("Len is %d after a %s, want %d", n, batch.Kind, p.pending)
			}
			if err := p.dead.refused(p.s); err != nil {
				return err
			}
		}
		ops = ops[batch.Len:]
	}
	return nil
}

// step does one operation.
func (p *prover) step(kind script.Kind, op script.Op) error {
	switch kind {
	case script.KindFire, script.KindWake:
		return p.advance(op.At)
	case script.KindReschedule:
		p.named = min(p.named, op.At)
	case script.KindCancel:
		p.dead.add(p.ids[op.Key])
		p.pending--
	case script.KindSchedule:
		p.pending++
		p.named = min(p.named, op.At)
	}
	p.doOne(kind, op)
	return nil
}

// advance moves time to a tick by way of those that Next names.
func (p *prover) advance(to structures.Tick) error {
	p.got, p.want = p.got[:0], p.want[:0]
	for len(p.fires) > 0 && p.fires[0].At <= to {
		p.want = append(p.want, p.fires[0])
		p.fires = p.fires[1:]
	}
	for {
		at, ok := p.s.Next()
		if ok != (p.s.Len() > 0) {
			return fmt.Errorf("Next names a tick: %t, with %d timers pending", ok, p.s.Len())
		}
		if !ok {
			at = math.MaxInt64
		}
		p.named = max(p.named, at) // a later answer may be more careful than an earlier one
		if !ok || at > to {
			break
		}
		if err := p.pop(at, to); err != nil {
			return err
		}
	}
	if err := p.pop(to, to); err != nil {
		return err
	}
	return p.compare()
}

// pop takes all that is due at a tick on the way to another.
func (p *prover) pop(at, to structures.Tick) error {
	for {
		t, ok := p.s.Pop(at)
		if !ok {
			return nil
		}
		if t.Deadline != at {
			return fmt.Errorf("a timer with deadline %d fired at tick %d", t.Deadline, at)
		}
		if t.Deadline < p.named {
			return fmt.Errorf("a timer with deadline %d fired, and Next had named tick %d", t.Deadline, p.named)
		}
		p.pending--
		p.fired(to, t) // the account is that of the program, which woke there
		p.got = append(p.got, t)
		p.dead.add(t.ID)
	}
}

// compare holds what has fired against what had to, timer by timer.
func (p *prover) compare() error {
	if len(p.got) != len(p.want) {
		return fmt.Errorf("%d timers fired where %d were due", len(p.got), len(p.want))
	}
	slices.SortFunc(p.got, func(a, b structures.Timer[uint64]) int { return cmp.Compare(a.Value, b.Value) })
	slices.SortFunc(p.want, func(a, b script.Fire) int { return cmp.Compare(a.Value, b.Value) })
	for i, want := range p.want {
		got := p.got[i]
		if id := p.ids[want.Key]; got.Value != want.Value || got.Deadline != want.At || got.ID != id {
			return fmt.Errorf("timer number %d fired with deadline %d and ID %#x, want number %d, deadline %d, ID %#x",
				got.Value, got.Deadline, got.ID, want.Value, want.At, id)
		}
	}
	return nil
}

// deadIDs is a sample of the IDs of timers that are done with, evenly of all ages,
// and the first one ever. An ID that names the use of a slot by a counter is accepted
// again when the counter comes round: for that moment the first ID is tried after
// every operation.
type deadIDs struct {
	first  structures.ID
	sample []structures.ID
	seen   uint64
	turn   uint64
	random uint64
}

func (d *deadIDs) add(id structures.ID) {
	const size = 64
	if d.seen++; d.seen == 1 {
		d.first = id
	}
	if len(d.sample) < size {
		d.sample = append(d.sample, id)
		return
	}
	d.random = d.random*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
	if i := (d.random >> 32) % d.seen; i < size {
		d.sample[i] = id
	}
}

// refused tries two of the IDs on a structure.
func (d *deadIDs) refused(s structures.Scheduler[uint64]) error {
	if d.seen == 0 {
		return nil
	}
	if s.Cancel(d.first) {
		return fmt.Errorf("the ID %#x of a timer that is done with since %d others is accepted", d.first, d.seen-1)
	}
	d.turn++
	id, accepted := d.sample[d.turn%uint64(len(d.sample))], false
	if d.turn%2 == 0 {
		accepted = s.Cancel(id)
	} else {
		accepted = s.Reschedule(id, 1<<40)
	}
	if accepted {
		return fmt.Errorf("the ID %#x of a timer that is done with is accepted", id)
	}
	return nil
}
