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
func (m *measured) look() (open int) {
	var rows []*contender
	var costs [][]stats.Sample
	of := "" // what the control repeats
	for _, r := range m.rows {
		switch r.Role {
		case results.RoleStructure:
			rows = append(rows, r)
			costs = append(costs, results.Samples(r.Cost))
		case results.RoleControl:
			of = r.Of
		}
	}
	decisions := stats.Race(costs, stats.Options{})
	for i, r := range rows {
		switch {
		case r.Stopped != results.StoppedDone:
		case decisions[i] == stats.Continue:
			open++
		case decisions[i] == stats.Beaten && r.Structure != of && r.Structure != m.cell.reference:
			r.Stopped = results.StoppedBeaten
		}
	}
	switch {
	case open == 0:
		m.close(results.StoppedSettled)
	case m.hasAllPasses():
		open = 0
	}
	return open
}

// close ends the race of a cell. The structures that are still in it get the reason.
func (m *measured) close(reason results.Stopped) {
	for _, r := range m.rows {
		if r.Stopped == results.StoppedDone && r.Role == results.RoleStructure {
			r.Stopped = reason
		}
	}
}

// hasAllPasses reports whether the cell has all passes that there are.
func (m *measured) hasAllPasses() bool { return m.passes >= maxPasses*m.cell.passes() }

// race is the part of a run that adds rounds where the question is open. Its methods
// accept nil, which is a run without racing.
type race struct {
	cells []*measured // that are not settled
}

// over reports whether no cell is open.
func (r *race) over() bool { return r == nil || len(r.cells) == 0 }

// enter adds a cell that has the rounds that everybody gets, unless it is settled.
func (r *race) enter(m *measured) {
	if r == nil {
		return
	}
	if m.open = m.look(); m.open > 0 {
		r.cells = append(r.cells, m)
	}
}

// phaseTime and headlineTime are what a cell may have in a phase of the race, for more than
// one pass (chosen). A pass among few timers takes a tenth of phaseTime, and one among a
// million several times as much: in equal numbers, the few would get a small share of the
// budget. The cells of the first table of the report get more, and come first.
const (
	phaseTime    = 500 * time.Millisecond
	headlineTime = 4 * phaseTime
)

func (c cell) phaseTime() time.Duration {
	if c.headline {
		return headlineTime
	}
	return phaseTime
}

// run gives the open cells more passes, as many in a phase as fit into [phaseTime], but at
// least one, until all are settled or there is no time for another pass. The cells of the
// report's first table come first, then those with the most open contenders. It calls begins
// before each pass, and save after those of a cell, with the cell in out.
func (r *race) run(ctx context.Context, deadline time.Time, out *results.Run,
	begins func(name string), save func() error,
) error {
	for fitted := true; fitted; {
		fitted = false
		slices.SortStableFunc(r.cells, func(a, b *measured) int {
			return cmp.Or(cmp.Compare(b.cell.phaseTime(), a.cell.phaseTime()), cmp.Compare(b.open, a.open))
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
		r.cells = slices.DeleteFunc(r.cells, func(c *measured) bool { return c.open == 0 })
	}
	for _, c := range r.cells {
		c.close(results.StoppedBudget)
		c.store(out)
	}
	return nil
}

// phase runs the passes of the cell in a phase. It reports whether there was time for any.
func (m *measured) phase(ctx context.Context, deadline time.Time, begins func(name string)) (ran bool, err error) {
	for end := time.Now().Add(m.cell.phaseTime()); time.Until(deadline) >= m.took; {
		begins(fmt.Sprintf("%s, round %d of %d structures", m.cell.name(), m.rounds, len(m.racing())))
		if err := m.pass(ctx); err != nil {
			return ran, err
		}
		ran = true
		if m.hasAllPasses() || time.Until(end) < m.took {
			break
		}
	}
	return ran, nil
}
