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
	"github.com/timerbench/timerbench/structures/entry"
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

func (c cell) verify(ctx context.Context, entries []entry.Entry) (
	operations int, failed []results.Failure, err error,
) {
	if c.workload.Kind().SingleCalls {
		_, operations, failed, err = c.calls().Prove(ctx, entries)
		return operations, failed, err
	}
	p, err := c.untimed(ctx, entries, true)
	if err != nil {
		return 0, nil, err
	}
	defer p.end()
	err = p.finish(ctx)
	return p.aged, p.failed, err
}

// VerifyRun replays the scripts of the cells of r, by the seeds that it names, and compares the
// proofs with those of its rows. It replays what run replays in the last pass in which every
// contender takes part. cfg has the profile, the seed and the trials of r; cells whose workload,
// size or structures are not in cfg are left out. A proof that is not the one of r is a failure.
func VerifyRun(ctx context.Context, cfg Config, r *results.Run, done func(Verified)) error {
	cfg = cfg.withDefaults()
	for _, of := range r.Cells {
		c, entries := cfg.cellLike(r, of, proofsOf(of.Rows))
		if len(entries) == 0 {
			continue
		}
		v := newVerified(c, entries, 1+len(of.OtherSeeds))
		if err := c.verifyRows(ctx, entries, of.Rows, &v); err != nil {
			return err
		}
		for _, other := range of.OtherSeeds {
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

func newVerified(c cell, entries []entry.Entry, seeds int) Verified {
	return Verified{Workload: c.workload.Name, N: c.n, Structures: len(entries), Seeds: seeds}
}

func proofsOf(rows []results.Row) map[string]script.Proof {
	proofs := make(map[string]script.Proof)
	for _, row := range rows {
		proofs[row.Structure] = row.Proof
	}
	return proofs
}

// cellLike returns the configuration of a cell of r, and the structures of cfg of which r has
// a proof: none if cfg does not have the cell.
func (cfg Config) cellLike(r *results.Run, of results.Cell, proofs map[string]script.Proof) (
	c cell, entries []entry.Entry,
) {
	if len(cfg.N) > 0 && !slices.Contains(cfg.N, of.N) {
		return c, nil
	}
	if r.Parameters.Repeat > 0 {
		cfg.Turns = &Turns{Wait: func() error { return nil }}
	}
	for _, t := range cfg.Traces {
		if t.Name() == of.Workload {
			c = t.cell(cfg.Trials, replay.Clock{})
		}
	}
	for _, w := range cfg.Workloads {
		if w.Name == of.Workload {
			c = cfg.cell(w, of.N, replay.Clock{})
		}
	}
	if c.n != of.N {
		return c, nil
	}
	if r.Parameters.Repeat == 0 {
		c.perPass = cmp.Or(roundsOfFirstInstance(of), c.perPass)
		c.budgeted = of.Common == 1 && c.passes() > 1
	}
	return c, slices.DeleteFunc(slices.Clone(cfg.Structures), func(e entry.Entry) bool {
		_, ok := proofs[e.Name]
		return !ok
	})
}

// roundsOfFirstInstance returns the rounds of the first instance of a cell, or 0 if it has
// none.
func roundsOfFirstInstance(c results.Cell) (rounds int) {
	for _, row := range c.Rows {
		for _, t := range row.Cost {
			if t.Instance == 0 {
				rounds++
			}
		}
		if rounds > 0 {
			break
		}
	}
	return rounds
}

// verifyRows makes the pass whose proofs the rows have, and compares them, and what each trial
// did with its block, which the script determines. The blocks of other passes are replayed by the
// floor alone. Sessions number their rounds in another way: there that one pass is all.
func (c cell) verifyRows(
	ctx context.Context, entries []entry.Entry, rows []results.Row, v *Verified,
) error {
	proved := c.common() - 1
	passes := map[int]bool{proved: true}
	for _, row := range rows {
		for _, t := range row.Cost {
			if c.turns == nil {
				passes[t.Instance] = true
			}
		}
	}
	blocks := make(map[int]results.Counted)
	for _, number := range slices.Sorted(maps.Keys(passes)) {
		m := &measured{
			cell: c, rows: c.contenders(entries), order: dist.NewRand(c.seed, 0),
			passes: number, rounds: number * c.perPass,
		}
		if number != proved {
			m.rows = m.rows[:1]
		}
		for _, r := range m.rows {
			r.samples = replay.NewLatencies()
		}
		if err := m.pass(ctx); err != nil {
			return err
		}
		for _, t := range m.rows[0].Cost {
			blocks[t.Round] = t.Counted()
		}
		if number == proved {
			v.compareRows(m, rows)
		}
	}
	for _, row := range rows {
		for _, t := range row.Cost {
			if want, ok := blocks[t.Round]; ok && t.Counted() != want {
				v.fail(row.Structure, fmt.Sprintf("%s, round %d", c.where(), t.Round),
					"the results have the counts %+v, its script has %+v", t.Counted(), want)
				break
			}
		}
	}
	return nil
}

func (v *Verified) compareRows(m *measured, rows []results.Row) {
	v.Failures = append(v.Failures, m.failed...)
	for _, row := range rows {
		for _, replayed := range m.rows {
			name := replayed.Structure
			if (name == row.Structure || name == row.Of) && !row.JoinedLate() {
				v.compare(m.cell, row.Structure, row.Proof, replayed.Proof)
			}
		}
	}
	p := m.rows[0].Proof // of the floor
	v.Operations += int(p.Scheduled + p.Fired + p.Cancelled)
}

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
		c, entries := cfg.cellLike(r, of, proofs)
		if len(entries) == 0 {
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
	if file != replayed {
		v.fail(name, c.where(), "the results have the proof %+v, its replay has %+v", file, replayed)
	}
}

func (v *Verified) fail(name, where, format string, args ...any) {
	f := results.Failure{Structure: name, Where: where, Reason: fmt.Sprintf(format, args...)}
	v.Failures = append(v.Failures, f)
}
