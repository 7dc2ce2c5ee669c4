package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/timerbench/timerbench/bench/internal/heap"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// memoryCase measures the memory of a structure twice: after the fill, and after many
// timers were cancelled at random and replaced. The second figure includes stale
// entries and fragmentation. It is not timed.
type memoryCase struct {
	n        int
	replaced int // timers that are cancelled at random and replaced
	seed     uint64
}

func (c memoryCase) name() string { return fmt.Sprintf("memory, n %d", c.n) }

// run measures the structures. A structure fails if it takes more memory than it declares,
// or if it keeps the values of timers that have fired or were cancelled.
func (c memoryCase) run(ctx context.Context, entries []catalog.Entry) ([]results.Memory, []results.Failure, error) {
	var out []results.Memory
	var failed []results.Failure
	for _, e := range entries {
		var m results.Memory
		err := catchPanic(func() (err error) {
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
	if err := checkReleases(e.Name); err != nil {
		return results.Memory{}, err
	}
	r := rand.New(rand.NewPCG(c.seed, uint64(c.n)))
	ids := make([]structures.ID, c.n)
	before := heap.Measure()
	s := e.New()
	empty := heap.Measure()
	schedule := func(i int) {
		const span = 60_000 // ticks, like the delays of the synthetic workloads
		ids[i] = s.Schedule(1+structures.Tick(r.IntN(span)), uint64(i))
	}
	for i := range ids {
		schedule(i)
	}
	fresh := heap.Measure()
	for replaced := range c.replaced {
		if replaced%(1<<16) == 0 && ctx.Err() != nil {
			return results.Memory{}, ctx.Err()
		}
		i := r.IntN(c.n)
		if !s.Cancel(ids[i]) {
			return results.Memory{}, fmt.Errorf("a cancel of a pending timer was refused after %d others", replaced)
		}
		schedule(i)
	}
	aged := heap.Measure()
	runtime.KeepAlive(ids)
	if s.Len() != c.n {
		return results.Memory{}, fmt.Errorf("%d timers are pending, want %d", s.Len(), c.n)
	}
	perTimer := func(u heap.Use) float64 { return u.BytesSince(before) / float64(c.n) }
	m := results.Memory{
		Structure: e.Name, N: c.n, Replaced: c.replaced,
		EmptyBytes: empty.BytesSince(before),
		Bytes:      perTimer(fresh), AgedBytes: perTimer(aged),
		CollectNS: aged.CollectSince(before),
	}
	if taken := variableBytes(m); e.MaxBytes > 0 && taken > float64(e.MaxBytes) {
		return m, fmt.Errorf("%.1f bytes a timer after %d timers were replaced, and it declares %d at most", taken, m.Replaced, e.MaxBytes)
	}
	return m, nil
}

// fixedBytes is the memory that a structure may use in addition to its declared bytes
// per timer (chosen): arrays that are allocated on first use and do not grow with the
// number of timers.
const fixedBytes = 256 << 10

// variableBytes returns the memory per timer, without the part that does not depend on
// the number of timers.
func variableBytes(m results.Memory) float64 {
	return m.AgedBytes - max(m.EmptyBytes, fixedBytes)/float64(m.N)
}
