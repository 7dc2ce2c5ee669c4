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

// Replayed is what one structure did in one cell, alone.
type Replayed struct {
	Unit       script.Unit
	Units      float64
	Operations int
	NS         float64 // of the replays, without what is between them
}

// ReplayFor replays blocks of a cell on one structure until the replays have taken that
// long. Each replay is a call of the function that is given to replay, which must call
// it once; a profiler can mark the time there. The blocks are written and checked in
// between. The time has no meaning beside that of other structures: measure it by [Run].
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
