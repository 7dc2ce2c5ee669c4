package bench

import (
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// coarseProof is the proof for a structure that rounds deadlines: what fires may
// fire late, by what the structure declares for the delay, and never early. It
// holds every single timer against its bound.
type coarseProof struct {
	maxLate func(delay structures.Tick) structures.Tick
	missing map[uint64]script.Fire // by value: due by the generator's account, not fired yet
	noted   []late                 // fired since the last check
	woken   structures.Tick        // last tick at which it was popped until nothing was due
	all     []late                 // fired so far, if keep is set
	keep    bool
	err     error // the first that was found
}

// late is a timer that a coarse structure has fired.
type late struct {
	script.Fire
	at, woken structures.Tick // when it fired, and the wake-up before
	deadline  structures.Tick // as the structure has it
}

func newCoarseProof(maxLate func(structures.Tick) structures.Tick) *coarseProof {
	return &coarseProof{maxLate: maxLate, missing: make(map[uint64]script.Fire)}
}

// expect adds what fires in the block to come.
func (c *coarseProof) expect(fires []script.Fire) {
	for _, f := range fires {
		c.missing[f.Value] = f
	}
	c.noted = slices.Grow(c.noted, len(c.missing)) // outside the timed region
}

// shrink gives back the memory that past blocks needed.
func (c *coarseProof) shrink() {
	missing := make(map[uint64]script.Fire, len(c.missing))
	maps.Copy(missing, c.missing)
	c.missing, c.noted = missing, nil
}

// note takes down a timer; it is looked at in check, outside the timed region.
func (c *coarseProof) note(at structures.Tick, t structures.Timer[uint64]) {
	c.noted = append(c.noted, late{Fire: script.Fire{Value: t.Value}, at: at, woken: c.woken, deadline: t.Deadline})
}

// popCoarse is the timed loop of replayer.do for coarse structures.
func (r *replayer) popCoarse(ops []script.Op) {
	for i := range ops {
		at := ops[i].At
		for {
			t, ok := r.s.Pop(at)
			if !ok {
				break
			}
			r.done.Fired++
			r.done.Checksum += script.Checksum(t.Deadline, t.Value)
			r.coarse.note(at, t)
		}
		r.coarse.woken = at
	}
}

// check looks at what has fired since the last time and at what should have. The
// account that it returns counts timers that are late, but within their bound, as
// pending, which they are.
func (c *coarseProof) check(p, want script.Proof) (script.Proof, error) {
	for _, l := range c.noted {
		c.judge(l)
	}
	c.noted = c.noted[:0]
	for _, f := range c.missing {
		if limit := c.limit(f); c.woken >= limit && c.err == nil {
			c.err = fmt.Errorf("a timer with deadline %d and delay %d has not fired by tick %d, %d after its bound",
				f.At, f.Delay, c.woken, c.woken-limit)
		}
		want.Fired--
		want.Pending++
		want.Checksum -= script.Checksum(f.At, f.Value)
	}
	if c.err != nil {
		return p, c.err
	}
	return p, p.Check(want)
}

// limit returns the last tick at which a timer may fire.
func (c *coarseProof) limit(f script.Fire) structures.Tick { return f.At + c.maxLate(f.Delay) }

// judge holds one timer against the generator's account. A structure fires only
// when it is woken, so it is late by its own fault only if the wake-up before was
// at the bound or past it.
func (c *coarseProof) judge(l late) {
	f, expected := c.missing[l.Value]
	delete(c.missing, l.Value)
	l.Fire = f
	switch {
	case c.err != nil:
	case !expected:
		c.err = fmt.Errorf("timer number %d fired at tick %d, early or a second time", l.Value, l.at)
	case l.deadline != f.At:
		c.err = fmt.Errorf("timer number %d fired with deadline %d, want %d", l.Value, l.deadline, f.At)
	case l.at < f.At:
		c.err = fmt.Errorf("a timer with deadline %d fired early, at tick %d", f.At, l.at)
	case l.at > c.limit(f) && l.woken >= c.limit(f):
		c.err = fmt.Errorf("a timer with deadline %d and delay %d fired at tick %d, later than its bound %d",
			f.At, f.Delay, l.at, c.limit(f))
	}
	if c.keep {
		c.all = append(c.all, l)
	}
}

// lateness sums up the timers that were kept.
func (c *coarseProof) lateness() *results.Lateness {
	if len(c.all) == 0 {
		return &results.Lateness{}
	}
	ticks, shares := make([]float64, len(c.all)), make([]float64, len(c.all))
	for i, l := range c.all {
		ticks[i] = float64(l.at - l.At)
		shares[i] = ticks[i] / float64(l.Delay)
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
