package trace

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
)

// MaxPending bounds the timers pending at a time in a trace (chosen).
const MaxPending = 100_000_000

// ledger is the account of a trace that its writer and its reader keep alike: an
// operation that does not fit is refused by both. It issues the keys, so that a
// schedule need not say which.
type ledger struct {
	totals    Totals
	deadlines []structures.Tick // by key; 0: free
	free      []uint32          // keys done with: the last one is used first
	advanced  bool
}

// pending returns how many timers are pending.
func (l *ledger) pending() int { return len(l.deadlines) - len(l.free) }

// check returns an error unless the timer of a key is pending and should be.
func (l *ledger) check(key uint32) error {
	if int64(key) >= int64(len(l.deadlines)) || l.deadlines[key] == 0 {
		return fmt.Errorf("key %d is not pending", key)
	}
	if d := l.deadlines[key]; d <= l.totals.Last {
		return fmt.Errorf("key %d was due at tick %d and has not fired by tick %d", key, d, l.totals.Last)
	}
	return nil
}

func (l *ledger) future(deadline structures.Tick) error {
	if deadline <= l.totals.Last {
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
		l.deadlines[key] = deadline
	} else {
		if len(l.deadlines) == MaxPending {
			return 0, fmt.Errorf("more than %d timers are pending", MaxPending)
		}
		key = uint32(len(l.deadlines))
		l.deadlines = append(l.deadlines, deadline)
		l.totals.Keys++
	}
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
	l.deadlines[key] = deadline
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

// advance takes down that the timers of the keys fired when the clock moved. That
// no other one was due shows when it is next named, or at the end.
func (l *ledger) advance(to structures.Tick, fired []uint32) error {
	if to < l.totals.Last {
		return fmt.Errorf("the clock goes back from tick %d to %d", l.totals.Last, to)
	}
	for _, key := range fired {
		if err := l.check(key); err != nil {
			return err
		}
		if d := l.deadlines[key]; d > to {
			return fmt.Errorf("key %d fires at tick %d, before its deadline %d", key, to, d)
		}
		l.release(key)
	}
	if !l.advanced {
		l.advanced, l.totals.First = true, to
	}
	l.totals.Last = to
	l.totals.Fired += uint64(len(fired))
	l.totals.Ops[Advance]++
	return nil
}

func (l *ledger) release(key uint32) {
	l.deadlines[key] = 0
	l.free = append(l.free, key)
}

// end makes sure that nothing was passed over.
func (l *ledger) end() error {
	for key, d := range l.deadlines {
		if d != 0 && d <= l.totals.Last {
			return l.check(uint32(key))
		}
	}
	return nil
}
