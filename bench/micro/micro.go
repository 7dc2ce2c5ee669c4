// Package micro measures structures of a few nanoseconds.
//
// Package bench proves every operation, and its harness costs several nanoseconds
// for each. Here the caller is as lean as a caller can be: loops over operations
// written before, with nothing in them but the call, the array of IDs and a count. The
// operations are those of the suite: a workload of some name does the same in both,
// down to the deadlines, the victims and the bursts. What comes out is checked by
// counts.
//
// Beside the structures stand a scheduler that does nothing, one that only keeps
// records ([References]), Go's own timers, and what memory costs by itself ([Floor]).
// [Sequence.MeasureTails] times single calls.
//
// Up to a hundred million timers take part. [EstimateMemory] says what that takes.
package micro

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/timerbench/timerbench/bench/internal/heap"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Workloads returns the workloads that are measured unless others are chosen.
func Workloads() []workload.Workload {
	return find("start-stop", "churn", "reschedule", "hold", "fill-drain")
}

func find(names ...string) []workload.Workload {
	var list []workload.Workload
	for _, name := range names {
		w, ok := workload.Find(name)
		if !ok {
			panic("micro: no workload " + name)
		}
		list = append(list, w)
	}
	return list
}

// Figure is what a workload costs on one structure.
type Figure struct {
	Structure string
	NS        float64 // per unit of the workload, the median of the trials
	Bytes     float64 // per timer, on the heap after the fill; values have 8 bytes
	CollectNS float64 // that the filled structure adds to a full garbage collection
}

// Measure measures structures on a sequence, block by block and in random order
// within a block, so that what disturbs one disturbs all. The first block warms the
// caches and does not count. References are measured as well.
func (q *Sequence) Measure(ctx context.Context, entries []catalog.Entry) ([]Figure, error) {
	return q.measure(ctx, append(q.references(), entries...))
}

// MeasureApart is Measure for structures that do not fit into memory side by side. It
// measures one after the other, so their ratios contain what the machine did in between.
func (q *Sequence) MeasureApart(ctx context.Context, entries []catalog.Entry) ([]Figure, error) {
	var out []Figure
	for _, e := range append(q.references(), entries...) {
		one, err := q.measure(ctx, []catalog.Entry{e})
		if err != nil {
			return nil, err
		}
		out = append(out, one...)
	}
	return out, nil
}

func (q *Sequence) measure(ctx context.Context, entries []catalog.Entry) ([]Figure, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no collection beside what is timed
	var runners []*runner
	var out []Figure
	defer func() {
		for _, r := range runners {
			r.stop()
		}
	}()
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r := q.newRunner(e)
		before := heap.Measure()
		if err := r.fill(); err != nil {
			return nil, err
		}
		after := heap.Measure()
		runners = append(runners, r)
		out = append(out, Figure{Structure: e.Name, Bytes: after.BytesSince(before) / float64(q.N), CollectNS: after.CollectSince(before)})
	}
	took := make([][]float64, len(runners))
	order := rand.New(rand.NewPCG(5, 6))
	for block := range q.blocks {
		for _, i := range order.Perm(len(runners)) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			ns, err := runners[i].time(block)
			if err != nil {
				return nil, err
			}
			if block > 0 {
				took[i] = append(took[i], ns)
			}
		}
		runtime.GC()
	}
	for i := range out {
		out[i].NS = median(took[i])
	}
	return out, nil
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
