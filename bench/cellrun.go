package bench

import (
	"context"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/parallel"
	"github.com/timerbench/timerbench/structures/entry"
)

// cellRun is the state of a cell during a run. It holds no structure between two passes. A
// contender that fails is removed from rows, and failed gets the failure.
type cellRun struct {
	cell    cell
	rig     *rig
	rows    []*contender
	leftOut []string // structures and programs, see leaveOut
	failed  []results.Failure
	stored  int          // failures that are in the results
	order   *script.Rand // shuffles the contenders
	proofs  []results.SeedProof

	passes  int                // so far
	rounds  int                // so far
	last    time.Duration      // of the last pass
	seconds float64            // of all passes
	parts   map[string]float64 // seconds of all passes by part, see took

	timedBlocks int
	residents   float64        // sum of the mean resident timers of the timed blocks
	passed      results.Passed // of the timed regions of all passes
}

func (g *rig) newCellRun(c cell, entries []entry.Entry, leftOut []string) *cellRun {
	return &cellRun{
		cell: c, rig: g, leftOut: leftOut, parts: make(map[string]float64),
		rows:  c.contenders(entries, g.programsFor(c, leftOut)),
		order: script.NewRand(c.seed, ^workload.StreamOf(c.workload.Name, c.n)),
	}
}

func (m *cellRun) took(part string, start time.Time) { m.parts[part] += time.Since(start).Seconds() }

func (g *rig) measure(ctx context.Context, c cell, entries []entry.Entry, leftOut []string) (*cellRun, error) {
	m := g.newCellRun(c, entries, leftOut)
	if c.control {
		m.rows = append(m.rows, controlOf(c.repeated(entries)))
	}
	if err := m.runCommonPasses(ctx); err != nil {
		return nil, err
	}
	return m, m.proveOtherSeeds(ctx, entries)
}

