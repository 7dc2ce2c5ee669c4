package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// maxPasses limits the passes of a cell to that many times those that every contender
// gets (chosen). An interval then is a third as wide as it was before the race.
const maxPasses = 10

// look decides from the rounds so far which contenders get more, and returns how many of
// the structures are in the race for a reason: 0 means that the cell is settled.
//
// The control, the structure that it repeats and the reference stay to the end, whatever
// their place: the noise is measured in every round, and other cells are compared by
// the reference.
func (c *cellRun) look() (open int) {
	var rows []*contender
	var costs [][]stats.Sample
	of := "" // what the control repeats
	for _, row := range c.rows {
		switch row.row.Role {
		case results.RoleStructure:
			rows = append(rows, row)
			costs = append(costs, results.Samples(row.row.Cost))
		case results.RoleControl:
			of = row.row.Of
		}
	}
	decisions := stats.Race(costs, stats.Options{})
	for i, row := range rows {
		switch {
		case row.row.Stopped != results.StoppedDone:
		case decisions[i] == stats.Continue:
			open++
		case decisions[i] == stats.Beaten && row.row.Structure != of && row.row.Structure != c.reference:
			row.row.Stopped = results.StoppedBeaten
		}
	}
	switch {
	case open == 0:
		c.close(results.StoppedSettled)
	case c.hasAllPasses():
		open = 0
	}
	return open
}

// close ends the race of a cell. The structures that are still in it get the reason.
func (c *cellRun) close(reason results.Stopped) {
	for _, row := range c.rows {
		if row.row.Stopped == results.StoppedDone && row.row.Role == results.RoleStructure {
			row.row.Stopped = reason
		}
	}
}

// race is the part of a run that adds rounds where the question is open. Its methods
// accept nil, which is a run without racing.
type race struct {
	cells []*openCell
}

// openCell is a cell that is not settled.
type openCell struct {
	*cellRun
	open     int // contenders that need more rounds
	reported int // of its failures, those that are in the results
}

// over reports whether no cell is open.
func (r *race) over() bool { return r == nil || len(r.cells) == 0 }

// enter adds a cell that has the rounds that everybody gets, unless it is settled.
func (r *race) enter(c *cellRun) {
	if r == nil {
		return
	}
	if open := c.look(); open > 0 {
		r.cells = append(r.cells, &openCell{cellRun: c, open: open})
	}
}

// phaseTime and headlineTime are what a cell may have in a phase of the race, for more than one
// pass (chosen). A pass among few timers takes a tenth of phaseTime, and one among a million
// several times as much: in equal numbers, the few would get a small share of the budget. The
// cells of the first table of the report get more, and come first.
const (
	phaseTime    = 500 * time.Millisecond
	headlineTime = 4 * phaseTime
)

// run gives the open cells more passes, as many in a phase as fit into [phaseTime], but at
// least one, those of the report's first table and then those with the most open contenders first, until all are settled or there is no
// time for another pass. It calls begins before each pass, and save after those of a cell,
// with the cell in out.
func (r *race) run(ctx context.Context, deadline time.Time, out *results.Run, begins func(name string), save func() error) error {
	for fitted := true; fitted; {
		fitted = false
		slices.SortStableFunc(r.cells, func(a, b *openCell) int {
			return cmp.Or(cmp.Compare(b.phaseTime(), a.phaseTime()), cmp.Compare(b.open, a.open))
		})
		for _, c := range slices.Clone(r.cells) {
			ran, err := c.phase(ctx, deadline, begins)
			if err != nil {
				return err
			}
			if !ran {
				continue
			}
			fitted = true
			c.open = c.look()
			c.store(out)
			if err := save(); err != nil {
				return err
			}
		}
		r.cells = slices.DeleteFunc(r.cells, func(c *openCell) bool { return c.open == 0 })
	}
	for _, c := range r.cells {
		c.close(results.StoppedBudget)
		c.store(out)
	}
	return nil
}

// phase runs the passes of the cell in a phase. It reports whether there was time for any.
func (c *openCell) phase(ctx context.Context, deadline time.Time, begins func(name string)) (ran bool, err error) {
	for end := time.Now().Add(c.phaseTime()); time.Until(deadline) >= c.took; {
		begins(fmt.Sprintf("%s, round %d of %d structures", c.name(), c.rounds, len(c.racing())))
		if err := c.runPass(ctx); err != nil {
			return ran, err
		}
		ran = true
		if c.hasAllPasses() || time.Until(end) < c.took {
			break
		}
	}
	return ran, nil
}

func (c *cellRun) phaseTime() time.Duration {
	if c.headline {
		return headlineTime
	}
	return phaseTime
}

// hasAllPasses reports whether the cell has all rounds that there are.
func (c *cellRun) hasAllPasses() bool { return c.done >= maxPasses*c.passes() }

// store replaces the cell in the results, and adds the failures since then.
func (c *openCell) store(out *results.Run) {
	out.Failures = append(out.Failures, c.failed[c.reported:]...)
	c.reported = len(c.failed)
	for i := range out.Cells {
		if old := &out.Cells[i]; old.Workload == c.workload.Name && old.N == c.n {
			seeds := old.OtherSeeds
			*old = c.result()
			old.OtherSeeds = seeds
		}
	}
}
