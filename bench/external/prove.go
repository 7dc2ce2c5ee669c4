package external

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

type expected struct {
	script.Fire
	slot uint32
}

func (a answer) check(want answer) error {
	switch {
	case a.Fired != want.Fired:
		return fmt.Errorf("it says that %d timers fired, want %d", a.Fired, want.Fired)
	case a.Len != want.Len:
		return fmt.Errorf("it says that %s pending, want %d", are(a.Len), want.Len)
	case a.Checksum != want.Checksum:
		return fmt.Errorf("the checksum over (tick, slot) of the %d timers that fired is %#x, want %#x: "+
			"other timers, or at other ticks", a.Fired, a.Checksum, want.Checksum)
	}
	return nil
}

// are returns "1 timer is" or "2 timers are".
func are(n uint64) string {
	if n == 1 {
		return "1 timer is"
	}
	return fmt.Sprintf("%d timers are", n)
}

// checkTimes returns an error if the times of an answer are impossible: longer than the round trip, shorter
// than what a clock of this cost can show, or, of a collector and a compiler, longer than the process has
// run on mostThreads threads. The two clocks may differ by 1 %.
func (a answer) checkTimes(ops int, clockNS float64, trip, age time.Duration) error {
	took, least := float64(a.NS), clockNS/2
	switch {
	case took > 1.01*float64(trip):
		return fmt.Errorf("it says that a block took %d ns, but its answer came after %d ns", a.NS, trip.Nanoseconds())
	case took <= 0 || took < least:
		return fmt.Errorf("it says that a block of %d operations took %d ns, want %.0f or more: "+
			"its clock is too coarse, or does not run", ops, a.NS, max(1, least))
	}
	for what, ns := range map[string]uint64{"garbage collector": a.CollectionNS, "compiler": a.CompileNS} {
		if float64(ns) > float64(age)*mostThreads {
			return fmt.Errorf("it says that a %s took %d ns, but it was started %d ns ago", what, ns, age.Nanoseconds())
		}
	}
	return nil
}

// mostThreads is more threads than any collector or compiler has (chosen).
const mostThreads = 1024

// prover compares each timer that a program fires with the script. Between the blocks of a coarse program it
// keeps the timers that are due and have not fired.
type prover struct {
	late     func(delay structures.Tick) structures.Tick // nil for an exact program
	unfired  map[uint32]script.Fire                      // due timers by slot
	lastWake structures.Tick
}

// prove compares the timers that fired in a block with its pops and the timers that came due. It returns the
// slots of the timers that fired.
func (p *prover) prove(pops []structures.Tick, due []expected, fired []Fire) (slots []uint32, err error) {
	for _, at := range pops {
		for len(due) > 0 && due[0].At <= at {
			p.unfired[due[0].slot] = due[0].Fire
			due = due[1:]
		}
		for ; len(fired) > 0 && fired[0].At == at; fired = fired[1:] {
			slot := fired[0].Slot
			was, ok := p.unfired[slot]
			if !ok {
				return nil, fmt.Errorf("the timer of slot %d fired early or a second time, at tick %d", slot, at)
			}
			if latest := was.Latest(p.late); at > latest && p.lastWake >= latest && was.At <= p.lastWake {
				return nil, fmt.Errorf("a timer with deadline %d and delay %d fired at tick %d, later than its bound %d",
					was.At, was.Delay, at, latest)
			}
			delete(p.unfired, slot)
			slots = append(slots, slot)
		}
		if p.late == nil {
			if err := p.lost(at); err != nil {
				return nil, err
			}
		}
		p.lastWake = at
	}
	if len(fired) > 0 {
		return nil, fmt.Errorf("it says that the timer of slot %d fired at tick %d, but no pop has that tick",
			fired[0].Slot, fired[0].At)
	}
	return slots, p.lost(p.lastWake)
}

// lost returns an error if some timer should have fired by a tick and has not.
func (p *prover) lost(at structures.Tick) error {
	for slot, f := range p.unfired {
		if latest := f.Latest(p.late); at >= latest {
			return fmt.Errorf("a timer with deadline %d and delay %d has not fired by tick %d (slot %d)",
				f.At, f.Delay, at, slot)
		}
	}
	return nil
}
