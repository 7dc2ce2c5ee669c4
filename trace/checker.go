package trace

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
)

// MaxPending is the largest number of timers that may be pending at the same time
// in a trace. It bounds the memory of a reader, which is 12 bytes for each: a file
// is compressed, so that a small one can hold very many timers. It is chosen: the
// largest run of the suite holds half as many.
const MaxPending = 20_000_000

// checker checks each operation against those before it. The writer and the reader
// have one each, so that they accept the same traces. It also assigns the keys, so
// that a schedule need not store one.
//
// A key in use has a deadline after the clock, except that math.MaxInt64 is valid
// at the clock math.MaxInt64 as well.
type checker struct {
	totals    Totals
	deadlines []structures.Tick // by key; 0: the key is free
	free      []uint32          // free keys; the one that was freed last is used first
	atEnd     int               // pending timers with deadline math.MaxInt64
	advanced  bool
}

// pending returns the number of pending timers.
func (c *checker) pending() int { return len(c.deadlines) - len(c.free) }

// isPast reports whether it is too late for a deadline.
func (c *checker) isPast(deadline structures.Tick) bool {
	return deadline <= c.totals.Last && deadline != math.MaxInt64
}

// checkDeadline returns an error if a deadline is past.
func (c *checker) checkDeadline(deadline structures.Tick) error {
	if c.isPast(deadline) {
		return fmt.Errorf("deadline %d is not after tick %d", deadline, c.totals.Last)
	}
	return nil
}

// checkPending returns an error if the timer of a key is not pending, or if it
// should have fired.
func (c *checker) checkPending(key uint32) error {
	if int64(key) >= int64(len(c.deadlines)) || c.deadlines[key] == 0 {
		return fmt.Errorf("key %d is not pending", key)
	}
	if d := c.deadlines[key]; c.isPast(d) {
		return fmt.Errorf("key %d was due at tick %d and has not fired by tick %d", key, d, c.totals.Last)
	}
	return nil
}

// schedule adds a timer and returns its key.
func (c *checker) schedule(deadline structures.Tick) (key uint32, err error) {
	if err := c.checkDeadline(deadline); err != nil {
		return 0, err
	}
	if n := len(c.free); n > 0 {
		key = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		if len(c.deadlines) == MaxPending {
			return 0, fmt.Errorf("%d timers would be pending at the same time, want at most %d", MaxPending+1, MaxPending)
		}
		key = uint32(len(c.deadlines))
		c.deadlines = append(c.deadlines, 0)
		c.totals.Keys++
	}
	c.setDeadline(key, deadline)
	c.totals.Ops[Schedule]++
	return key, nil
}

// reschedule moves a timer.
func (c *checker) reschedule(key uint32, deadline structures.Tick) error {
	if err := c.checkPending(key); err != nil {
		return err
	}
	if err := c.checkDeadline(deadline); err != nil {
		return err
	}
	c.setDeadline(key, deadline)
	c.totals.Ops[Reschedule]++
	return nil
}

// cancel removes a timer.
func (c *checker) cancel(key uint32) error {
	if err := c.checkPending(key); err != nil {
		return err
	}
	c.freeKey(key)
	c.totals.Ops[Cancel]++
	return nil
}

// advance moves the clock and removes the timers that fire. It returns how many of
// them fire after their deadline. It does not look for timers that should fire and
// do not: checkPending finds them at their next operation, or checkEnd at the end.
func (c *checker) advance(to structures.Tick, fired []uint32) (late int, err error) {
	if to < c.totals.Last {
		return 0, fmt.Errorf("the clock goes back from tick %d to %d", c.totals.Last, to)
	}
	for _, key := range fired {
		if err := c.checkPending(key); err != nil {
			return 0, err
		}
		d := c.deadlines[key]
		if d > to {
			return 0, fmt.Errorf("key %d fires at tick %d, before its deadline %d", key, to, d)
		}
		if d < to {
			late++
		}
		c.freeKey(key)
	}
	if to == math.MaxInt64 && c.atEnd > 0 {
		return 0, fmt.Errorf("%d timers are due at the last tick, %d, and have not fired", c.atEnd, to)
	}
	if !c.advanced {
		c.advanced, c.totals.First = true, to
	}
	c.totals.Last = to
	c.totals.Fired += uint64(len(fired))
	c.totals.Ops[Advance]++
	return late, nil
}

// setDeadline gives a key a deadline; 0 means none.
func (c *checker) setDeadline(key uint32, deadline structures.Tick) {
	if c.deadlines[key] == math.MaxInt64 {
		c.atEnd--
	}
	if deadline == math.MaxInt64 {
		c.atEnd++
	}
	c.deadlines[key] = deadline
}

// freeKey makes a key free for another timer.
func (c *checker) freeKey(key uint32) {
	c.setDeadline(key, 0)
	c.free = append(c.free, key)
}

// checkEnd returns an error if a timer should have fired and has not.
func (c *checker) checkEnd() error {
	for key, d := range c.deadlines {
		if d != 0 && c.isPast(d) {
			return c.checkPending(uint32(key))
		}
	}
	return nil
}
