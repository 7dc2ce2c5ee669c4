package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// removeFailed removes a contender if err is not nil. It returns an error that is not a fault of a
// structure, which ends the run.
func (m *measuring) removeFailed(ctx context.Context, c *contender, err error) error {
	where := m.cell.where(m.now.Seed)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case c.ofHarness():
		return fmt.Errorf("%s: the harness fails its own proof on %s: %w", where, c.Structure, err)
	default:
		m.fail(results.Failure{
			Structure: c.Structure, Reason: err.Error(), Where: fmt.Sprintf("%s, block %d of instance %d", where, m.timedBlocks, m.now.Instance),
		})
	}
	return nil
}

// fail adds a failure and removes the structure that failed, with its control. A structure that
// fails in any round or on any seed has no row.
func (m *measuring) fail(f results.Failure) {
	m.failed = append(m.failed, f)
	m.rows = slices.DeleteFunc(m.rows, func(r *contender) bool { return f.Structure == r.Structure || f.Structure == r.Of })
}

// store puts the cell into the results, and adds the failures since the last call. It removes a cell
// in which no structure is left.
func (m *measuring) store(out *results.Run) {
	out.Failures = append(out.Failures, m.failed[m.stored:]...)
	m.stored = len(m.failed)
	out.Cells = slices.DeleteFunc(out.Cells, func(old results.Cell) bool {
		return old.Workload == m.cell.workload.Name && old.N == m.cell.n
	})
	if slices.ContainsFunc(m.rows, func(r *contender) bool { return r.Role == results.RoleStructure }) {
		out.Cells = append(out.Cells, m.result())
	}
}

func (m *measuring) result() results.Cell {
	c := m.cell
	out := results.Cell{
		Workload:   c.workload.Name,
		Definition: c.workload.Version(),
		Category:   string(c.workload.Category),
		Grid:       c.workload.Grid,
		N:          c.n,
		Resident:   m.residents / float64(m.timedBlocks),
		Unit:       c.workload.CostUnit(),
		TickNS:     int64(c.workload.Tick),
		Passed:     &m.passed,
		Apart:      c.apart,
		LeftOut:    m.leftOut,
		Common:     c.instances,
		Rows:       rowsOf(m.rows),
	}
	if c.leaves == allButFew && len(m.leftOut) > 0 {
		out.LeftOutFor = results.LeftOutFew
	}
	if c.stops > 0 {
		out.Common, out.Race = 1, &results.Race{Rounds: m.rounds(), Proved: c.stops}
	}
	proof := m.rows[0].Proof // of the floor
	if done := proof.Cancelled + proof.Fired; done > 0 {
		out.CancelRate = float64(proof.Cancelled) / float64(done)
	}
	return out
}
