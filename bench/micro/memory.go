package micro

import (
	"context"

	"github.com/timerbench/timerbench/bench/internal/heap"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Memory is what a measurement takes at its peak, in bytes.
type Memory struct {
	Together uint64 // with all structures side by side
	Apart    uint64 // with one structure at a time
}

// What the script of a workload takes, in bytes.
const (
	timerBytes = 68 // for a timer, while the script is written
	opBytes    = 16 // for an operation
	fireBytes  = 32 // for a timer that fires, while the script is written
	idBytes    = 8
	stampBytes = 4 // for a call that is timed by itself
)

// peakRatio is the peak memory of a structure divided by that after the fill (chosen). An
// array that grows by a quarter is there twice for a while.
const peakRatio = 1.5

// EstimateMemory estimates the memory of a measurement among n timers, with so many
// blocks after the fill, accurate to about a third. It fills the structures, and the
// references, with few timers.
func EstimateMemory(ctx context.Context, w workload.Workload, n, blocks int, entries []catalog.Entry) (Memory, error) {
	const small, large = 1 << 15, 1 << 16 // sizes at which what does not grow is negligible
	var all, largest float64
	beside := (&Sequence{Workload: w, N: n}).references()
	for _, e := range append(beside, entries...) {
		var bytes [2]float64
		for i, n := range []int{small, large} {
			q, err := NewSequence(ctx, w, n, 0, 0)
			if err != nil {
				return Memory{}, err
			}
			r := q.newRunner(e)
			before := heap.Measure()
			if err := r.fill(); err != nil {
				return Memory{}, err
			}
			bytes[i] = heap.Measure().BytesSince(before)
			r.stop()
		}
		perTimer := max(0, bytes[1]-bytes[0])/(large-small) + idBytes
		all += perTimer
		largest = max(largest, perTimer)
	}
	ops, fires := afterFill(w, n, blocks)
	writing := float64(n)*timerBytes + opBytes*ops + fireBytes*fires
	kept := float64(n)*(opBytes+stampBytes) + (opBytes+stampBytes)*ops
	return Memory{
		Together: uint64(max(writing, kept+peakRatio*all*float64(n))),
		Apart:    uint64(max(writing, kept+peakRatio*largest*float64(n))),
	}, nil
}

// afterFill returns about how many operations follow the fill, and how many of them are
// timers that fire.
func afterFill(w workload.Workload, n, blocks int) (ops, fires float64) {
	switch kind := w.Kind(); {
	case kind.SingleCalls:
		return 4 * float64(n), float64(n) // one period
	case kind.Cyclic:
		return 2 * float64(n*blocks), float64(n * blocks)
	}
	return float64(BlockSize * blocks), float64(BlockSize * blocks)
}
