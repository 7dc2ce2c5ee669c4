package analysis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/structures/entry"
)

// MemoryFloor measures random access to n records of 32 bytes, the size of a timer in a compact structure.
type MemoryFloor struct{ N int }

// Name returns the name of the analysis.
func (c MemoryFloor) Name() string { return fmt.Sprintf("memory access, n %d", c.N) }

// Seconds estimates the duration.
func (c MemoryFloor) Seconds(int) float64 { return 0.1 + 200e-9*float64(c.N) }

// Add implements [Step].
func (c MemoryFloor) Add(ctx context.Context, entries []entry.Entry, out *results.Run) error {
	return add(&out.MemoryFloors, out)(c.Run(ctx, entries))
}

// Run measures the machine. It ignores the structures.
func (c MemoryFloor) Run(context.Context, []entry.Entry) ([]results.MemoryFloor, []results.Failure, error) {
	const touches, steps = 1 << 20, 200_000
	r := rand.New(rand.NewPCG(1, 2))
	records := newRecords(c.N, r)
	victims := make([]uint32, touches)
	for i := range victims {
		victims[i] = uint32(r.IntN(c.N))
	}
	var touched, chased []float64
	at := uint64(0)
	for range 5 {
		start := time.Now()
		touch(records, victims)
		touched = append(touched, float64(time.Since(start))/touches)
		start = time.Now()
		at = chase(records, at, steps)
		chased = append(chased, float64(time.Since(start))/steps)
	}
	floor := results.MemoryFloor{N: c.N, TouchNS: stats.Median(touched), ChaseNS: stats.Median(chased)}
	return []results.MemoryFloor{floor}, nil, nil
}

type record struct{ touched, next, _, _ uint64 }

// newRecords returns records that are linked in one random cycle.
func newRecords(n int, r *rand.Rand) []record {
	records := make([]record, n)
	order := r.Perm(n)
	for i, at := range order {
		records[at].next = uint64(order[(i+1)%n])
	}
	return records
}

// touch reads and writes records that are independent of each other.
func touch(records []record, victims []uint32) {
	for _, v := range victims {
		records[v].touched++
	}
}

// chase follows the links from record to record and returns the last one.
func chase(records []record, at uint64, steps int) uint64 {
	for range steps {
		at = records[at].next
	}
	return at
}
