// Package compare compares the results of two builds, or of two runs of one build.
//
// Each structure in each cell has a ratio: its cost in the new results divided by that
// in the old ones, round by round. A ratio is called a difference if all of this holds:
//
//   - It is significant: its p value, adjusted by Holm's method for the number of all
//     ratios, is at most [Options].Alpha.
//   - It is large: it is above [Options].MinEffect. Of two separate runs it is above the
//     noise floors of the cell too, which come from the A/A controls of both.
//   - It is more than what happened to the others, see below.
//
// # Two runs, one after the other
//
// The machine may be slower in the second run, all the time or for some cells. The
// other contenders of a cell show this: the floor, Go's timers and the other structures,
// of which most have not changed. So of two separate runs a difference must show twice,
// with the same sign: as the ratio itself, and as the ratio divided by the median ratio
// of the others. What the others differ among one another, beyond their own errors, is
// what varies between two runs of one program; it is added to the variance of each
// ratio. A change of all structures alike cannot be told from a change of the machine. It
// is reported, see [Comparison].Shift, and not called a difference.
//
// # Sessions
//
// In a session (see package ab) runs of both builds take turns, and what the machine does
// to both cancels out. Ratios are then taken as they are. Each pair of runs is a unit of
// variation: a process, its placement in memory and a code layout of either build, drawn
// anew. An A/A control would show nothing else, so a session has none and no noise floor.
//
// On a busy machine every second trial is disturbed: another program takes the processor
// or the caches. It gets slower, never faster. So of the trials of a process that repeat the
// same operations the fastest quarter counts. A loss that shows in few of the repetitions
// of the same operations, and not in others, is not found.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
)

// Options say when a ratio is called a difference.
type Options struct {
	Alpha     float64 // family-wise error rate, above 0 and below 1
	MinEffect float64 // smallest difference that counts, as a share: 0.05 is 5 %
}

// Check returns an error if a value is out of range.
func (o Options) Check() error {
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return fmt.Errorf("alpha is %v, want a number above 0 and below 1", o.Alpha)
	}
	if !(o.MinEffect >= 0 && o.MinEffect < math.Inf(1)) {
		return fmt.Errorf("the smallest effect is %v, want a share of at least 0", o.MinEffect)
	}
	return nil
}

// Verdict says what a ratio means.
type Verdict string

// The verdicts.
const (
	Same    Verdict = "~"       // no difference, or none that is large and certain enough
	Slower  Verdict = "slower"  // the new results are worse
	Faster  Verdict = "faster"  // the new results are better
	Unknown Verdict = "unknown" // too few rounds for an interval
)

// Comparison is what two results say of one another.
type Comparison struct {
	Rows    []Row
	Session bool     // the runs took turns
	Shift   float64  // median ratio of all rows: what happened to all alike
	Notes   []string // what the reader must know: what is missing on one side, other machines
}

// Row is one structure in one cell.
type Row struct {
	Workload  string
	N         int
	Structure string
	Op        string  // "lifecycle", "tick" and so on: the unit of the cost
	Old, New  float64 // medians in ns, as benchstat shows them

	Ratio   stats.Ratio // new / old
	Beside  stats.Ratio // Ratio divided by that of the others of the cell; in a session the same as Ratio
	P       float64     // adjusted by Holm's method; NaN: unknown
	Least   float64     // smallest effect that counts here, as a share
	Verdict Verdict
}

// Runs compares two results. The error says if they have nothing in common.
func Runs(old, new *results.Run, o Options) (*Comparison, error) {
	if old.Parameters.Lean != new.Parameters.Lean {
		return nil, errors.New("one of the two results was measured by lean loops (run --lean) and the other one was not: want two of a kind")
	}
	c := &Comparison{Session: old.Parameters.Session != "" && old.Parameters.Session == new.Parameters.Session}
	found := pairsOf(old, new, c.Session)
	if len(found) == 0 {
		return nil, errNothing(old, new)
	}
	judge(found, c.Session, o)
	for _, p := range found {
		if p.judged() {
			c.Rows = append(c.Rows, p.row)
		}
	}
	if len(c.Rows) == 0 {
		return nil, errNothing(old, new)
	}
	c.Shift = math.Exp(shift(found))
	c.Notes = notes(old, new, found, c)
	return c, nil
}

func errNothing(old, new *results.Run) error {
	side := func(r *results.Run) string {
		if len(r.Cells) == 0 {
			return "no cells"
		}
		c := r.Cells[0]
		return fmt.Sprintf("%d cells, the first is %s, n %d, with %s", len(r.Cells), c.Workload, c.N, strings.Join(c.Structures(), " "))
	}
	return errors.New("nothing in common: no structure has a cost in the same cell of both results (OLD: " + side(old) + "; NEW: " + side(new) + ")")
}

// pair is one contender of a cell in both results.
type pair struct {
	row      Row
	cell     int // counts the cells that both results have
	role     results.Role
	of       string // the structure: of a control the one that it is an instance of
	old, new []stats.Sample
	floor    float64     // log ratio, the larger one of both sides
	measured stats.Ratio // without what varies between runs
}

// judged reports whether the pair is a row of the comparison. The others show what
// happened to the machine.
func (p *pair) judged() bool { return p.role == results.RoleStructure }

// cellKey identifies what is measured in a cell.
type cellKey struct {
	workload string
	n        int
	unit     script.Unit
}

func keyOf(c results.Cell) cellKey { return cellKey{c.Workload, c.N, c.Unit} }

// pairsOf matches the rows of both results that have a cost, in the order of the new
// ones. In a session their samples are condensed.
func pairsOf(old, new *results.Run, session bool) []*pair {
	oldCells := make(map[cellKey]results.Cell)
	for _, c := range old.Cells {
		oldCells[keyOf(c)] = c
	}
	floors := make(map[cellKey]float64) // none in a session
	if !session {
		floors = noiseFloors(old, new)
	}
	var out []*pair
	for i, c := range new.Cells {
		before, ok := oldCells[keyOf(c)]
		if !ok {
			continue
		}
		pairs := pairsOfCell(before, c, i, floors[keyOf(c)])
		if session {
			for _, p := range pairs {
				p.old, p.new = inSession(p.old, p.new, new.Parameters.Repeat)
			}
		}
		out = append(out, pairs...)
	}
	return out
}

func pairsOfCell(old, new results.Cell, cell int, floor float64) []*pair {
	var out []*pair
	for _, row := range new.Rows {
		i := slices.IndexFunc(old.Rows, func(r results.Row) bool { return r.Structure == row.Structure && r.Role == row.Role })
		if i < 0 {
			continue
		}
		p := &pair{
			cell: cell, role: row.Role, of: cmp.Or(row.Of, row.Structure), floor: floor,
			old: results.Samples(old.Rows[i].Cost), new: results.Samples(row.Cost),
		}
		if inCommon(p.old, p.new) == 0 {
			continue
		}
		p.row = Row{
			Workload: new.Workload, N: new.N, Structure: row.Structure, Op: string(new.Unit),
			Old: median(p.old), New: median(p.new),
		}
		out = append(out, p)
	}
	return out
}
