package replay

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// prover replays a script on an exact structure and checks every answer. In addition to the checks of a walker:
//
//   - Each timer fires at its deadline.
//   - Next misses no deadline: the prover calls Pop only at ticks that Next returns and at the ticks of the script.
//   - Stale IDs, old and new, are refused. A structure without IDs refuses a timer that was just cancelled.
//   - Len is right after each operation.
type prover struct {
	*walker
	pending    int
	lowerBound structures.Tick // the largest answer of Next; no timer may be due before it
	stale      staleIDs
}

// replay replays a block and returns an error for the first wrong answer.
func (p *prover) replay(b *script.Block) error {
	p.begin(b)
	for kind, op := range b.All() {
		switch kind {
		case script.KindReschedule:
			p.lowerBound = min(p.lowerBound, op.At)
		case script.KindCancel:
			p.pending--
		case script.KindSchedule:
			p.pending++
			p.lowerBound = min(p.lowerBound, op.At)
		}
		p.step(kind, op, p.advance)
		if n := p.Len(); n != p.pending {
			p.fail("Len is %d after a %s, want %d", n, kind, p.pending)
		}
		if p.err != nil {
			return p.err
		}
		if err := p.checkRefused(kind, op.Key, &p.stale); err != nil {
			return err
		}
	}
	return nil
}

// advance moves the clock to a tick, with a pop at each tick that Next returns before it.
func (p *prover) advance(to structures.Tick) {
	for p.err == nil {
		at, ok := p.Next()
		if ok != (p.Len() > 0) {
			p.fail("Next names a tick: %t, with %d timers pending", ok, p.Len())
		}
		if !ok {
			at = math.MaxInt64
		}
		p.lowerBound = max(p.lowerBound, at) // a later answer may be smaller
		if !ok || at > to {
			break
		}
		p.wake(at, to)
	}
	p.wake(to, to)
	_, lost := p.due.Lost()
	p.note(lost)
}

func (p *prover) fired(at structures.Tick, t structures.Timer[uint64], _ structures.Tick) {
	if t.Deadline != at {
		p.fail("a timer with deadline %d fired at tick %d", t.Deadline, at)
	}
	if t.Deadline < p.lowerBound {
		p.fail("a timer with deadline %d fired, and Next had named tick %d", t.Deadline, p.lowerBound)
	}
	p.pending--
	p.stale.add(t.ID)
}

// staleIDs holds the first stale ID and a uniform random sample of all stale IDs.
//
// The prover tries the first ID after every operation, because of IDs that contain a counter of the uses of a slot.
// When such a counter overflows, the structure accepts the old ID again, but only until the next use of the slot.
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

// checkRefused returns an error unless a structure refuses two stale IDs.
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
