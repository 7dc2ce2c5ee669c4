package trace

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
)

// MaxPending bounds the timers that are pending at the same time in a trace, and
// with them the memory of a reader, which is 12 bytes each: a small file can hold
// very many timers, as it is compressed. It is chosen: twice as many as the largest
// run of the suite holds.
const MaxPending = 20_000_000

// ledger is the account of a trace that its writer and its reader keep alike: an
// operation that does not fit is refused by both. It issues the keys, so that a
// schedule need not say which.
type ledger struct {
	totals    Totals
	deadlines []structures.Tick // by key; 0: free
	free      []uint32          // keys done with: the last one is used first
	atEnd     int               // pending timers with deadline math.MaxInt64
	advanced  bool
}

// pending returns how many timers are pending.
func (l *ledger) pending() int { return len(l.deadlines) - len(l.free) }

// check returns an error unless the timer of a key is pending and should be.
func (l *ledger) check(key uint32) error {
	if int64(key) >= int64(len(l.deadlines)) || l.deadlines[key] == 0 {
		return fmt.Errorf("key %d is not pending", key)
	}
	if d := l.deadlines[key]; l.past(d) {
		return fmt.Errorf("key %d was due at tick %d and has not fired by tick %d", key, d, l.totals.Last)
	}
	return nil
}

// past reports whether a deadline is no longer possible. The last tick there is
// has no later one: deadlines there stay possible when the clock has reached it.
func (l *ledger) past(deadline structures.Tick) bool {
	return deadline <= l.totals.Last && deadline != math.MaxInt64
}

func (l *ledger) future(deadline structures.Tick) error {
	if l.past(deadline) {
		return fmt.Errorf("deadline %d is not after tick %d", deadline, l.totals.Last)
	}
	return nil
}

func (l *ledger) schedule(deadline structures.Tick) (key uint32, err error) {
	if err := l.future(deadline); err != nil {
		return 0, err
	}
	if n := len(l.free); n > 0 {
		key = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		if len(l.deadlines) == MaxPending {
			return 0, fmt.Errorf("%d timers would be pending at the same time, want at most %d", MaxPending+1, MaxPending)
		}
		key = uint32(len(l.deadlines))
		l.deadlines = append(l.deadlines, 0)
		l.totals.Keys++
	}
	l.set(key, deadline)
	l.totals.Ops[Schedule]++
	return key, nil
}

func (l *ledger) reschedule(key uint32, deadline structures.Tick) error {
	if err := l.check(key); err != nil {
		return err
	}
	if err := l.future(deadline); err != nil {
		return err
	}
	l.set(key, deadline)
	l.totals.Ops[Reschedule]++
	return nil
}

func (l *ledger) cancel(key uint32) error {
	if err := l.check(key); err != nil {
		return err
	}
	l.release(key)
	l.totals.Ops[Cancel]++
	return nil
}

// advance takes down that the timers of the keys fired when the clock moved, and
// returns how many of them fired after their deadline. That no other one was due
// shows when it is next named, or at the end.
func (l *ledger) advance(to structures.Tick, fired []uint32) (late int, err error) {
	if to < l.totals.Last {
		return 0, fmt.Errorf("the clock goes back from tick %d to %d", l.totals.Last, to)
	}
	for _, key := range fired {
		if err := l.check(key); err != nil {
			return 0, err
		}
		d := l.deadlines[key]
		if d > to {
			return 0, fmt.Errorf("key %d fires at tick %d, before its deadline %d", key, to, d)
		}
		if d < to {
			late++
		}
		l.release(key)
	}
	if to == math.MaxInt64 && l.atEnd > 0 {
		return 0, fmt.Errorf("%d timers are due at the last tick, %d, and have not fired", l.atEnd, to)
	}
	if !l.advanced {
		l.advanced, l.totals.First = true, to
	}
	l.totals.Last = to
	l.totals.Fired += uint64(len(fired))
	l.totals.Ops[Advance]++
	return late, nil
}

// set gives a key a deadline; 0 means none.
func (l *ledger) set(key uint32, deadline structures.Tick) {
	if l.deadlines[key] == math.MaxInt64 {
		l.atEnd--
	}
	if deadline == math.MaxInt64 {
		l.atEnd++
	}
	l.deadlines[key] = deadline
}

func (l *ledger) release(key uint32) {
	l.set(key, 0)
	l.free = append(l.free, key)
}

// end makes sure that nothing was passed over.
func (l *ledger) end() error {
	for key, d := range l.deadlines {
		if d != 0 && l.past(d) {
			return l.check(uint32(key))
		}
	}
	return nil
}
