package results

import (
	"fmt"
	"slices"
)

// MergeLayouts puts runs of one configuration together that were made by builds with
// different code layouts. The trials of a contender follow one another; their instances
// and rounds are renumbered, so that both are unique in the cell. What does not depend on
// the layout (memory, idle wake-ups, distributions of single calls) is that of the first
// run. A structure that has no row in one of the layouts has none.
func MergeLayouts(runs []Named) (*Run, error) {
	if len(runs) == 0 {
		return nil, fmt.Errorf("no layouts")
	}
	out := *runs[0].Run
	out.Cells = slices.Clone(out.Cells)
	for i := range out.Cells {
		out.Cells[i].Rows = slices.Clone(out.Cells[i].Rows)
	}
	for _, r := range runs[1:] {
		if d := Difference(out.Parameters, r.Parameters); d != "" {
			return nil, fmt.Errorf("%s and %s are not of one run: %s", runs[0].Name, r.Name, d)
		}
		if d := Difference(out.Environment, r.Environment, NotOfMachine...); d != "" {
			return nil, fmt.Errorf("%s and %s are not of one machine and build: %s", runs[0].Name, r.Name, d)
		}
		out.Seconds += r.Seconds
		out.Complete = out.Complete && r.Complete
		for _, f := range r.Failures {
			if !slices.Contains(out.Failures, f) {
				out.Failures = append(out.Failures, f)
			}
		}
		for i := range out.Cells {
			c := &out.Cells[i]
			if j := slices.IndexFunc(r.Cells, func(other Cell) bool { return other.Workload == c.Workload && other.N == c.N }); j >= 0 {
				c.addLayout(r.Cells[j])
			}
		}
	}
	return &out, nil
}

// addLayout appends the trials of a cell that was measured with another layout.
func (c *Cell) addLayout(other Cell) {
	instances, rounds := c.counts()
	move := func(trials []Trial) []Trial {
		trials = slices.Clone(trials)
		for i := range trials {
			trials[i].Instance += instances
			trials[i].Round += rounds
		}
		return trials
	}
	for _, row := range other.Rows {
		i := slices.IndexFunc(c.Rows, func(old Row) bool { return old.Structure == row.Structure })
		if i < 0 {
			if row.Role != RoleControl { // the layouts may choose different ones
				continue
			}
			i = len(c.Rows)
			c.Rows = append(c.Rows, Row{Structure: row.Structure, Role: row.Role, Of: row.Of, Coarse: row.Coarse, Proof: row.Proof, Latency: row.Latency})
		}
		old := &c.Rows[i]
		if len(old.Cost) > 0 && old.Stopped == StoppedBeaten || len(old.Cost) == 0 {
			old.Stopped = row.Stopped // beaten only if in all layouts
		}
		old.Cost = append(slices.Clip(old.Cost), move(row.Cost)...)
		old.ByKind = append(slices.Clip(old.ByKind), move(row.ByKind)...)
		old.WithGC = append(slices.Clip(old.WithGC), move(row.WithGC)...)
	}
	c.Rows = slices.DeleteFunc(c.Rows, func(row Row) bool {
		return row.Role != RoleControl && !slices.ContainsFunc(other.Rows, func(r Row) bool { return r.Structure == row.Structure })
	})
	c.Seconds += other.Seconds
}

// counts returns one more than the largest instance and round of the trials.
func (c *Cell) counts() (instances, rounds int) {
	for _, row := range c.Rows {
		for _, t := range row.Cost {
			instances, rounds = max(instances, t.Instance+1), max(rounds, t.Round+1)
		}
	}
	return instances, rounds
}
