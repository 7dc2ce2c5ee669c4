package bench

import (
	"context"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Verified is the proof of one cell, without times.
type Verified struct {
	Workload   string
	N          int
	Structures int // that took part
	Seeds      int
	Operations int               // replayed on each structure, over all seeds
	Failures   []results.Failure // of the structures that broke their contract
}

// Verify replays all cells of cfg without timing them, each with that many seeds from
// cfg.Seed on. Every answer of a first block is checked, then the outcome of each block,
// and at the end the bindings of IDs and values. It calls done with each cell. An error
// means that the proof could not be made; a structure that breaks its contract is no
// error.
func Verify(ctx context.Context, cfg Config, seeds int, done func(Verified)) error {
	cfg = cfg.withDefaults()
	for _, w := range cfg.Workloads {
		for _, n := range cfg.sizes(w) {
			entries := cfg.entries(n)
			if len(entries) == 0 {
				continue
			}
			v := Verified{Workload: w.Name, N: n, Structures: len(entries), Seeds: seeds}
			c := cfg.cell(w, n, Clock{})
			for range seeds {
				if err := c.verify(ctx, entries, &v); err != nil {
					return err
				}
				c.seed++
			}
			done(v)
		}
	}
	return nil
}

// VerifyReleases returns the structures that keep references to the values of timers
// that have fired or were cancelled.
func VerifyReleases(entries []catalog.Entry) []results.Failure {
	var out []results.Failure
	for _, e := range entries {
		if err := checkReleases(e.Name); err != nil {
			out = append(out, results.Failure{Structure: e.Name, Where: "the release of values", Reason: err.Error()})
		}
	}
	return out
}

// verify replays the cell with its seed and adds what it finds to v.
func (c cellConfig) verify(ctx context.Context, entries []catalog.Entry, v *Verified) error {
	if c.workload.Kind().SingleCalls {
		return callsCase{c}.verify(ctx, entries, v)
	}
	r := &cellRun{cellConfig: c, rows: c.contenders(entries)}
	p, err := r.begin(ctx, r.rows)
	if err != nil {
		return err
	}
	defer p.end()
	if err := p.firstBlock(ctx); err != nil {
		return err
	}
	for range c.trials {
		if err := p.replayNext(ctx, p.plan.block); err != nil {
			return err
		}
	}
	if err := p.finish(ctx); err != nil {
		return err
	}
	v.Operations += p.aged
	v.Failures = append(v.Failures, r.failed...)
	return nil
}
