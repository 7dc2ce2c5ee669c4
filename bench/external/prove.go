package external

import (
	"fmt"
	"slices"
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

// WrongFire is the error of the first timer that a program did not fire as it must.
type WrongFire struct {
	Pop   int // number of the Pop in the block
	Slot  uint32
	Lost  bool // it did not fire
	Again bool // it fired twice in the Pop
	error
}

// prove compares the timers that fired in a block with its pops and the timers that came due. It returns the slots of the timers that
// fired. Between the blocks of a coarse program d keeps the timers that have not fired.
func prove(d *script.Due[struct{}], coarse bool, pops []structures.Tick, due []expected, fired []Fire) (slots []uint32, err error) {
	for pop, at := range pops {
		for ; len(due) > 0 && due[0].At <= at; due = due[1:] {
			d.Add(uint64(due[0].slot), due[0].Fire, struct{}{})
		}
		for before := len(slots); len(fired) > 0 && fired[0].At == at; fired = fired[1:] {
			slot := fired[0].Slot
			if _, _, err := d.Fired(uint64(slot), at); err != nil {
				return nil, &WrongFire{Pop: pop, Slot: slot, Again: slices.Contains(slots[before:], slot), error: err}
			}
			slots = append(slots, slot)
		}
		if d.Wake(at); coarse && pop < len(pops)-1 {
			continue
		}
		if slot, err := d.Lost(); err != nil {
			return nil, &WrongFire{Pop: pop, Slot: uint32(slot), Lost: true, error: fmt.Errorf("%w (slot %d)", err, slot)}
		}
	}
	if len(fired) > 0 {
		return nil, fmt.Errorf("it reports that timer %d fired at tick %d, but no Pop has that tick", fired[0].Slot, fired[0].At)
	}
	return slots, nil
}
