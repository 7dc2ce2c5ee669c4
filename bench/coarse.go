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

// coarseReplayer replays a script on a coarse structure, one that rounds deadlines. It
// is not timed. A timer may fire late, by at most the lateness that the structure
// declares for the delay, and never early. Every timer is checked against its bound.
//
// A coarse structure has two instances. The first is timed and replayed like any
// other structure. The second is replayed by a coarseReplayer. The outcomes of both
// must be equal, so a coarse structure must be deterministic.
type coarseReplayer struct {
	*replayer
	maxLate  func(delay structures.Tick) structures.Tick
	fires    []script.Fire            // of the block: timers that are not due yet
	unfired  map[uint64]expectedTimer // by value: timers that are due and have not fired
	lastWake structures.Tick          // last tick at which Pop was called until nothing was due
	err      error                    // the first error found

	keepLateness bool        // record the lateness of all timers
	lateTimers   []lateTimer // fired so far, if keepLateness is set
}

// expectedTimer is a timer that is due, with the ID that it must fire with.
type expectedTimer struct {
	script.Fire
	id structures.ID
}

// lateTimer is the lateness and the delay of a timer that fired.
type lateTimer struct{ late, delay structures.Tick }

func newCoarseReplayer(s structures.Scheduler[uint64], maxLate func(structures.Tick) structures.Tick) *coarseReplayer {
	return &coarseReplayer{
		replayer: &replayer{s: s}, maxLate: maxLate, unfired: make(map[uint64]expectedTimer),
	}
}

func (c *coarseReplayer) reserve(b *script.Block) {
	c.replayer.reserve(b)
	c.fires = b.Fires
}

// replay replays a block.
func (c *coarseReplayer) replay(b *script.Block) {
	c.reserve(b)
	for kind, op := range b.All() {
		if kind == script.KindFire || kind == script.KindWake {
			c.expectUntil(op.At)
			c.wake(op.At)
		} else {
			c.doOne(kind, op)
		}
	}
}

// expectUntil adds the timers that are due up to a tick to those that must fire. It
// reads their IDs now, because later operations reuse their keys.
func (c *coarseReplayer) expectUntil(at structures.Tick) {
	for len(c.fires) > 0 && c.fires[0].At <= at {
		f := c.fires[0]
		c.unfired[f.Value] = expectedTimer{f, c.ids[f.Key]}
		c.fires = c.fires[1:]
	}
}

// wake calls Pop at a tick until nothing is due.
func (c *coarseReplayer) wake(at structures.Tick) {
	for {
		t, ok := c.s.Pop(at)
		if !ok {
			break
		}
		c.recordFired(at, t)
		c.checkFired(at, t)
	}
	c.lastWake = at
}

// checkFired compares one timer that has fired with the expected one. A structure can
// fire timers only at a wake-up. So a timer is too late only if the previous wake-up
// was already at its bound or after it.
func (c *coarseReplayer) checkFired(at structures.Tick, t structures.Timer[uint64]) {
	f, expected := c.unfired[t.Value]
	delete(c.unfired, t.Value)
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
	case at > c.latestFire(f.Fire) && c.lastWake >= c.latestFire(f.Fire):
		c.err = fmt.Errorf("a timer with deadline %d and delay %d fired at tick %d, later than its bound %d",
			f.At, f.Delay, at, c.latestFire(f.Fire))
	}
	if c.keepLateness {
		c.lateTimers = append(c.lateTimers, lateTimer{at - f.At, f.Delay})
	}
}

// latestFire returns the last tick at which a timer may fire. It saturates at the
// largest tick.
func (c *coarseReplayer) latestFire(f script.Fire) structures.Tick {
	late := c.maxLate(f.Delay)
	if f.At > math.MaxInt64-late {
		return math.MaxInt64
	}
	return f.At + late
}

// check compares the outcome with the expected one. A timer that is late within its
// bound counts as pending.
func (c *coarseReplayer) check(b *script.Block) error {
	want := b.Want
	for _, f := range c.unfired {
		if limit := c.latestFire(f.Fire); c.lastWake >= limit && c.err == nil {
			c.err = fmt.Errorf("a timer with deadline %d and delay %d has not fired by tick %d, %d after its bound",
				f.At, f.Delay, c.lastWake, c.lastWake-limit)
		}
		want.Fired--
		want.Pending++
		want.Checksum -= script.Checksum(f.At, f.Value)
	}
	o := c.snapshot()
	if err := o.checkAnswers(); err != nil {
		return err
	}
	if c.err != nil {
		return c.err
	}
	return o.done.Check(want)
}

// lateness returns the mean, the 99th percentile and the maximum of the recorded
// lateness.
func (c *coarseReplayer) lateness() *results.Lateness {
	if len(c.lateTimers) == 0 {
		return &results.Lateness{}
	}
	ticks, shares := make([]float64, len(c.lateTimers)), make([]float64, len(c.lateTimers))
	for i, l := range c.lateTimers {
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
