package bench

import (
	"cmp"
	"context"
	"fmt"
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
				s.Rounds = append(s.Rounds, s.cell.proof(cfg.Seed+seed, p.cfg.Trials)...)
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
		v, _, err := r.prove(ctx, s)
		if err != nil {
			return err
		}
		done(v)
	}
	return nil
}

// prove makes the rounds of a step, or proves its single calls. It also returns the proofs by the names of the contenders.
func (r *runner) prove(ctx context.Context, s Step) (v Verified, proofs map[string]script.Proof, err error) {
	v, proofs = Verified{Structures: len(s.entries), Seeds: max(1, r.plan.seeds)}, make(map[string]script.Proof)
	v.Workload, v.N = s.Of()
	if s.cell != nil {
		m := r.measuring(s.cell)
		err = m.play(ctx, s.Rounds)
		v.Structures, v.Operations, v.Failures = len(s.cell.entries), m.operations, m.failed
		for _, c := range m.rows {
			proofs[c.Structure] = c.Proof
		}
		return v, proofs, err
	}
	calls := s.analysis.(replay.Calls)
	for range v.Seeds {
		list, operations, failed, err := calls.Prove(ctx, s.entries)
		if err != nil {
			return v, nil, err
		}
		v.Operations, v.Failures = v.Operations+operations, append(v.Failures, failed...)
		for i, e := range s.entries {
			proofs[e.Name] = list[i]
		}
		calls.Seed++
	}
	return v, proofs, nil
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
		name, n := s.Of()
		var of results.Cell
		if s.cell == nil {
			for _, c := range r.Calls {
				if c.Workload == name && c.N == n {
					of.Rows = append(of.Rows, results.Row{Structure: c.Structure, Proof: c.Proof})
				}
			}
		} else if c := r.Cell(name, n); c != nil {
			of = *c
		}
		if of.Definition != 0 && of.Definition != s.cell.workload.Version() {
			done(Verified{Workload: name, N: n, Redefined: true})
			continue
		}
		s.entries = slices.DeleteFunc(slices.Clone(cfg.Structures), func(e entry.Entry) bool { return of.Row(e.Name) == nil })
		if len(s.entries) == 0 {
			continue
		}
		if s.cell != nil {
			s.cell.entries = s.entries
			s.Rounds = s.cell.proved(plan.cfg, of)
		}
		v, proofs, err := run.prove(ctx, s)
		if err != nil {
			return err
		}
		for _, row := range of.Rows {
			if proof, ok := proofs[cmp.Or(row.Of, row.Structure)]; ok && proof != row.Proof {
				v.Failures = append(v.Failures, results.Failure{Structure: row.Structure, Where: fmt.Sprintf("%s, seed %d", s.Name, cfg.Seed),
					Reason: fmt.Sprintf("the results have the proof %+v, its replay has %+v", row.Proof, proof)})
			}
		}
		done(v)
	}
	return nil
}

// proved returns the rounds of the instances whose proofs a cell of results has.
func (c *Cell) proved(cfg Config, of results.Cell) []Round {
	if of.Race != nil && cfg.Rounds == 0 {
		cfg.Budget.Limit = 1 // any
	}
	perPass := 0 // the rounds of the first instance
	for _, row := range of.Rows {
		later := func(t results.Trial) bool { return t.Instance != 0 }
		perPass = max(perPass, len(slices.DeleteFunc(slices.Clone(row.Cost), later)))
	}
	c.design(cfg, perPass)
	c.control = false
	c.contenders = c.names()
	rounds := c.pass(max(1, of.Common) - 1)
	for i := range rounds {
		r := &rounds[i]
		r.Drops = false // everybody is proved
		if r.Proved = of.Race == nil && i+1 == len(rounds) || of.Race != nil && r.Number+1 == of.Race.Proved; r.Proved {
			return rounds[:i+1]
		}
	}
	return rounds
}
