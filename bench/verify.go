package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
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

// VerifyRun replays the scripts of the cells of r, by the seeds that it names, and compares the
// proofs with those of its rows. It replays what run replays in the last pass in which every
// contender takes part. cfg has the profile, the seed and the trials of r; cells whose workload,
// size or structures are not in cfg are left out. A proof that is not the one of r is a failure.
func VerifyRun(ctx context.Context, cfg Config, r *results.Run, done func(Verified)) error {
	cfg = cfg.withDefaults()
	for _, cell := range r.Cells {
		c, ok := cfg.cellLike(r, cell)
		if !ok {
			continue
		}
		rows := cell.Rows
		for _, part := range cell.Parts {
			rows = append(rows[:len(rows):len(rows)], part.Rows...)
		}
		entries := slices.DeleteFunc(slices.Clone(cfg.Structures), func(e catalog.Entry) bool {
			return !slices.ContainsFunc(rows, func(row results.Row) bool { return row.Structure == e.Name })
		})
		if len(entries) == 0 {
			continue
		}
		v := Verified{Workload: cell.Workload, N: cell.N, Structures: len(entries), Seeds: 1 + len(cell.OtherSeeds)}
		if err := c.verifyRows(ctx, entries, rows, &v); err != nil {
			return err
		}
		for _, other := range cell.OtherSeeds {
			c.seed = other.Seed
			proof, failed, err := c.proveSeed(ctx, entries)
			if err != nil {
				return err
			}
			v.Failures = append(v.Failures, failed...)
			v.compare(c, FloorName, other.Proof, proof.Proof)
		}
		done(v)
	}
	return cfg.verifyCalls(ctx, r, done)
}

// cellLike returns the configuration of a cell of r; ok is false if cfg does not have it.
func (cfg Config) cellLike(r *results.Run, cell results.Cell) (c cellConfig, ok bool) {
	if len(cfg.N) > 0 && !slices.Contains(cfg.N, cell.N) {
		return c, false
	}
	for _, t := range cfg.Traces {
		if t.name() == cell.Workload {
			return t.cell(cfg.Trials, Clock{}), t.n() == cell.N
		}
	}
	i := slices.IndexFunc(cfg.Workloads, func(w workload.Workload) bool { return w.Name == cell.Workload })
	if i < 0 {
		return c, false
	}
	if r.Parameters.Repeat > 0 {
		kinds := slices.ContainsFunc(cell.Rows, func(row results.Row) bool { return len(row.ByKind) > 0 })
		cfg.Turns = &Turns{Wait: func() error { return nil }, Kinds: kinds}
		return cfg.cell(cfg.Workloads[i], cell.N, Clock{}), true
	}
	c = cfg.cell(cfg.Workloads[i], cell.N, Clock{})
	for _, row := range cell.Rows {
		first := 0 // rounds of the first instance
		for _, t := range row.Cost {
			if t.Instance == 0 {
				first++
			}
		}
		if first > 0 {
			c.perPass = first
			break
		}
	}
	return c, true
}

// verifyRows makes the pass whose proofs the rows have, and compares them.
func (c cellConfig) verifyRows(ctx context.Context, entries []catalog.Entry, rows []results.Row, v *Verified) error {
	r := &cellRun{cellConfig: c, rows: c.contenders(entries), order: dist.NewRand(c.seed, 0)}
	r.done = c.passes() - 1
	r.rounds = r.done * c.perPass
	for _, row := range r.rows {
		row.samples = newLatencies()
	}
	if err := r.runPass(ctx); err != nil {
		return err
	}
	v.Failures = append(v.Failures, r.failed...)
	for _, row := range rows {
		for _, replayed := range r.rows {
			if name := replayed.row.Structure; name == row.Structure || name == row.Of {
				v.compare(c, row.Structure, row.Proof, replayed.row.Proof)
			}
		}
	}
	p := r.rows[0].row.Proof // of the floor
	v.Operations += int(p.Scheduled + p.Fired + p.Cancelled)
	return nil
}

// verifyCalls compares the proofs of the longest calls.
func (cfg Config) verifyCalls(ctx context.Context, r *results.Run, done func(Verified)) error {
	for rest := r.Calls; len(rest) > 0; {
		of := results.Cell{Workload: rest[0].Workload, N: rest[0].N}
		same := func(calls results.Calls) bool { return calls.Workload == of.Workload && calls.N == of.N }
		proofs := make(map[string]script.Proof)
		for _, calls := range rest {
			if same(calls) {
				proofs[calls.Structure] = calls.Proof
			}
		}
		rest = slices.DeleteFunc(slices.Clone(rest), same)
		entries := slices.DeleteFunc(slices.Clone(cfg.Structures), func(e catalog.Entry) bool {
			_, ok := proofs[e.Name]
			return !ok
		})
		c, ok := cfg.cellLike(r, of)
		if !ok || len(entries) == 0 {
			continue
		}
		kept, err := callsCase{c}.write(ctx)
		if err != nil {
			return err
		}
		run, err := callsCase{c}.replay(ctx, kept, entries, (*contender).replayChecked)
		if err != nil {
			return err
		}
		v := Verified{
			Workload: of.Workload, N: of.N, Structures: len(entries), Seeds: 1,
			Operations: kept.operations(), Failures: run.failed,
		}
		for _, row := range run.rows {
			v.compare(c, row.row.Structure, proofs[row.row.Structure], row.proof)
		}
		done(v)
	}
	return nil
}

// compare adds a failure if a proof of a results file is not that of the replay.
func (v *Verified) compare(c cellConfig, name string, file, replayed script.Proof) {
	if file == replayed {
		return
	}
	v.Failures = append(v.Failures, results.Failure{
		Structure: name, Where: fmt.Sprintf("%s, seed %d", c.name(), c.seed),
		Reason: fmt.Sprintf("the results have the proof %+v, its replay has %+v", file, replayed),
	})
}
