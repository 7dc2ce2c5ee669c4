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
	Redefined  bool              // not replayed, because the operations of the workload have changed since
	Failures   []results.Failure // of structures that broke their contract
}

// NewProof returns the plan of a proof of all cells of cfg without timing, with seeds from cfg.Seed on. It checks every answer
// of the first block of a cell, the outcome of each further block, and at the end the bindings of IDs
// and values.
func NewProof(cfg Config, seeds int) (*Plan, error) {
	cfg.Budget = Budget{}
	p, err := NewPlan(cfg)
	if err != nil {
		return nil, err
	}
	steps := p.Steps
	p.Steps, p.seeds = nil, seeds
	for _, s := range steps {
		switch _, calls := s.analysis.(replay.Calls); {
		case calls:
			s.Seconds *= float64(seeds)
		case s.cell == nil:
			continue
		default:
			s.Rounds = nil
			for seed := range uint64(seeds) {
				s.Rounds = append(s.Rounds, s.cell.proof(cfg.Seed+seed, p.cfg.Trials, true)...)
			}
			s.Seconds = s.cell.seconds(s.Rounds)
		}
		p.Steps = append(p.Steps, s)
	}
	return p, nil
}

// Verify makes a proof and calls done with each cell. A structure that breaks its contract is a failure of the
// cell. An error means that the proof could not be made.
func Verify(ctx context.Context, proof *Plan, done func(Verified)) error {
	r := newRunner(proof, Hooks{})
	for _, s := range proof.Steps {
		v := Verified{Structures: len(s.entries), Seeds: proof.seeds}
		v.Workload, v.N = s.Of()
		if s.cell != nil {
			m := r.measuring(s.cell)
			if err := m.play(ctx, s.Rounds); err != nil {
				return err
			}
			v.Structures, v.Operations, v.Failures = len(s.cell.entries), m.operations, m.failed
		} else {
			calls := s.analysis.(replay.Calls)
			for range proof.seeds {
				_, operations, failed, err := calls.Prove(ctx, s.entries)
				if err != nil {
					return err
				}
				v.Operations, v.Failures = v.Operations+operations, append(v.Failures, failed...)
				calls.Seed++
			}
		}
		done(v)
	}
	return nil
}

// VerifyRun replays the scripts of the cells of r with the seeds of r, and compares the proofs with
// the proofs in r. cfg has the profile, the seed and the
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
	cfg.N, cfg.Rounds, cfg.Budget = sizes, r.Parameters.Repeat, Budget{}
	cfg.Trials = cmp.Or(r.Parameters.Repeat, cfg.Trials) // the trials of a session are those of all its runs
	plan, err := NewPlan(cfg)
	if err != nil {
		return err
	}
	run := newRunner(plan, Hooks{})
	for _, s := range plan.Steps {
		v := Verified{Seeds: 1}
		v.Workload, v.N = s.Of()
		calls, single := s.analysis.(replay.Calls)
		of := r.Cell(v.Workload, v.N)
		proofs := make(map[string]script.Proof)
		switch {
		case single:
			for _, c := range r.Calls {
				if c.Workload == v.Workload && c.N == v.N {
					proofs[c.Structure] = c.Proof
				}
			}
		case s.cell != nil && of != nil:
			if v.Redefined = of.Definition != 0 && of.Definition != s.cell.workload.Version(); v.Redefined {
				done(v)
				continue
			}
			for _, row := range of.Rows {
				proofs[row.Structure] = row.Proof
			}
		}
		entries := slices.DeleteFunc(slices.Clone(cfg.Structures), func(e entry.Entry) bool {
			_, ok := proofs[e.Name]
			return !ok
		})
		if v.Structures = len(entries); v.Structures == 0 {
			continue
		}
		if single {
			err = v.verifyCalls(ctx, calls, entries, proofs)
		} else {
			s.cell.entries = entries
			err = run.verify(ctx, s.cell, of, &v)
		}
		if err != nil {
			return err
		}
		done(v)
	}
	return nil
}

