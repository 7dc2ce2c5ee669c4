package replay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// Memory measures the memory of a structure twice: after the fill, and after many random timers were cancelled and
// replaced. The second figure includes stale entries and fragmentation. Nothing is timed.
type Memory struct {
	N        int
	Replaced int // number of timers that are cancelled and replaced
	Seed     uint64
}

// Name returns the name of the analysis.
func (c Memory) Name() string { return fmt.Sprintf("memory, n %d", c.N) }

// Seconds estimates the duration.
func (c Memory) Seconds(structures int) float64 {
	return float64(structures) * (0.05 + 200e-9*float64(c.N+2*c.Replaced))
}

// Run implements [Analysis].
func (c Memory) Run(ctx context.Context, entries []entry.Entry, out *results.Run) error {
	return each(ctx, entries, c.Name(), &out.Memory, out, func(e entry.Entry) (results.Memory, error) {
		return c.measure(ctx, e)
	})
}

func (c Memory) measure(ctx context.Context, e entry.Entry) (results.Memory, error) {
	r := rand.New(rand.NewPCG(c.Seed, uint64(c.N)))
	ids := make([]structures.ID, c.N)
	before := Measure()
	s := e.New()
	empty := Measure()
	schedule := func(i int) {
		const span = 60_000 // ticks, like the delays of the synthetic workloads
		ids[i] = s.Schedule(1+structures.Tick(r.IntN(span)), uint64(i))
	}
	for i := range ids {
		schedule(i)
	}
	fresh := Measure()
	for replaced := range c.Replaced {
		if replaced%(1<<16) == 0 && ctx.Err() != nil {
			return results.Memory{}, ctx.Err()
		}
		i := r.IntN(c.N)
		if !s.Cancel(ids[i]) {
			return results.Memory{}, fmt.Errorf("a cancel of a pending timer was refused after %d others", replaced)
		}
		schedule(i)
	}
	aged := Measure()
	runtime.KeepAlive(ids)
	if s.Len() != c.N {
		return results.Memory{}, fmt.Errorf("%d timers are pending, want %d", s.Len(), c.N)
	}
	perTimer := func(u Use) float64 { return u.BytesSince(before) / float64(c.N) }
	return results.Memory{
		Structure: e.Name, N: c.N, Replaced: c.Replaced,
		EmptyBytes: empty.BytesSince(before),
		Bytes:      perTimer(fresh), AgedBytes: perTimer(aged),
		CollectNS: aged.CollectSince(before),
	}, nil
}

// Use is the size of the live objects on the heap, in bytes, and the duration of a full garbage collection.
type Use struct {
	Bytes   uint64
	Collect time.Duration
}

// Measure collects garbage twice and measures the heap.
func Measure() Use {
	runtime.GC()
	start := time.Now()
	runtime.GC()
	collect := time.Since(start)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Use{m.HeapAlloc, collect}
}

// BytesSince returns how many bytes u is larger than before, at least 0.
func (u Use) BytesSince(before Use) float64 { return max(0, float64(u.Bytes)-float64(before.Bytes)) }

// CollectSince returns how many nanoseconds a collection takes longer than before, at least 0.
func (u Use) CollectSince(before Use) float64 { return max(0, float64(u.Collect-before.Collect)) }
