package results

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/script"
)

// Check returns an error if r has a row without a proof or a claim that its own figures contradict.
// Read has already compared the digest with the content and the proofs within each cell. Nothing tells
// figures that somebody edited and sealed again.
//
//   - The run found no failure, and each row has a proof.
//   - All contenders of a round replay the same block, so they have the same counts.
//   - No structure puts work off that is not measured.
func (r *Run) Check() error {
	if len(r.Failures) > 0 {
		return fmt.Errorf("not everything is proved: %w", r.Failures[0])
	}
	for _, c := range r.Cells {
		where := fmt.Sprintf("cell %s, n %d", c.Workload, c.N)
		for _, err := range []error{c.proved(), c.sameCounts(), c.paid()} {
			if err != nil {
				return fmt.Errorf("%s, %w", where, err)
			}
		}
	}
	return nil
}

// proved returns an error if a row has no proof, except one that joined after the proved block.
func (c *Cell) proved() error {
	for _, row := range c.Rows {
		if row.Proof == (script.Proof{}) && !row.JoinedLate() {
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
