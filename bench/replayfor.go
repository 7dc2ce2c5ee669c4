package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// Replayed is the result of [ReplayFor].
type Replayed struct {
	Unit       script.Unit
	Units      float64
	Operations int
	NS         float64 // of the replays, without the generation and the checks in between
}

// ReplayFor replays blocks of a cell on one structure until the replays have taken d. It passes each
// replay to replay as a function, which replay must call once. So a profiler can mark the time. The
// blocks are generated and checked in between. The times of two structures cannot be compared: use
// [Run] for that.
func ReplayFor(ctx context.Context, w workload.Workload, n int, seed uint64, e entry.Entry,
	d time.Duration, replay func(block func()),
) (Replayed, error) {
	c := cell{workload: w, n: n, seed: seed, trials: 1, perPass: 1}
	p, err := newRig(nil).begin(ctx, c, 0, []*contender{newContender(results.RoleStructure, e)}, nil)
	if err != nil {
		return Replayed{}, err
	}
	defer p.end()
	out := Replayed{Unit: w.CostUnit()}
	for len(p.failed) == 0 && out.NS < float64(d) {
		if p.spare, err = p.next(p.plan.block, p.spare); err != nil {
			return out, err
		}
		err = p.forEach(ctx, p.rows, func(r *contender) error {
			r.instance.Reserve(p.spare)
			replay(func() { out.NS += float64(r.instance.Time(p.spare)) })
			out.Units += p.spare.Units(out.Unit)
			out.Operations += p.spare.Calls
			return r.instance.Check(p.spare, r.instance.Outcome())
		})
		if err != nil {
			return out, err
		}
	}
	if len(p.failed) > 0 {
		return out, fmt.Errorf("no time counts without the proof: %w", p.failed[0])
	}
	return out, nil
}
