package bench

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures/entry"
)

// Verified is the proof of one cell, without times.
type Verified struct {
	Workload   string
	N          int
	Structures int
	Seeds      int
	Operations int               // on each structure, over all seeds
	Redefined  bool              // not replayed, because the operations of the workload, or the rounds, have changed since
	Failures   []results.Failure // of structures that broke their contract
}

// Verify replays all cells of cfg without timing, with seeds from cfg.Seed on. It checks every answer
// of the first block of a cell, the outcome of each further block, and at the end the bindings of IDs
// and values. It calls done with each cell. A structure that breaks its contract is a failure of the
// cell. An error means that the proof could not be made.
func Verify(ctx context.Context, cfg Config, seeds int, done func(Verified)) error {
	plans := make([]*Plan, max(1, seeds))
	for i := range plans {
		var err error
		if plans[i], err = NewPlan(cfg); err != nil {
			return err
		}
		cfg.Seed++
	}
	for i, s := range plans[0].Steps {
		if s.Workload == "" {
			continue
		}
		v := newVerified(s, len(plans))
		for _, p := range plans {
			operations, failed, err := p.Steps[i].verify(ctx)
			if err != nil {
				return err
			}
			v.Operations += operations
			v.Failures = append(v.Failures, failed...)
		}
		done(v)
	}
	return nil
}

func (s Step) verify(ctx context.Context) (operations int, failed []results.Failure, err error) {
	if calls, ok := s.analysis.(replay.Calls); ok {
		_, operations, failed, err = calls.Prove(ctx, s.entries)
		return operations, failed, err
	}
	p, err := newRig(nil).newCellRun(*s.cell, s.entries, nil).untimed(ctx, true)
	if err != nil {
		return 0, nil, err
	}
	defer p.end()
	err = p.finish(ctx)
	return p.at.operations, p.failed, err
}

// VerifyRun replays the scripts of the cells of r with the seeds of r, and compares the proofs with
// the proofs in r. It replays the last pass before any race. cfg has the profile, the seed and the
// trials of r, and chooses workloads, sizes and structures. A proof that differs is a failure.
func VerifyRun(ctx context.Context, cfg Config, r *results.Run, done func(Verified)) error {
	var sizes []int
	for _, c := range r.Cells {
		sizes = append(sizes, c.N)
	}
	for _, c := range r.Calls {
		sizes = append(sizes, c.N)
	}
	slices.Sort(sizes)
	sizes = slices.DeleteFunc(slices.Compact(sizes), func(n int) bool {
		return len(cfg.N) > 0 && !slices.Contains(cfg.N, n)
	})
	if len(sizes) == 0 {
		return nil
	}
	cfg.N = sizes
	if r.Parameters.Repeat > 0 {
		cfg.Turns = &Turns{Rounds: 1}
	}
	plan, err := NewPlan(cfg)
	if err != nil {
		return err
	}
	redefined := r.Redefined(plan.version)
	for _, of := range r.Cells {
		s := plan.find(of.Workload, of.N)
		if s == nil || s.cell == nil || !slices.Contains(sizes, of.N) {
			continue
		}
		other := of.Passed == nil && s.cell.period > 0 // before it had a warm-up, in other rounds
		if other || slices.ContainsFunc(redefined, func(c results.Cell) bool { return c.Workload == of.Workload && c.N == of.N }) {
			v := newVerified(Step{Workload: of.Workload, N: of.N}, 0)
			v.Redefined = true
			done(v)
			continue
		}
		if of.Race != nil && of.Race.Proved == 0 {
			return fmt.Errorf("%s: an earlier version measured it, in other rounds: verify it without --replay", s.Name)
		}
		c, entries := s.cell.like(of), provedIn(cfg.Structures, proofsOf(of.Rows))
		if len(entries) == 0 {
			continue
		}
		v := newVerified(Step{Workload: of.Workload, N: of.N, entries: entries}, 1+len(of.OtherSeeds))
		g := newRig(nil)
		if err := g.verifyRows(ctx, c, entries, of.Rows, &v); err != nil {
			return err
		}
		for _, other := range of.OtherSeeds {
			c.seed = other.Seed
			m := g.newCellRun(c, entries, nil)
			proof, err := m.prove(ctx)
			if err != nil {
				return err
			}
			v.Failures = append(v.Failures, m.failed...)
			v.compare(c.where(), FloorName, other.Proof, proof.Proof)
		}
		done(v)
	}
	return plan.verifyCalls(ctx, cfg.Structures, r, done)
}

