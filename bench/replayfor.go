package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Replayed is what one structure did in one cell, alone.
type Replayed struct {
	Unit       script.Unit
	Units      float64
	Operations int
	NS         float64            // of the replays, without what is between them
	Counters   map[string]float64 // per unit, by the names of package counters; empty: none
}

// ReplayFor replays blocks of a cell on one structure until the replays have taken that
// long. Each replay is a call of the function that is given to replay, which must call
// it once; a profiler can mark the time there. The blocks are written and checked in
// between. The time has no meaning beside that of other structures: measure it by [Run].
func ReplayFor(ctx context.Context, w workload.Workload, n int, seed uint64, e catalog.Entry, d time.Duration, replay func(block func())) (Replayed, error) {
	c := cellConfig{workload: w, n: n, seed: seed, trials: 1, perPass: 1, open: openScript}
	r := &cellRun{cellConfig: c, rows: []*contender{{row: results.Row{Structure: e.Name, Role: results.RoleStructure}, entry: e}}}
	p, err := r.begin(ctx, r.rows)
	if err != nil {
		return Replayed{}, err
	}
	defer p.end()
	p.hardware = openHardware()
	defer p.hardware.close()
	out := Replayed{Unit: w.CostUnit()}
	var counted hardwareCounts
	for len(p.rows) > 0 && out.NS < float64(d) {
		b, err := p.next(p.plan.block, p.spare)
		if err != nil {
			return out, err
		}
		p.spare = b
		err = p.forEach(ctx, p.rows, func(row *contender) error {
			row.reserve(b)
			units := b.Units(out.Unit)
			replay(func() {
				p.hardware.count(&counted, units, func() { out.NS += float64(row.replayWhole(b)) })
			})
			out.Units += units
			out.Operations += b.Calls
			return row.check(b, row.snapshot())
		})
		if err != nil {
			return out, err
		}
	}
	if len(r.failed) > 0 {
		return out, fmt.Errorf("no time counts without the proof: %w", r.failed[0])
	}
	out.Counters = counted.perUnit()
	return out, nil
}
