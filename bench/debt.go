package bench

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/parallel"
)

// debtScripts are the blocks with which the growth of debt is measured.
//
// Debt is the time to drain an instance, less the time to drain a fresh copy with the same pending timers: work that was put
// off. A stock of debt is no fault, but if it grows in a region, the time of the region lacks its growth.
type debtScripts struct {
	before []*script.Block // the fill and the warm-up
	region []*script.Block // timed
	ends   [2]debtEnd      // at the beginning of the region and at its end
}

type debtEnd struct{ drain, fill, filled *script.Block } // of the instance, and of its copy

// debtScripts writes the blocks. The region has so many operations that it takes about as long as the four drains.
func (c *Cell) debtScripts(ctx context.Context, region int) (*debtScripts, error) {
	d := &debtScripts{}
	for end := range d.ends {
		s, warm := c.workload.Script(c.n, c.seed), c.workload.WarmUp(c.n)
		d.before = nil // the same blocks again
		b, err := s.FillContext(ctx)
		for ; err == nil; b, err = s.NextContext(ctx, warm.Size(largestAgeing), nil) {
			d.before = append(d.before, b)
			if warm.Note(b); warm.Done() {
				break
			}
		}
		for ops := 0; err == nil && end == 1 && ops < region; {
			if b, err = s.NextContext(ctx, min(region, largestAgeing), nil); err == nil {
				d.region, ops = append(d.region, b), ops+b.Calls
			}
		}
		if err != nil {
			return nil, err
		}
		now, at := s.Now(), &d.ends[end]
		if at.drain, err = s.Drain(ctx); err != nil {
			return nil, err
		}
		if at.fill, at.filled, err = script.Copy(ctx, now, at.drain); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// debtRegion is the number of operations in which debt may grow (chosen).
func (c *Cell) debtRegion() int { return max(10*c.n, 100_000) }

// debtTimes are durations in nanoseconds: of the region, and of the drains of an instance and of its copy at both ends. A
// disturbance lengthens a duration, so of several instances the least counts.
type debtTimes struct {
	region float64
	drains [2][2]float64 // by end; of the instance, of its copy
}

func (t debtTimes) growth() float64 {
	return ((t.drains[1][0] - t.drains[1][1]) - (t.drains[0][0] - t.drains[0][1])) / t.region
}

func (t debtTimes) least(o debtTimes) debtTimes {
	t.region = min(t.region, o.region)
	for end := range t.drains {
		for i := range t.drains[end] {
			t.drains[end][i] = min(t.drains[end][i], o.drains[end][i])
		}
	}
	return t
}

func (d *debtScripts) measure(c *contender) (times debtTimes, err error) {
	defer c.stop()
	fresh := func(b *script.Block) {
		if err == nil {
			err = c.begin(b.Keys)
		}
	}
	replay := func(b *script.Block) float64 {
		var took time.Duration
		if err == nil {
			took, err = c.player.Replay(b, false)
		}
		return float64(took)
	}
	timed := func(b *script.Block) float64 {
		if err == nil {
			err = c.player.Load(b)
		}
		return replay(b)
	}
	// drain returns the time to drain an instance, which must then agree with the script.
	drain := func(b *script.Block) float64 {
		ns := timed(b)
		if err == nil && c.entry.Exact() {
			err = c.player.Check(nil)
		}
		return ns
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for at, end := range d.ends {
		fresh(d.before[len(d.before)-1])
		for _, b := range d.before {
			replay(b)
		}
		for _, b := range d.region[:at*len(d.region)] {
			times.region += timed(b)
		}
		times.drains[at][0] = drain(end.drain)
		fresh(end.filled)
		replay(end.fill)
		times.drains[at][1] = drain(end.filled)
	}
	return times, err
}

// debtTries are the measurements of the growth of debt: the operations of the region in those of a short one, and the instances. Work
// that is done now and then, such as moving timers between two lists, makes the debt rise and fall. So where it grows by more than the
// limit, a region four times as long decides, in which such a rise counts for a quarter, with more instances: drains take a
// millisecond or less, and a disturbance of one of the four may look like growth.
var debtTries = []struct{ regions, instances int }{{1, 3}, {4, 9}}

// debts measures the growth of debt of all structures and programs, as parts of the time. In a cell without cancels and moves nobody
// has debts.
func (m *measuring) debts(ctx context.Context) error {
	started := time.Now()
	order := script.NewRand(m.cell.seed, ^workload.StreamOf(m.cell.name(), m.cell.n))
	list := slices.DeleteFunc(slices.Clone(m.rows), func(c *contender) bool { return !compared(c.Row) })
	for _, try := range debtTries {
		d, err := m.cell.debtScripts(ctx, try.regions*m.cell.debtRegion())
		if err != nil {
			return err
		}
		times := make(map[*contender]debtTimes)
		for range try.instances {
			for _, c := range parallel.Shuffled(order, list) {
				before, ok := times[c]
				err := parallel.Try(ctx, func() (err error) {
					times[c], err = d.measure(c)
					return err
				})
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case err != nil:
					m.fail(results.Failure{Structure: c.Structure, Where: m.cell.where(m.cell.seed) + ", to measure its debt", Reason: err.Error()})
					list = slices.DeleteFunc(list, func(failed *contender) bool { return failed == c })
				case ok:
					times[c] = times[c].least(before)
				}
			}
		}
		for _, c := range list {
			growth := times[c].growth()
			c.Debt = &growth
		}
		list = slices.DeleteFunc(list, func(c *contender) bool { return *c.Debt <= results.MostDebt })
		if len(list) == 0 {
			break
		}
	}
	m.took("debt", started)
	m.seconds += time.Since(started).Seconds()
	return nil
}

// debtSeconds estimates the duration of the first try.
func (c *Cell) debtSeconds() float64 {
	operations := float64((2*warmUpOf(c.workload)+6)*float64(c.n)) + float64(c.debtRegion())
	return float64(debtTries[0].instances*len(c.contenders)) * operations * c.perOperation()
}
