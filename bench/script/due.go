package script

import (
	"cmp"
	"fmt"

	"github.com/timerbench/timerbench/structures"
)

// Due follows the timers of a script that are due and have not fired. It is the reference for a replay that checks each timer: on
// a structure, or on a program of another language. Due timers have different names, such as their values, and something
// with which they must fire, such as their IDs.
type Due[E any] struct {
	maxLate func(delay structures.Tick) structures.Tick // nil: exact
	unfired map[uint64]dueTimer[E]
	woke    structures.Tick // the last wake-up
}

type dueTimer[E any] struct {
	Fire
	with E
}

// NewDue returns the reference for timers that may be late by a number of ticks that depends on their delay. If maxLate is nil, they
// are exact.
func NewDue[E any](maxLate func(delay structures.Tick) structures.Tick) Due[E] {
	return Due[E]{maxLate: maxLate, unfired: make(map[uint64]dueTimer[E])}
}

// Add adds a timer that is due.
func (d *Due[E]) Add(name uint64, f Fire, with E) { d.unfired[name] = dueTimer[E]{f, with} }

// Len returns the number of timers that are due and have not fired.
func (d *Due[E]) Len() int { return len(d.unfired) }

// Fired removes a timer that fires at a tick, and returns an error if it fires early, a second time, or too late. Timers fire only at
// wake-ups, so one is too late only if the previous wake-up was at its bound or after it.
func (d *Due[E]) Fired(name uint64, at structures.Tick) (f Fire, with E, err error) {
	t, ok := d.unfired[name]
	delete(d.unfired, name)
	switch latest := t.Latest(d.maxLate); {
	case !ok:
		err = fmt.Errorf("timer %d fired early or a second time, at tick %d", name, at)
	case at < t.At:
		err = fmt.Errorf("a timer with deadline %d fired early, at tick %d", t.At, at)
	case at > latest && d.woke >= latest:
		err = fmt.Errorf("a timer with deadline %d and delay %d fired at tick %d, later than its bound %d", t.At, t.Delay, at, latest)
	}
	return t.Fire, t.with, err
}

// Wake ends a wake-up.
func (d *Due[E]) Wake(at structures.Tick) { d.woke = at }

// Lost returns an error if a timer should have fired by the last wake-up, and the name of the first one.
func (d *Due[E]) Lost() (name uint64, err error) {
	var first Fire
	for n, t := range d.unfired {
		if d.woke >= t.Latest(d.maxLate) && (err == nil || cmp.Or(cmp.Compare(t.At, first.At), cmp.Compare(t.Value, first.Value)) < 0) {
			name, first = n, t.Fire
			err = fmt.Errorf("a timer with deadline %d and delay %d has not fired by tick %d", t.At, t.Delay, d.woke)
		}
	}
	return name, err
}

// Without returns the outcome of a block in which the timers that are due have not fired.
func (d *Due[E]) Without(want Proof) Proof {
	for _, t := range d.unfired {
		want.Fired--
		want.Pending++
		want.Checksum -= Checksum(t.At, t.Value)
	}
	return want
}
