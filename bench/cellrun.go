package bench

import (
	"context"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/bench/workload"
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
	order   *script.Rand // shuffles the contenders
	proofs  []results.SeedProof

	passes  int           // so far
	rounds  int           // so far
	seconds float64       // of all passes
	took    time.Duration // the last pass

	timedBlocks int
	residents   float64 // sum of the mean resident timers of the timed blocks

	passed results.Passed     // of the timed regions of all passes
	parts  map[string]float64 // seconds of all passes by part
	stored int                // failures that are in the results
}

func (g *rig) newCellRun(c cell, entries []entry.Entry, leftOut []string) *cellRun {
	m := &cellRun{
		cell: c, rig: g, leftOut: leftOut, parts: make(map[string]float64),
		rows:  c.contenders(entries, g.programsFor(c, leftOut)),
		order: script.NewRand(c.seed, ^workload.StreamOf(c.workload.Name, c.n)),
	}
	if c.control && len(entries) > 0 {
		m.rows = append(m.rows, controlOf(c.repeated(entries)))
	}
	return m
}

func (g *rig) measure(ctx context.Context, c cell, entries []entry.Entry, leftOut []string) (*cellRun, error) {
	groups := [][]entry.Entry{entries}
	if c.apart {
		groups = slices.Collect(slices.Chunk(entries, 1))
	}
	var all *cellRun
	for _, group := range groups {
		m := g.newCellRun(c, group, leftOut)
		if err := m.runCommonPasses(ctx); err != nil {
			return nil, err
		}
		if all == nil {
			all = m
			continue
		}
		all.spent(m.parts, time.Duration(m.seconds*float64(time.Second)))
		all.failed = append(all.failed, m.failed...)
		for _, r := range m.rows {
			if !slices.ContainsFunc(all.rows, func(old *contender) bool { return old.Structure == r.Structure }) {
				all.rows = append(all.rows, r)
			}
		}
	}
	return all, all.proveOtherSeeds(ctx, entries)
}

// runCommonPasses runs the passes of each contender. The first pass checks every answer of its first
// block.
func (m *cellRun) runCommonPasses(ctx context.Context) error {
	for m.rounds < m.cell.until {
		if err := m.pass(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pass measures all contenders that are in the race on fresh instances.
func (m *cellRun) pass(ctx context.Context) error {
	started := time.Now()
	for _, r := range m.rows {
		if m.passes == 0 && m.cell.samples(0) {
			r.samples = replay.NewLatencies()
		}
	}
	p, err := m.rig.begin(ctx, m.cell, m.passes, m.racing(), m.order)
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
		m.dropBehind()
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
	m.timedBlocks += p.timedBlocks
	m.residents += p.residents
	m.fail(p.failed)
	m.took = m.spent(p.parts, time.Since(started))
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

func (m *cellRun) spent(parts map[string]float64, took time.Duration) time.Duration {
	for part, seconds := range parts {
		m.parts[part] += seconds
	}
	m.seconds += took.Seconds()
	return took
}

// passWithGC adds the trials with the garbage collector on, on fresh instances.
func (m *cellRun) passWithGC(ctx context.Context) error {
	started := time.Now()
	rows := slices.DeleteFunc(m.racing(), func(r *contender) bool { return r.program })
	p, err := m.rig.begin(ctx, m.cell, 0, rows, m.order)
	if err != nil {
		return err
	}
	defer p.end()
	if err := p.replayNext(ctx, p.plan.prove); err != nil {
		return err
	}
	defer newProgramHeap(m.cell.n).collectAllTheTime()()
	for _, r := range m.cell.roundsWithGC() {
		if err := p.round(ctx, r); err != nil {
			return err
		}
	}
	if err := p.finish(ctx); err != nil {
		return err
	}
	m.fail(p.failed)
	m.spent(p.parts, time.Since(started))
	return nil
}

func (m *cellRun) proveOtherSeeds(ctx context.Context, entries []entry.Entry) error {
	c := m.cell
	for range c.otherSeeds {
		c.seed++
		proof, failed, err := m.rig.proveSeed(ctx, c, c.contenders(entries, m.rig.programsFor(c, m.leftOut)))
		if err != nil {
			return err
		}
		m.fail(failed)
		m.proofs = append(m.proofs, proof)
	}
	return nil
}

// untimed begins a pass and replays one block for each round of the cell without timing it. With
// prove, it first checks every answer of one more block.
func (g *rig) untimed(ctx context.Context, c cell, rows []*contender, prove bool) (*pass, error) {
	p, err := g.begin(ctx, c, 0, rows, nil)
	if err != nil {
		return nil, err
	}
	if prove {
		err = p.firstBlock(ctx)
	}
	for i := 0; i < c.trials && err == nil; i++ {
		err = p.replayNext(ctx, p.plan.block)
	}
	if err != nil {
		p.end()
	}
	return p, err
}

// proveSeed replays the cell without timing it. All contenders must agree with the generator
// on the seed of c.
func (g *rig) proveSeed(ctx context.Context, c cell, rows []*contender) (
	proof results.SeedProof, failed []results.Failure, err error,
) {
	p, err := g.untimed(ctx, c, rows, false)
	if err != nil {
		return proof, nil, err
	}
	defer p.end()
	floor := p.rows[0].player.Proof()
	proof = results.SeedProof{Seed: c.seed, Proof: floor, Rows: len(p.rows)}
	for _, r := range p.rows {
		if r.player.Proof() == floor {
			proof.Agree++
		}
	}
	return proof, p.failed, nil
}

// racing returns the contenders of the next pass, in random order.
func (m *cellRun) racing() []*contender {
	in := slices.DeleteFunc(slices.Clone(m.rows), func(r *contender) bool {
		return r.Stopped != results.StoppedDone
	})
	return stats.Shuffled(m.order, in)
}

// fail adds failures and removes the structures that failed, with their controls. A structure that
// fails in any pass or on any seed has no row.
func (m *cellRun) fail(failed []results.Failure) {
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
		Rows:       m.results(),
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