// runCommonPasses runs the passes of each contender, of one after the other if they need too much memory together. The first
// pass checks every answer of its first block.
func (m *cellRun) runCommonPasses(ctx context.Context) error {
	together := len(m.rows)
	if m.cell.apart {
		together = 1
	}
	for in := range slices.Chunk(slices.Clone(m.rows), together) {
		for m.passes, m.rounds = 0, 0; m.rounds < m.cell.until; {
			if err := m.pass(ctx, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// pass measures contenders on fresh instances, if they are in the race.
func (m *cellRun) pass(ctx context.Context, in []*contender) error {
	started := time.Now()
	for _, r := range in {
		if m.passes == 0 && m.cell.samples(0) {
			r.samples = replay.NewLatencies()
		}
	}
	p, err := m.begin(ctx, m.passes, m.racing(in))
	if err != nil {
		return err
	}
	defer p.end()
	if err := p.firstBlock(ctx); err != nil {
		return err
	}
	aged := time.Now()
	for i, r := range p.rounds {
		if err := p.round(ctx, r); err != nil {
			return err
		}
		if i == 0 { // the warm-up is over, and further rounds cost little
			aged = time.Now()
		}
		if m.rounds++; m.cell.stops == 0 || m.rounds < m.cell.stops {
			continue
		}
		if m.rounds == m.cell.stops {
			p.takeProofs()
		}
		dropBehind(p.in)
		if err := p.removeStopped(ctx); err != nil {
			return err
		}
		if m.rig.budget.late(aged) {
			break
		}
	}
	m.addRegion(p)
	if err := p.finish(ctx); err != nil {
		return err
	}
	if m.passes++; m.cell.stops == 0 && m.passes == m.cell.common {
		p.takeProofs()
	}
	for _, r := range m.rows {
		if r.samples == nil {
			continue
		}
		r.samples.EndInstance()
		r.Latency = r.samples.Summary()
		if !m.cell.samples(m.passes) || m.passes >= m.cell.common && !slices.Contains(always, r.Structure) {
			r.samples = nil // takes 1.4 MB
		}
	}
	m.last = time.Since(started)
	m.seconds += m.last.Seconds()
	return nil
}

// addRegion adds what has passed in the timed region of a pass.
func (m *cellRun) addRegion(p *pass) {
	region, t := p.at.passed.Since(p.began.passed), &m.passed
	t.WarmUp = max(t.WarmUp, p.began.operations)
	t.Made, t.Due = t.Made+region.Made, t.Due+region.Due
	t.Fired += p.at.fired - p.began.fired
	if median := p.source.MedianDelay(); median > 0 {
		t.Delays += float64(p.at.ticks-p.began.ticks) / float64(median)
	}
}

// passWithGC adds the trials with the garbage collector on, on fresh instances.
func (m *cellRun) passWithGC(ctx context.Context) error {
	started := time.Now()
	rows := slices.DeleteFunc(m.racing(m.rows), func(r *contender) bool { return r.program })
	p, err := m.begin(ctx, 0, rows)
	if err != nil {
		return err
	}
	defer p.end()
	if err := p.replayNext(ctx, p.plan.prove); err != nil {
		return err
	}
	defer collectAllTheTime(m.cell.n)()
	for _, r := range m.cell.roundsWithGC() {
		if err := p.round(ctx, r); err != nil {
			return err
		}
	}
	if err := p.finish(ctx); err != nil {
		return err
	}
	m.seconds += time.Since(started).Seconds()
	return nil
}

func (m *cellRun) proveOtherSeeds(ctx context.Context, entries []entry.Entry) error {
	c := m.cell
	for range c.otherSeeds {
		c.seed++
		other := m.rig.newCellRun(c, entries, m.leftOut)
		proof, err := other.prove(ctx)
		if err != nil {
			return err
		}
		m.fail(other.failed...)
		m.proofs = append(m.proofs, proof)
	}
	return nil
}

// untimed begins a pass and replays one block for each round of the cell without timing it. With
// every, it first checks every answer of one more block.
func (m *cellRun) untimed(ctx context.Context, every bool) (*pass, error) {
	p, err := m.begin(ctx, 0, m.rows)
	if err != nil {
		return nil, err
	}
	if every {
		err = p.firstBlock(ctx)
	}
	for i := 0; i < m.cell.trials && err == nil; i++ {
		err = p.replayNext(ctx, p.plan.block)
	}
	if err != nil {
		p.end()
	}
	return p, err
}

// prove replays the cell without timing it. All contenders must agree with the generator.
func (m *cellRun) prove(ctx context.Context) (proof results.SeedProof, err error) {
	p, err := m.untimed(ctx, false)
	if err != nil {
		return proof, err
	}
	defer p.end()
	floor := p.in[0].player.Proof()
	proof = results.SeedProof{Seed: m.cell.seed, Proof: floor, Rows: len(p.in)}
	for _, r := range p.in {
		if r.player.Proof() == floor {
			proof.Agree++
		}
	}
	return proof, nil
}

// racing returns the contenders of a list that take part in the next pass, in random order.
func (m *cellRun) racing(list []*contender) []*contender {
	return parallel.Shuffled(m.order, slices.DeleteFunc(slices.Clone(list), func(r *contender) bool {
		return r.Stopped != results.StoppedDone || !slices.Contains(m.rows, r)
	}))
}

// fail adds failures and removes the structures that failed, with their controls. A structure that
// fails in any pass or on any seed has no row.
func (m *cellRun) fail(failed ...results.Failure) {
	m.failed = append(m.failed, failed...)
	m.rows = slices.DeleteFunc(m.rows, func(r *contender) bool {
		return slices.ContainsFunc(failed, func(f results.Failure) bool {
			return f.Structure == r.Structure || f.Structure == r.Of
		})
	})
}

// store puts the cell into the results, and adds the failures since the last call. It removes a cell
// in which no structure is left.
func (m *cellRun) store(out *results.Run) {
	out.Failures = append(out.Failures, m.failed[m.stored:]...)
	m.stored = len(m.failed)
	out.Cells = slices.DeleteFunc(out.Cells, func(old results.Cell) bool {
		return old.Workload == m.cell.workload.Name && old.N == m.cell.n
	})
	if slices.ContainsFunc(m.rows, func(r *contender) bool { return r.Role == results.RoleStructure }) {
		out.Cells = append(out.Cells, m.result())
	}
}

func (m *cellRun) result() results.Cell {
	c := m.cell
	out := results.Cell{
		Workload:   c.workload.Name,
		Definition: c.workload.Version(),
		Category:   string(c.workload.Category),
		N:          c.n,
		Resident:   m.residents / float64(m.timedBlocks),
		Unit:       c.workload.CostUnit(),
		TickNS:     int64(c.workload.Tick),
		Seconds:    m.seconds,
		Parts:      m.parts,
		Passed:     &m.passed,
		Apart:      c.apart,
		LeftOut:    m.leftOut,
		OtherSeeds: m.proofs,
		Common:     c.common,
		Rows:       rowsOf(m.rows),
	}
	if c.leaves == allButFew && len(m.leftOut) > 0 {
		out.LeftOutFor = results.LeftOutFew
	}
	if c.stops > 0 {
		out.Race = &results.Race{Rounds: m.rounds, Proved: c.stops}
	}
	if g := c.workload.Grid; g != nil {
		out.Grid = &results.Grid{Delays: g.Delays, CancelPercent: g.CancelPercent}
	}
	proof := m.rows[0].Proof // of the floor
	if done := proof.Cancelled + proof.Fired; done > 0 {
		out.CancelRate = float64(proof.Cancelled) / float64(done)
	}
	return out
}