func newVerified(s Step, seeds int) Verified {
	return Verified{Workload: s.Workload, N: s.N, Structures: len(s.entries), Seeds: seeds}
}

// like returns the cell with the passes of a cell of results.
func (c cell) like(of results.Cell) cell {
	switch {
	case of.Race != nil:
		c.schedule = c.raced()
	case c.control: // no session
		c.schedule = fixed(c.trials, cmp.Or(roundsOfFirstInstance(of), c.perPass))
	}
	return c
}

func provedIn(entries []entry.Entry, proofs map[string]script.Proof) []entry.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e entry.Entry) bool {
		_, ok := proofs[e.Name]
		return !ok
	})
}

func proofsOf(rows []results.Row) map[string]script.Proof {
	proofs := make(map[string]script.Proof)
	for _, row := range rows {
		proofs[row.Structure] = row.Proof
	}
	return proofs
}

// roundsOfFirstInstance returns the number of rounds of the first instance of a cell, or 0.
func roundsOfFirstInstance(c results.Cell) (rounds int) {
	for _, row := range c.Rows {
		later := func(t results.Trial) bool { return t.Instance != 0 }
		rounds = max(rounds, len(slices.DeleteFunc(slices.Clone(row.Cost), later)))
	}
	return rounds
}

// verifyRows repeats the pass with the proofs of the rows and compares the proofs. It also compares the
// counts of each trial with the script. For that the floor alone replays the blocks of the other
// passes, except in a session, which numbers its rounds in another way.
func (g *rig) verifyRows(
	ctx context.Context, c cell, entries []entry.Entry, rows []results.Row, v *Verified,
) error {
	proved := c.common - 1
	passes := map[int]bool{proved: true}
	for _, row := range rows {
		for _, t := range row.Cost {
			if c.control { // no session
				passes[t.Instance] = true
			}
		}
	}
	blocks := make(map[int]results.Counted)
	for _, number := range slices.Sorted(maps.Keys(passes)) {
		m := g.newCellRun(c, entries, nil)
		m.passes, m.rounds = number, number*c.perPass
		if number != proved {
			m.rows = m.rows[:1]
		}
		if err := m.pass(ctx, m.rows); err != nil {
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

func (v *Verified) compareRows(m *cellRun, rows []results.Row) {
	v.Failures = append(v.Failures, m.failed...)
	for _, row := range rows {
		for _, replayed := range m.rows {
			name := replayed.Structure
			if (name == row.Structure || name == row.Of) && !row.JoinedLate() {
				v.compare(m.cell.where(), row.Structure, row.Proof, replayed.Proof)
			}
		}
	}
	p := m.rows[0].Proof // of the floor
	v.Operations += int(p.Scheduled + p.Fired + p.Cancelled)
}

func (p *Plan) verifyCalls(
	ctx context.Context, all []entry.Entry, r *results.Run, done func(Verified),
) error {
	for _, s := range p.Steps {
		calls, ok := s.analysis.(replay.Calls)
		proofs := make(map[string]script.Proof)
		for _, c := range r.Calls {
			if c.Workload == s.Workload && c.N == s.N {
				proofs[c.Structure] = c.Proof
			}
		}
		if s.entries = provedIn(all, proofs); !ok || len(s.entries) == 0 {
			continue
		}
		replayed, operations, failed, err := calls.Prove(ctx, s.entries)
		if err != nil {
			return err
		}
		v := newVerified(s, 1)
		v.Operations, v.Failures = operations, failed
		for i, e := range s.entries {
			v.compare(fmt.Sprintf("%s, seed %d", s.Name, calls.Seed), e.Name, proofs[e.Name], replayed[i])
		}
		done(v)
	}
	return nil
}

// compare adds a failure if the proof in a results file differs from the proof of the replay.
func (v *Verified) compare(where, name string, file, replayed script.Proof) {
	if file != replayed {
		v.fail(name, where, "the results have the proof %+v, its replay has %+v", file, replayed)
	}
}

func (v *Verified) fail(name, where, format string, args ...any) {
	f := results.Failure{Structure: name, Where: where, Reason: fmt.Sprintf(format, args...)}
	v.Failures = append(v.Failures, f)
}
