package bench

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/timerbench/timerbench/bench/internal/dist"
	"github.com/timerbench/timerbench/bench/replay"
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
	for w, n := range cfg.cells() {
		entries := cfg.entries(n)
		c := cfg.cell(w, n, replay.Clock{})
		v := newVerified(c, entries, seeds)
		for range seeds {
			operations, failed, err := c.verify(ctx, entries)
			if err != nil {
				return err
			}
			v.Operations += operations
			v.Failures = append(v.Failures, failed...)
			c.seed++
		}
		done(v)
	}
	return nil
}

// verify replays the cell with its seed.
func (c cell) verify(ctx context.Context, entries []catalog.Entry) (
	operations int, failed []results.Failure, err error,
) {
	if c.workload.Kind().SingleCalls {
		_, operations, failed, err = c.calls().Prove(ctx, entries)
		return operations, failed, err
	}
	p, err := c.begin(ctx, 0, c.contenders(entries), nil)
	if err != nil {
		return 0, nil, err
	}
	defer p.end()
	if err := p.firstBlock(ctx); err != nil {
		return 0, nil, err
	}
	for range c.trials {
		if err := p.replayNext(ctx, p.plan.block); err != nil {
			return 0, nil, err
		}
	}
	err = p.finish(ctx)
	return p.aged, p.failed, err
}

