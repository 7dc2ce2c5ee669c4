// Package compare compares the results of two builds, or of two runs of one build.
//
// Each structure in each cell has a ratio: its new cost divided by its old cost, round by
// round. A ratio is called a difference if all of these hold:
//
//   - It is significant: its p value, adjusted with Holm's method for the number of
//     ratios, is at most [Options].Alpha.
//   - It is large: it exceeds [Options].MinEffect. For two separate runs it also exceeds
//     the noise floor of the cell, which comes from the A/A controls of both runs, and that of the
//     structure, which comes from kept pairs of runs ([Repeats]).
//   - For two separate runs, the other contenders of the cell do not share it, see below.
//
// # Two separate runs
//
// The machine may be slower during the second run, which the other contenders of a cell show. A difference must
// therefore show twice, with the same sign: in the ratio itself, and in the ratio divided by the median ratio of the others.
// By as much as the ratios of the others scatter beyond their own errors, the variance of each ratio grows. A change of all
// structures looks like a change of the machine: [Comparison].Shift reports it.
//
// # Sessions
//
// In a [Session] runs of both builds take turns, so that a disturbance of the machine cancels out and ratios need no
// adjustment. Each pair of runs is a unit of variation: each build gets a new process, a new placement in memory and a code
// layout. The pairs show what an A/A control would show, so a session has no control and no noise floor. Only the
// fastest quarter of the trials counts among those in which a process repeats the same operations, because a
// disturbance never speeds a trial up. A slowdown that shows in few of these repetitions is not found.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// Options set the thresholds for calling a ratio a difference.
type Options struct {
	Alpha     float64 // family-wise error rate, above 0 and below 1
	MinEffect float64 // smallest difference that counts, relative: 0.05 is 5 %
	Machines  bool    // compare even results of different machines
}

// Check returns an error if Alpha or MinEffect is out of range.
func (o Options) Check() error {
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return fmt.Errorf("--alpha %v: want a number above 0 and below 1", o.Alpha)
	}
	if !(o.MinEffect >= 0 && o.MinEffect < math.Inf(1)) {
		return fmt.Errorf("--min-effect %v: want a share of at least 0", o.MinEffect)
	}
	return nil
}

// Verdict is the judgment on a ratio.
type Verdict string

// The verdicts.
const (
	Same    Verdict = "~"       // no difference, or none that is large and certain enough
	Slower  Verdict = "slower"  // the new results are worse
	Faster  Verdict = "faster"  // the new results are better
	Unknown Verdict = "unknown" // too few rounds for an interval
)

// Comparison is the comparison of two results.
type Comparison struct {
	Rows    []Compared
	Session bool     // the runs took turns
	Shift   float64  // median ratio of all rows
	Notes   []string // warnings: cells that one side lacks, different compilers and the like
}

// Compared is one structure in one cell.
type Compared struct {
	Workload  string
	N         int
	Structure string
	Op        string  // "lifecycle", "tick" and so on: the unit of the cost
	Old       float64 // cost in ns, as a report of the old results shows it; the new cost is Old times Ratio.Center

	Ratio    Ratio   // new / old
	Adjusted Ratio   // Ratio divided by the median ratio of the cell's others; in a session equal to Ratio
	P        float64 // adjusted with Holm's method; NaN: unknown
	Least    float64 // smallest relative difference that counts in this cell
	Verdict  Verdict
}

// Runs compares two results. It returns an error if no structure has a cost in the same cell
// of both, or if their machines differ and o.Machines is not set.
func Runs(old, new *results.Run, o Options) (*Comparison, error) {
	if a, b := old.Environment, new.Environment; !o.Machines && (a.CPU != b.CPU || a.Cores != b.Cores) {
		return nil, fmt.Errorf("different machines: OLD on %s with %d processors, NEW on %s with %d, so the ratios would compare the machines: want results of one machine, or --machines", a.CPU, a.Cores, b.CPU, b.Cores)
	}
	c := &Comparison{Session: old.Parameters.Session != "" && old.Parameters.Session == new.Parameters.Session}
	found := pairsOf(old, new, c.Session)
	if len(found) == 0 {
		return nil, errNothing(old, new)
	}
	judge(found, c.Session, o, kept)
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
		return fmt.Sprintf("%s, the first is %s, n %d, with %s", show.Count(len(r.Cells), "cell"), c.Workload, c.N, strings.Join(c.Structures(), " "))
	}
	return errors.New("nothing in common: no structure has a cost in the same cell of both results (OLD: " + side(old) + "; NEW: " + side(new) + ")")
}

// pair is a contender of a cell in both results.
type pair struct {
	row      Compared
	cell     int // index of the cell in the new results
	role     results.Role
	of       string // the structure; for a control, the structure of which it is an instance
	old, new []stats.Sample
	floor    float64 // noise floor of the cell as a log ratio, the larger one of both sides
	measured Ratio   // without the variation between runs
}

// judged reports whether the pair becomes a row of the comparison. Other pairs only show the state of the machine.
func (p *pair) judged() bool {
	return p.role == results.RoleStructure || p.role == results.RoleIntrusive
}

type cellKey struct {
	workload   string
	definition int
	n          int
	unit       script.Unit
}

func keyOf(c results.Cell) cellKey { return cellKey{c.Workload, c.Definition, c.N, c.Unit} }

// pairsOf pairs the rows that have a cost in both results, in the order of the new results.
// For a session it condenses their samples.
func pairsOf(old, new *results.Run, session bool) []*pair {
	oldCells := make(map[cellKey]*results.Cell)
	for i := range old.Cells {
		oldCells[keyOf(old.Cells[i])] = &old.Cells[i]
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
		pairs := pairsOfCell(stats.CostsOf(old, before), &c, i, floors[keyOf(c)])
		if session {
			for _, p := range pairs {
				p.old, p.new = inSession(p.old, p.new, new.Parameters.Repeat)
			}
		}
		out = append(out, pairs...)
	}
	return out
}

func pairsOfCell(old *stats.Costs, new *results.Cell, cell int, floor float64) []*pair {
	var out []*pair
	for _, row := range new.Rows {
		before := old.Row(row.Structure)
		if before == nil || before.Role != row.Role {
			continue
		}
		p := &pair{
			cell: cell, role: row.Role, of: cmp.Or(row.Of, row.Structure), floor: floor,
			old: old.Samples(before), new: stats.Samples(row.Cost),
		}
		if inCommon(p.old, p.new) == 0 {
			continue
		}
		p.row = Compared{
			Workload: new.Workload, N: new.N, Structure: row.Structure, Op: string(new.Unit),
			Old: old.Cost(before).Center,
		}
		out = append(out, p)
	}
	return out
}
