package trace

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/timerbench/timerbench/structures"
)

// MaxPending is the largest number of timers that may be pending at the same time in a trace. It
// bounds the memory of a reader, 8 bytes per timer: files are compressed, so a small file could
// hold very many timers. It is chosen: twice the largest run of the suite.
const MaxPending = 20_000_000

// checker checks each operation against the earlier ones. The writer and the reader have one each, so they
// accept the same traces. It also assigns the keys, so a schedule need not store its key.
//
// The deadline of a key in use is after the clock, except that math.MaxInt64 is valid at the
// clock math.MaxInt64 as well.
type checker struct {
	totals    Totals
	deadlines []*page // by key; in pages, because a slice that grows would be copied
	free      uint32  // 1 + the free key that is used next, or 0; minus the deadline of a free key is the free after it
	atEnd     int     // pending timers with deadline math.MaxInt64
}

const pageSize = 1 << 12

type page [pageSize]structures.Tick

// deadline returns the deadline of a key; it is not above 0 if the key is free.
func (c *checker) deadline(key uint32) *structures.Tick {
	return &c.deadlines[key/pageSize][key%pageSize]
}

func (c *checker) isPast(deadline structures.Tick) bool {
	return deadline <= c.totals.Last && deadline != math.MaxInt64
}

func (c *checker) checkDeadline(deadline structures.Tick) error {
	if c.isPast(deadline) {
		return fmt.Errorf("deadline %d is not after tick %d", deadline, c.totals.Last)
	}
	return nil
}

// checkPending returns an error if the timer of a key is not pending, or should have fired.
func (c *checker) checkPending(key uint32) error {
	if uint64(key) >= c.totals.Keys || *c.deadline(key) <= 0 {
		return fmt.Errorf("key %d is not pending", key)
	}
	if d := *c.deadline(key); c.isPast(d) {
		return fmt.Errorf("key %d was due at tick %d and has not fired by tick %d", key, d, c.totals.Last)
	}
	return nil
}

// apply checks an operation and applies it. It sets the key of a schedule, and the number of
// timers of an advance that fire late.
func (c *checker) apply(op *Op) error {
	switch op.Kind {
	case Schedule:
		if err := c.checkDeadline(op.At); err != nil {
			return err
		}
		if c.free == 0 && c.totals.Keys == MaxPending {
			return fmt.Errorf("%d timers would be pending at the same time, want at most %d", MaxPending+1, MaxPending)
		}
		op.Key = c.newKey()
		c.setDeadline(op.Key, op.At)
	case Reschedule:
		if err := cmp.Or(c.checkPending(op.Key), c.checkDeadline(op.At)); err != nil {
			return err
		}
		c.setDeadline(op.Key, op.At)
	case Cancel:
		if err := c.checkPending(op.Key); err != nil {
			return err
		}
		c.freeKey(op.Key)
	case Advance:
		if err := c.advance(op); err != nil {
			return err
		}
	case RefusedReschedule, RefusedCancel:
	default:
		return errors.New("there is no such kind")
	}
	c.totals.Ops[op.Kind]++
	return nil
}

func (c *checker) newKey() (key uint32) {
	if c.free > 0 {
		key = c.free - 1
		c.free = uint32(-*c.deadline(key))
		return key
	}
	key = uint32(c.totals.Keys)
	c.totals.Keys++
	if int(key) == len(c.deadlines)*pageSize {
		c.deadlines = append(c.deadlines, new(page))
	}
	return key
}

// advance moves the clock and removes the timers that fire. It does not search for timers that should fire and
// do not: checkPending finds them at their next operation, and checkEnd at the end.
func (c *checker) advance(op *Op) error {
	if op.At < c.totals.Last {
		return fmt.Errorf("the clock goes back from tick %d to %d", c.totals.Last, op.At)
	}
	for _, key := range op.Fired {
		if err := c.checkPending(key); err != nil {
			return err
		}
		d := *c.deadline(key)
		if d > op.At {
			return fmt.Errorf("key %d fires at tick %d, before its deadline %d", key, op.At, d)
		}
		if d < op.At {
			op.Late++
		}
		c.freeKey(key)
	}
	if op.At == math.MaxInt64 && c.atEnd > 0 {
		return fmt.Errorf("%d timers are due at the last tick, %d, and have not fired", c.atEnd, op.At)
	}
	if c.totals.Ops[Advance] == 0 {
		c.totals.First = op.At
	}
	c.totals.Last = op.At
	c.totals.Fired += uint64(len(op.Fired))
	return nil
}

// setDeadline gives a key a deadline, or the value of a free one.
func (c *checker) setDeadline(key uint32, deadline structures.Tick) {
	old := c.deadline(key)
	if *old == math.MaxInt64 {
		c.atEnd--
	}
	if deadline == math.MaxInt64 {
		c.atEnd++
	}
	*old = deadline
}

func (c *checker) freeKey(key uint32) {
	c.setDeadline(key, -structures.Tick(c.free))
	c.free = key + 1
}

// checkEnd returns an error if a timer should have fired and has not.
func (c *checker) checkEnd() error {
	for key := range uint32(c.totals.Keys) {
		if d := *c.deadline(key); d > 0 && c.isPast(d) {
			return c.checkPending(key)
		}
	}
	return nil
}