// VerifyRun replays the scripts of the cells of r, by the seeds that it names, and compares the
// proofs with those of its rows. It replays what run replays in the last pass in which every
// contender takes part. cfg has the profile, the seed and the trials of r; cells whose workload,
// size or structures are not in cfg are left out. A proof that is not the one of r is a failure.
func VerifyRun(ctx context.Context, cfg Config, r *results.Run, done func(Verified)) error {
	cfg = cfg.withDefaults()
	for _, cell := range r.Cells {
		rows := cell.Rows
		for _, part := range cell.Parts {
			rows = append(rows[:len(rows):len(rows)], part.Rows...)
		}
		proofs := make(map[string]script.Proof)
		for _, row := range rows {
			proofs[row.Structure] = row.Proof
		}
		c, entries, ok := cfg.cellLike(r, cell, proofs)
		if !ok {
			continue
		}
		v := newVerified(c, entries, 1+len(cell.OtherSeeds))
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

func newVerified(c cell, entries []catalog.Entry, seeds int) Verified {
	return Verified{Workload: c.workload.Name, N: c.n, Structures: len(entries), Seeds: seeds}
}

// cellLike returns the configuration of a cell of r, and the structures of cfg of which r has
// a proof. ok is false if cfg does not have the cell or none of the structures.
func (cfg Config) cellLike(r *results.Run, of results.Cell, proofs map[string]script.Proof) (
	c cell, entries []catalog.Entry, ok bool,
) {
	entries = slices.DeleteFunc(slices.Clone(cfg.Structures), func(e catalog.Entry) bool {
		_, ok := proofs[e.Name]
		return !ok
	})
	if len(entries) == 0 || len(cfg.N) > 0 && !slices.Contains(cfg.N, of.N) {
		return c, nil, false
	}
	if r.Parameters.Repeat > 0 {
		cfg.Turns = &Turns{Wait: func() error { return nil }}
	}
	t := slices.IndexFunc(cfg.Traces, func(t *Trace) bool { return t.Name() == of.Workload })
	w := slices.IndexFunc(cfg.Workloads, func(w workload.Workload) bool {
		return w.Name == of.Workload
	})
	switch {
	case t >= 0:
		c = cfg.Traces[t].cell(cfg.Trials, replay.Clock{})
	case w >= 0:
		c = cfg.cell(cfg.Workloads[w], of.N, replay.Clock{})
	}
	if c.n != of.N {
		return c, nil, false
	}
	if r.Parameters.Repeat == 0 {
		c.perPass = cmp.Or(roundsOfFirstInstance(of), c.perPass)
		c.budgeted = of.Common == 1 && c.passes() > 1
	}
	return c, entries, true
}

// roundsOfFirstInstance returns the rounds of the first instance of a cell, or 0 if it has
// none.
func roundsOfFirstInstance(c results.Cell) int {
	for _, row := range c.Rows {
		rounds := 0
		for _, t := range row.Cost {
			if t.Instance == 0 {
				rounds++
			}
		}
		if rounds > 0 {
			return rounds
		}
	}
	return 0
}

// verifyRows makes the pass whose proofs the rows have, and compares them.
func (c cell) verifyRows(
	ctx context.Context, entries []catalog.Entry, rows []results.Row, v *Verified,
) error {
	passes := c.common() - 1
	m := &measured{
		cell: c, rows: c.contenders(entries), order: dist.NewRand(c.seed, 0),
		passes: passes, rounds: passes * c.perPass,
	}
	for _, r := range m.rows {
		r.samples = replay.NewLatencies()
	}
	if err := m.pass(ctx); err != nil {
		return err
	}
	v.Failures = append(v.Failures, m.failed...)
	for _, row := range rows {
		for _, replayed := range m.rows {
			name := replayed.Structure
			if (name == row.Structure || name == row.Of) && !row.JoinedLate() {
				v.compare(c, row.Structure, row.Proof, replayed.Proof)
			}
		}
	}
	p := m.rows[0].Proof // of the floor
	v.Operations += int(p.Scheduled + p.Fired + p.Cancelled)
	return c.verifyCounts(ctx, rows, m.rows[0], v)
}

// verifyCounts compares what each trial did with its block, which the script determines. floor
// has replayed the blocks of a pass. Those of the other passes are replayed here, on the floor alone.
// Layouts and sessions number their rounds in another way: there that one pass is all.
func (c cell) verifyCounts(
	ctx context.Context, rows []results.Row, floor *contender, v *Verified,
) error {
	blocks := make(map[int]results.Counted)
	add := func(trials []results.Trial) {
		for _, t := range trials {
			blocks[t.Round] = t.Counted()
		}
	}
	add(floor.Cost)
	instances := make(map[int]bool)
	for _, row := range rows {
		for _, t := range row.Cost {
			instances[t.Instance] = c.turns == nil && t.Layout == 0
		}
	}
	for _, number := range slices.Sorted(maps.Keys(instances)) {
		if !instances[number] || number == c.common()-1 {
			continue
		}
		m := &measured{
			cell: c, rows: c.contenders(nil)[:1], order: dist.NewRand(c.seed, 0),
			passes: number, rounds: number * c.perPass,
		}
		m.rows[0].samples = replay.NewLatencies()
		if err := m.pass(ctx); err != nil {
			return err
		}
		add(m.rows[0].Cost)
	}
	for _, row := range rows {
		for _, t := range row.Cost {
			want, ok := blocks[t.Round]
			if ok && t.Counted() != want {
				v.Failures = append(v.Failures, results.Failure{
					Structure: row.Structure, Where: fmt.Sprintf("%s, seed %d, round %d", c.name(), c.seed, t.Round),
					Reason: fmt.Sprintf("the results have the counts %+v, its script has %+v", t.Counted(), want),
				})
				break
			}
		}
	}
	return nil
}

// verifyCalls compares the proofs of the longest calls.
func (cfg Config) verifyCalls(ctx context.Context, r *results.Run, done func(Verified)) error {
	for rest := r.Calls; len(rest) > 0; {
		of := results.Cell{Workload: rest[0].Workload, N: rest[0].N}
		proofs := make(map[string]script.Proof)
		rest = slices.DeleteFunc(slices.Clone(rest), func(calls results.Calls) bool {
			same := calls.Workload == of.Workload && calls.N == of.N
			if same {
				proofs[calls.Structure] = calls.Proof
			}
			return same
		})
		c, entries, ok := cfg.cellLike(r, of, proofs)
		if !ok {
			continue
		}
		replayed, operations, failed, err := c.calls().Prove(ctx, entries)
		if err != nil {
			return err
		}
		v := newVerified(c, entries, 1)
		v.Operations, v.Failures = operations, failed
		for i, e := range entries {
			v.compare(c, e.Name, proofs[e.Name], replayed[i])
		}
		done(v)
	}
	return nil
}

// compare adds a failure if a proof of a results file is not that of the replay.
func (v *Verified) compare(c cell, name string, file, replayed script.Proof) {
	if file == replayed {
		return
	}
	v.Failures = append(v.Failures, results.Failure{
		Structure: name, Where: fmt.Sprintf("%s, seed %d", c.name(), c.seed),
		Reason: fmt.Sprintf("the results have the proof %+v, its replay has %+v", file, replayed),
	})
}
