package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// prover replays a script on an exact structure and checks every answer. It is not
// timed. It checks more than the checksums of a timed replay can:
//
//   - Each timer fires at its deadline, in order, with the ID that Schedule returned
//     for it and with its value.
//   - Next misses no deadline: the prover calls Pop only at ticks that Next returns and
//     at the ticks of the script.
//   - Stale IDs, old and new, are refused.
//   - Len is right after each operation.
type prover struct {
	*replayer
	pending    int
	lowerBound structures.Tick // the largest answer of Next: no deadline is before it
	fires      []script.Fire   // of the block: timers that are not due yet
	got        []structures.Timer[uint64]
	want       []script.Fire
	stale      staleIDs
}

func newProver(r *replayer) *prover {
	return &prover{replayer: r, pending: r.s.Len()}
}

// replay replays a block and returns an error for the first wrong answer.
func (p *prover) replay(b *script.Block) error {
	p.reserve(b)
	p.fires = b.Fires
	for kind, op := range b.All() {
		if err := p.step(kind, op); err != nil {
			return err
		}
		if n := p.s.Len(); n != p.pending {
			return fmt.Errorf("Len is %d after a %s, want %d", n, kind, p.pending)
		}
		if err := p.stale.checkRefused(p.s); err != nil {
			return err
		}
	}
	return nil
}

// step executes one operation.
func (p *prover) step(kind script.Kind, op script.Op) error {
	switch kind {
	case script.KindFire, script.KindWake:
		return p.advance(op.At)
	case script.KindReschedule:
		p.lowerBound = min(p.lowerBound, op.At)
	case script.KindCancel:
		p.stale.add(p.ids[op.Key])
		p.pending--
	case script.KindSchedule:
		p.pending++
		p.lowerBound = min(p.lowerBound, op.At)
	}
	p.doOne(kind, op)
	return nil
}

// advance moves the clock to a tick and pops at each tick that Next returns until then.
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
		p.lowerBound = max(p.lowerBound, at) // a later answer may be smaller
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

// pop pops all timers that are due at a tick. to is the tick of the script's operation.
func (p *prover) pop(at, to structures.Tick) error {
	for {
		t, ok := p.s.Pop(at)
		if !ok {
			return nil
		}
		if t.Deadline != at {
			return fmt.Errorf("a timer with deadline %d fired at tick %d", t.Deadline, at)
		}
		if t.Deadline < p.lowerBound {
			return fmt.Errorf("a timer with deadline %d fired, and Next had named tick %d", t.Deadline, p.lowerBound)
		}
		p.pending--
		p.recordFired(to, t) // the program of the script wakes at to
		p.got = append(p.got, t)
		p.stale.add(t.ID)
	}
}

// compare compares the timers that have fired with the expected ones, one by one.
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

// staleIDs holds the first stale ID and a uniform random sample of all stale IDs.
//
// The first ID is tried after every operation. An ID may contain a counter of the uses
// of its slot. If that counter overflows, the structure accepts the old ID again, but
// only until the slot is used again.
type staleIDs struct {
	first  structures.ID
	sample []structures.ID
	count  uint64
	tries  uint64
	random uint64
}

func (d *staleIDs) add(id structures.ID) {
	const size = 64
	if d.count++; d.count == 1 {
		d.first = id
	}
	if len(d.sample) < size {
		d.sample = append(d.sample, id)
		return
	}
	d.random = d.random*6364136223846793005 + 1442695040888963407 // Knuth's MMIX
	if i := (d.random >> 32) % d.count; i < size {
		d.sample[i] = id
	}
}

// checkRefused tries two stale IDs on a structure, which must refuse both.
func (d *staleIDs) checkRefused(s structures.Scheduler[uint64]) error {
	if d.count == 0 {
		return nil
	}
	if s.Cancel(d.first) {
		return fmt.Errorf("the ID %#x of a timer that is done with since %d others is accepted", d.first, d.count-1)
	}
	d.tries++
	id, accepted := d.sample[d.tries%uint64(len(d.sample))], false
	if d.tries%2 == 0 {
		accepted = s.Cancel(id)
	} else {
		accepted = s.Reschedule(id, 1<<40)
	}
	if accepted {
		return fmt.Errorf("the ID %#x of a timer that is done with is accepted", id)
	}
	return nil
}
