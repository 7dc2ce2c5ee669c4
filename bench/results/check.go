package results

import (
	"fmt"
	"math"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
)

// Check returns an error if r has a row without a proof, or figures that contradict each other
// because somebody edited them and sealed the file again. Read has already compared the digest with
// the content and the proofs within each cell.
//
//   - The run found no failure, and each row has a proof.
//   - All contenders of a round replay the same block, so they have the same counts.
//   - The time of a trial by kind is the sum of its kinds.
//   - The trials of a cell take no longer than the cell.
//   - No structure puts work off that is not measured.
//   - The two ways to time a structure are as far apart as for its neighbors.
func (r *Run) Check() error {
	if len(r.Failures) > 0 {
		return fmt.Errorf("not everything is proved: %w", r.Failures[0])
	}
	for _, c := range r.Cells {
		where := fmt.Sprintf("cell %s, n %d", c.Workload, c.N)
		for _, err := range []error{c.proved(), c.sameCounts(), c.sums(), c.fits(), c.alike(), c.paid()} {
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

func (c *Cell) sums() error {
	for _, row := range c.Rows {
		for _, t := range row.ByKind {
			sum := 0.0
			for _, k := range t.Kinds {
				sum += k.NS
			}
			if math.Abs(sum-t.NS) > 1e-6*t.NS+1 {
				return fmt.Errorf("%s, round %d: the kinds of operations add up to %.0f ns, but the trial took %.0f",
					row.Structure, t.Round, sum, t.NS)
			}
		}
	}
	return nil
}

func (c *Cell) fits() error {
	sum := 0.0
	for _, row := range c.Rows {
		for _, t := range row.Cost {
			sum += t.NS
		}
	}
	if c.Seconds > 0 && sum > 1e9*c.Seconds {
		return fmt.Errorf("its trials took %.1f s, but the whole cell took %.1f s", sum/1e9, c.Seconds)
	}
	return nil
}

// mostApart limits the ratio of two ways to time a structure, relative to the same ratio of the cell
// (chosen: it is at most 2 in real runs).
const mostApart = 4

// alike compares the two ways to time a block. Their ratio per operation must be similar for all
// structures of the cell.
func (c *Cell) alike() error {
	var ratios []float64
	var names []string
	for _, row := range c.Rows {
		whole, byKind := perOperation(row.Cost), perOperation(row.ByKind)
		if row.Role == RoleStructure && whole > 0 && byKind > 0 {
			ratios, names = append(ratios, whole/byKind), append(names, row.Structure)
		}
	}
	if len(ratios) < 3 {
		return nil
	}
	middle := stats.Median(ratios)
	for i, ratio := range ratios {
		if ratio > mostApart*middle || ratio < middle/mostApart {
			return fmt.Errorf("%s: its cost is %.2g times the time of its kinds of operations, but %.2g times for the others: "+
				"want a factor of at most %d between them", names[i], ratio, middle, mostApart)
		}
	}
	return nil
}

// enough is the number of trials of which at least one was not disturbed (chosen).
const enough = 4

// leastPerReading is the number of operations that a reading of the clock must cover for their time to count (chosen).
// With fewer operations little time is left after the cost of the clock is subtracted.
const leastPerReading = 4

// perOperation returns the least time of an operation, or 0 if there are too few trials.
func perOperation(trials []Trial) float64 {
	least, known := math.Inf(1), 0
	for _, t := range trials {
		readings := 0
		for _, k := range t.Kinds {
			readings += k.ClockReads
		}
		if n := t.Ops + t.Wakes; n > leastPerReading*readings && t.NS > 0 {
			least = min(least, t.NS/float64(n))
			known++
		}
	}
	if known < enough {
		return 0
	}
	return least
}
