package results

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/timerbench/timerbench/bench/script"
)

// Check returns an error if r has a row without a proof or a claim that its own figures contradict.
// Read has already compared the digest with the content and the proofs within each cell. Nothing tells
// figures that somebody edited and sealed again.
//
//   - The run found no failure, and each row has a proof.
//   - All contenders of a round replay the same block, so they have the same counts.
func (r *Run) Check() error {
	if len(r.Failures) > 0 {
		return fmt.Errorf("not everything is proved: %w", r.Failures[0])
	}
	for _, c := range r.Cells {
		where := fmt.Sprintf("cell %s, n %d", c.Workload, c.N)
		for _, row := range c.Rows {
			if row.Proof == (script.Proof{}) {
				return fmt.Errorf("%s, %s has no proof", where, row.Structure)
			}
		}
		if err := c.sameCounts(); err != nil {
			return fmt.Errorf("%s, %w", where, err)
		}
	}
	return nil
}

// sameCounts compares the counts of the trials in a round, which the script determines.
func (c *Cell) sameCounts() error {
	type counts struct {
		Ops, Wakes int
		Units      float64
	}
	type of struct {
		counts
		structure string
	}
	rounds := make(map[int]of)
	for _, row := range c.Rows {
		for _, t := range row.Cost {
			is := counts{t.Ops, t.Wakes, t.Units}
			was, ok := rounds[t.Round]
			switch {
			case !ok:
				rounds[t.Round] = of{is, row.Structure}
			case was.counts != is:
				return fmt.Errorf("round %d: %s and %s replayed the same block, but %s has %+v and %s %+v",
					t.Round, was.structure, row.Structure, was.structure, was.counts, row.Structure, is)
			}
		}
	}
	return nil
}

// Passed says how time passes in the timed regions of a cell: from the first timed block of a pass to its last one.
// The numbers of the script are summed over its passes.
type Passed struct {
	WarmUp int `json:"warm_up"` // operations of a pass before its timed region, after the fill
	script.Passage
	Fired  uint64  `json:"fired"`         // timers
	Delays float64 `json:"median_delays"` // how far the clock goes, in median delays
}

// Unsteady returns a warning about the figures of the cell if it is known that they are not of a steady state: fewer old
// deadlines of cancelled and moved timers pass than are made, so deferred work is not paid. Otherwise it is empty.
func (c *Cell) Unsteady() string {
	if c.Passed == nil || c.Passed.Share() >= script.Steady {
		return ""
	}
	return fmt.Sprintf("not in a steady state: %.0f %% come due", math.Floor(100*c.Passed.Share()))
}

// sameProofs returns an error if two exact rows have different proofs, because all rows replayed the same script.
func (c *Cell) sameProofs() error {
	var first *Row
	for i := range c.Rows {
		row := &c.Rows[i]
		switch {
		case row.Coarse:
		case first == nil:
			first = row
		case row.Proof != first.Proof:
			return fmt.Errorf("%s and %s replayed the same, but their proofs differ: %w",
				first.Structure, row.Structure, row.Proof.Check(first.Proof))
		}
	}
	return nil
}

// named reports whether a name is there and fits into a line.
func named(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) })
}

// Validate returns an error if r lacks a name or a proof without which a report could not show it. The digest tells that a
// figure was edited.
func (r *Run) Validate() error {
	for _, c := range r.Cells {
		where := fmt.Sprintf("cell %s, n %d", c.Workload, c.N)
		if !named(c.Workload) || c.N < 1 {
			return fmt.Errorf("cell %q, n %d: want a workload without control characters, and n of at least 1", c.Workload, c.N)
		}
		for _, row := range c.Rows {
			if !named(row.Structure) {
				return fmt.Errorf("%s: a row of the structure %q: want a name without control characters", where, row.Structure)
			}
			if !slices.Contains(roles, row.Role) {
				return fmt.Errorf("%s, %s: role is %q, want one of %q", where, row.Structure, row.Role, roles)
			}
			if err := row.Proof.Check(row.Proof); err != nil {
				return fmt.Errorf("%s, %s: the proof does not hold: %w", where, row.Structure, err)
			}
		}
		if err := c.sameProofs(); err != nil {
			return fmt.Errorf("%s, %w", where, err)
		}
	}
	for _, c := range r.Calls {
		if err := c.Proof.Check(c.Proof); err != nil {
			return fmt.Errorf("longest calls of %q on %q, n %d: the proof does not hold: %w", c.Structure, c.Workload, c.N, err)
		}
	}
	if r.Live == nil {
		return nil
	}
	seen := make(map[string]bool)
	for _, row := range r.Live.Rows {
		where := fmt.Sprintf("live, %s, %d resident", row.Name, row.Resident)
		switch {
		case row.Name == "" || row.Role == "" || row.Resident < 1:
			return fmt.Errorf("%s: want a name, a role and at least 1 resident timer", where)
		case seen[where]:
			return fmt.Errorf("%s: the row is there twice", where)
		}
		seen[where] = true
	}
	return nil
}
