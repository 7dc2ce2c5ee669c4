package results

import (
	"fmt"
	"math"

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
		for _, err := range []error{c.proved(), c.sameCounts()} {
			if err != nil {
				return fmt.Errorf("%s, %w", where, err)
			}
		}
	}
	return nil
}

// proved returns an error if a row has no proof.
func (c *Cell) proved() error {
	for _, row := range c.Rows {
		if row.Proof == (script.Proof{}) {
			return fmt.Errorf("%s has no proof", row.Structure)
		}
	}
	return nil
}

// Counted has the counts of a trial, which the script determines.
type Counted struct {
	Ops, Wakes int
	Units      float64
}

// Counted returns the counts of the trial.
func (t Trial) Counted() Counted { return Counted{t.Ops, t.Wakes, t.Units} }

// sameCounts compares the counts of the trials in a round.
func (c *Cell) sameCounts() error {
	type of struct {
		Counted
		structure string
	}
	rounds := make(map[int]of)
	for _, row := range c.Rows {
		for _, t := range row.Cost {
			was, ok := rounds[t.Round]
			switch {
			case !ok:
				rounds[t.Round] = of{t.Counted(), row.Structure}
			case was.Counted != t.Counted():
				return fmt.Errorf("round %d: %s and %s replayed the same block, but %s has %+v and %s %+v",
					t.Round, was.structure, row.Structure, was.structure, was.Counted, row.Structure, t.Counted())
			}
		}
	}
	return nil
}

// Passed says how time passes in the timed regions of a cell: from the first timed block of a pass to its last one. The
// numbers are those of the script, summed over the passes. See [script.Passage].
type Passed struct {
	WarmUp int     `json:"warm_up"`       // operations of a pass before its timed region, after the fill
	Made   uint64  `json:"dead_made"`     // timers cancelled or moved, each of which leaves a dead entry
	Due    uint64  `json:"dead_due"`      // dead entries whose old deadline lies in the regions
	Fired  uint64  `json:"fired"`         // timers
	Delays float64 `json:"median_delays"` // how far the clock goes, in median delays
}

// Share returns Due / Made, or 1 if nothing was cancelled or moved.
func (p Passed) Share() float64 { return script.Passage{Made: p.Made, Due: p.Due}.Share() }

// Unsteady returns a warning about the figures of the cell if it is known that they are not of a steady state: fewer old
// deadlines of cancelled and moved timers pass than are made, so deferred work is not paid. Otherwise it is empty.
func (c *Cell) Unsteady() string {
	if c.Passed == nil || c.Passed.Share() >= script.Steady {
		return ""
	}
	return fmt.Sprintf("not in a steady state: %.0f %% come due", math.Floor(100*c.Passed.Share()))
}
