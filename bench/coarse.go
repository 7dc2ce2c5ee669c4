package bench

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// coarseReplayer replays a script on a structure that rounds deadlines, and is not
// timed. What fires may fire late, by what the structure declares for the delay, and
// never early. Every single timer is held against its bound.
//
// The instance of a coarse structure that is timed is replayed like any other. Its
// account must be that of a second instance, replayed by a coarseReplayer. So a
// coarse structure must do the same each time.
type coarseReplayer struct {
	*replayer
	maxLate func(delay structures.Tick) structures.Tick
	fires   []script.Fire       // of the block, not due yet
	missing map[uint64]dueTimer // by value: due by the generator's account, not fired yet
	woken   structures.Tick     // last tick at which it was popped until nothing was due
	err     error               // the first that was found

	keep bool        // keep all timers for lateness
	all  []lateTimer // fired so far, if keep is set
}

// dueTimer is a timer that is due, and the ID that it must fire under.
type dueTimer struct {
	script.Fire
	id structures.ID
}

// lateTimer is how late a timer fired.
type lateTimer struct{ late, delay structures.Tick }

func newCoarseReplayer(s structures.Scheduler[uint64], maxLate func(structures.Tick) structures.Tick) *coarseReplayer {
	return &coarseReplayer{
		replayer: &replayer{s: s}, maxLate: maxLate, missing: make(map[uint64]dueTimer),
	}
}

func (c *coarseReplayer) reserve(b *script.Block) {
	c.replayer.reserve(b)
	c.fires = b.Fires
}

// replay replays a block.
func (c *coarseReplayer) replay(b *script.Block) {
	c.reserve(b)
	ops := b.Ops
	for _, batch := range b.Batches {
		if batch.Kind == script.KindFire || batch.Kind == script.KindWake {
			for _, op := range ops[:batch.Len] {
				c.expectUntil(op.At)
				c.wake(op.At)
			}
		} else {
			c.do([]script.Batch{batch}, ops)
		}
		ops = ops[batch.Len:]
	}
}

// expectUntil takes note of the timers that are due at a tick. Their keys are in use
// until then.
func (c *coarseReplayer) expectUntil(at structures.Tick) {
	for len(c.fires) > 0 && c.fires[0].At <= at {
		f := c.fires[0]
		c.missing[f.Value] = dueTimer{f, c.ids[f.Key]}
		c.fires = c.fires[1:]
	}
}

// wake pops at a tick until nothing is due.
func (c *coarseReplayer) wake(at structures.Tick) {
	for {
		t, ok := c.s.Pop(at)
		if !ok {
			break
		}
		c.fired(at, t)
		c.judge(at, t)
	}
	c.woken = at
}

// judge holds one timer against the generator's account. A structure fires only
// when it is woken, so it is late by its own fault only if the wake-up before was
// at the bound or past it.
func (c *coarseReplayer) judge(at structures.Tick, t structures.Timer[uint64]) {
	f, expected := c.missing[t.Value]
	delete(c.missing, t.Value)
	switch {
	case c.err != nil:
	case !expected:
		c.err = fmt.Errorf("timer number %d fired at tick %d, early or a second time", t.Value, at)
	case t.Deadline != f.At:
		c.err = fmt.Errorf("timer number %d fired with deadline %d, want %d", t.Value, t.Deadline, f.At)
	case t.ID != f.id:
		c.err = fmt.Errorf("timer number %d fired with ID %#x, want %#x", t.Value, t.ID, f.id)
	case at < f.At:
		c.err = fmt.Errorf("a timer with deadline %d fired early, at tick %d", f.At, at)
	case at > c.limit(f.Fire) && c.woken >= c.limit(f.Fire):
		c.err = fmt.Errorf("a timer with deadline %d and delay %d fired at tick %d, later than its bound %d",
			f.At, f.Delay, at, c.limit(f.Fire))
	}
	if c.keep {
		c.all = append(c.all, lateTimer{at - f.At, f.Delay})
	}
}

// limit returns the last tick at which a timer may fire. Deadlines close to the end
// of time have no later one.
func (c *coarseReplayer) limit(f script.Fire) structures.Tick {
	late := c.maxLate(f.Delay)
	if f.At > math.MaxInt64-late {
		return math.MaxInt64
	}
	return f.At + late
}

// check looks at what should have fired by now. Timers that are late, but within
// their bound, count as pending, which they are.
func (c *coarseReplayer) check(b *script.Block) error {
	want := b.Want
	for _, f := range c.missing {
		if limit := c.limit(f.Fire); c.woken >= limit && c.err == nil {
			c.err = fmt.Errorf("a timer with deadline %d and delay %d has not fired by tick %d, %d after its bound",
				f.At, f.Delay, c.woken, c.woken-limit)
		}
		want.Fired--
		want.Pending++
		want.Checksum -= script.Checksum(f.At, f.Value)
	}
	a := c.taken()
	if err := a.sound(); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	return a.done.Check(want)
}

// lateness sums up the timers that were kept.
func (c *coarseReplayer) lateness() *results.Lateness {
	if len(c.all) == 0 {
		return &results.Lateness{}
	}
	ticks, shares := make([]float64, len(c.all)), make([]float64, len(c.all))
	for i, l := range c.all {
		ticks[i] = float64(l.late)
		shares[i] = ticks[i] / float64(l.delay)
	}
	var out results.Lateness
	out.Mean, out.P99, out.Max = meanP99Max(ticks)
	out.MeanShare, out.P99Share, out.MaxShare = meanP99Max(shares)
	return &out
}

func meanP99Max(values []float64) (mean, p99, largest float64) {
	slices.Sort(values)
	return stat.Mean(values, nil), stat.Quantile(0.99, stat.Empirical, values, nil), values[len(values)-1]
}