// verify repeats the rounds with the proofs of a cell of results and compares the proofs. It also compares the
// counts of each trial with the script. For that the floor alone replays the rounds of the other
// instances, except in a session, which numbers its rounds in another way.
func (r *runner) verify(ctx context.Context, c *Cell, of *results.Cell, v *Verified) error {
	cfg := r.plan.cfg
	if session := cfg.Rounds > 0; of.Race != nil && !session {
		cfg.Budget.Limit = 1 // any
	}
	c.design(cfg, cmp.Or(roundsOfFirstInstance(of), roundsPerPass))
	c.control = false
	all := c.names()
	proved := cmp.Or(of.Common, c.instances) - 1
	instances := map[int]bool{proved: true}
	for _, row := range of.Rows {
		for _, t := range row.Cost {
			instances[t.Instance] = instances[t.Instance] || cfg.Rounds == 0
		}
	}
	blocks := make(map[int]results.Counted)
	for _, number := range slices.Sorted(maps.Keys(instances)) {
		if !instances[number] {
			continue
		}
		if c.contenders = all; number != proved {
			c.contenders = all[:1]
		}
		m, rounds := r.measuring(c), c.pass(number)
		for i, round := range rounds {
			rounds[i].Drops = false // everybody is proved
			rounds[i].Proved = number == proved && (of.Race == nil && i+1 == len(rounds) || of.Race != nil && round.Number+1 == of.Race.Proved)
		}
		if err := m.play(ctx, rounds); err != nil {
			return err
		}
		for _, t := range m.rows[0].Cost {
			blocks[t.Round] = t.Counted()
		}
		if number == proved {
			v.compareRows(m, of.Rows)
		}
	}
	for _, row := range of.Rows {
		for _, t := range row.Cost {
			if want, ok := blocks[t.Round]; ok && t.Counted() != want {
				v.fail(row.Structure, fmt.Sprintf("%s, round %d", c.where(c.seed), t.Round),
					"the results have the counts %+v, its script has %+v", t.Counted(), want)
				break
			}
		}
	}
	c.contenders = all
	for _, other := range of.OtherSeeds {
		v.Seeds++
		m := r.measuring(c)
		if err := m.play(ctx, c.proof(other.Seed, cfg.Trials, false)); err != nil {
			return err
		}
		v.Failures = append(v.Failures, m.failed...)
		v.compare(c.where(other.Seed), FloorName, other.Proof, m.proofs[0].Proof)
	}
	return nil
}

// roundsOfFirstInstance returns the number of rounds of the first instance of a cell, or 0.
func roundsOfFirstInstance(c *results.Cell) (rounds int) {
	for _, row := range c.Rows {
		later := func(t results.Trial) bool { return t.Instance != 0 }
		rounds = max(rounds, len(slices.DeleteFunc(slices.Clone(row.Cost), later)))
	}
	return rounds
}

func (v *Verified) compareRows(m *measuring, rows []results.Row) {
	v.Failures = append(v.Failures, m.failed...)
	for _, row := range rows {
		for _, replayed := range m.rows {
			if name := replayed.Structure; name == row.Structure || name == row.Of {
				v.compare(m.cell.where(m.cell.seed), row.Structure, row.Proof, replayed.Proof)
			}
		}
	}
	p := m.rows[0].Proof // of the floor
	v.Operations += int(p.Scheduled + p.Fired + p.Cancelled)
}

// verifyCalls repeats the proofs of an analysis of single calls and compares them.
func (v *Verified) verifyCalls(ctx context.Context, calls replay.Calls, entries []entry.Entry, proofs map[string]script.Proof) error {
	replayed, operations, failed, err := calls.Prove(ctx, entries)
	if err != nil {
		return err
	}
	v.Operations, v.Failures = operations, failed
	for i, e := range entries {
		v.compare(fmt.Sprintf("%s, seed %d", calls.Name(), calls.Seed), e.Name, proofs[e.Name], replayed[i])
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
