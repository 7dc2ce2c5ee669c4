package micro

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/timerbench/timerbench/bench/internal/stopwatch"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
)

// TailWorkloads returns the workloads of which single calls are timed unless others are
// chosen: timers that fire, are cancelled and are moved, and those that are about the
// longest call.
func TailWorkloads() []workload.Workload {
	list := find("cancel-hold-50")
	for _, w := range workload.All() {
		if w.Kind().SingleCalls {
			list = append(list, w)
		}
	}
	return list
}

// tailRounds is how often a sequence is gone through.
const tailRounds = 3

// mostTailCalls limits the calls after those that fill the structure (chosen). It does not
// limit workloads that are about the longest call.
const mostTailCalls = 10_000_000

// NewTailSequence writes the script for MeasureTails: the fill and n more calls, or one
// whole period of a workload that is about the longest call.
func NewTailSequence(ctx context.Context, w workload.Workload, n int) (*Sequence, error) {
	if !w.Kind().SingleCalls {
		return NewSequence(ctx, w, n, 1, min(n, mostTailCalls))
	}
	return newSequence(ctx, w, n, BlockSize, func(_ int, last *script.Block) bool { return last.Want.Fired >= uint64(n) })
}

// MeasureTails times every call of a sequence by itself, those that fill the structure
// included. Each call counts with the shortest time of several rounds.
func (q *Sequence) MeasureTails(ctx context.Context, entries []catalog.Entry) ([]results.Calls, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var out []results.Calls
	for _, e := range entries {
		watch := stopwatch.New(tailRounds)
		for range tailRounds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			runtime.GC()
			if err := q.replayOn(e, watch); err != nil {
				return nil, err
			}
		}
		calls, err := watch.Result()
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", e.Name, q.Workload.Name, err)
		}
		calls.Workload, calls.N, calls.Structure = q.Workload.Name, q.N, e.Name
		out = append(out, calls)
	}
	return out, nil
}

// replayOn goes through the sequence on a new structure whose calls are timed.
func (q *Sequence) replayOn(e catalog.Entry, watch *stopwatch.Watch) error {
	s := watch.Round(e.New())
	e.New = func() structures.Scheduler[uint64] { return s }
	r, err := q.start(e)
	for i := 0; err == nil && i < len(q.blocks); i++ {
		_, err = r.time(i)
	}
	return err
}
