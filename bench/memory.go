package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// memoryCase measures what the timers of a structure take when it has just been
// filled, and when it has aged: timers cancelled at random and replaced, so that what
// a structure leaves behind is there. It is not timed.
type memoryCase struct {
	n        int
	replaced int // timers cancelled at random, each with another one scheduled
	seed     uint64
}

func (c memoryCase) name() string { return fmt.Sprintf("memory, n %d", c.n) }

// run measures the structures. One that takes more than it declares fails, and so does
// one that keeps values of timers that are gone.
func (c memoryCase) run(ctx context.Context, entries []catalog.Entry) ([]results.Memory, []results.Failure, error) {
	var out []results.Memory
	var failed []results.Failure
	for _, e := range entries {
		var m results.Memory
		err := sheltered(func() (err error) {
			m, err = c.measure(ctx, e)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			failed = append(failed, results.Failure{Structure: e.Name, Where: c.name(), Reason: err.Error()})
		default:
			out = append(out, m)
		}
	}
	return out, failed, nil
}

func (c memoryCase) measure(ctx context.Context, e catalog.Entry) (results.Memory, error) {
	if err := releases(e.Name); err != nil {
		return results.Memory{}, err
	}
	r := rand.New(rand.NewPCG(c.seed, uint64(c.n)))
	ids := make([]structures.ID, c.n)
	before := heap()
	s := e.New()
	empty := heap()
	schedule := func(i int) {
		const span = 60_000 // ticks, as the delays of the synthetic workloads
		ids[i] = s.Schedule(1+structures.Tick(r.IntN(span)), uint64(i))
	}
	for i := range ids {
		schedule(i)
	}
	fresh := heap()
	for turn := range c.replaced {
		if turn%(1<<16) == 0 && ctx.Err() != nil {
			return results.Memory{}, ctx.Err()
		}
		i := r.IntN(c.n)
		if !s.Cancel(ids[i]) {
			return results.Memory{}, fmt.Errorf("a cancel of a pending timer was refused after %d others", turn)
		}
		schedule(i)
	}
	aged := heap()
	runtime.KeepAlive(ids)
	if s.Len() != c.n {
		return results.Memory{}, fmt.Errorf("%d timers are pending, want %d", s.Len(), c.n)
	}
	perTimer := func(h heapUse) float64 { return max(0, float64(h.bytes)-float64(before.bytes)) / float64(c.n) }
	m := results.Memory{
		Structure: e.Name, N: c.n, Replaced: c.replaced,
		EmptyBytes: max(0, float64(empty.bytes)-float64(before.bytes)),
		Bytes:      perTimer(fresh), AgedBytes: perTimer(aged),
		CollectNS: max(0, float64(aged.collect-before.collect)),
	}
	if taken := declarable(m); e.MaxBytes > 0 && taken > float64(e.MaxBytes) {
		return m, fmt.Errorf("%.1f bytes a timer after %d timers were replaced, and it declares %d at most", taken, m.Replaced, e.MaxBytes)
	}
	return m, nil
}

// fixedBytes is what a structure may take besides, once it holds many timers: arrays
// that it makes as they are needed and that do not grow with the timers (chosen).
const fixedBytes = 256 << 10

// declarable is the part of the memory that grows with the number of timers, per
// timer.
func declarable(m results.Memory) float64 {
	return m.AgedBytes - max(m.EmptyBytes, fixedBytes)/float64(m.N)
}
