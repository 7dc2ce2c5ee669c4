// Package compare compares two builds by their results, which come from two separate runs or from a [Session], or by the
// instructions that they execute ([Counts]). Each gives a [Table].
//
// A row of the table is a structure in a cell. Its ratio is the median of the ratios of common rounds, new by old, with the interval of
// package stats. The row is slower or faster if the whole interval lies beyond the least difference that counts: the least effect,
// or the farthest end of the interval of a control of the cell.
//
// # Two separate runs
//
// The machine may be slower during the second run, which the other contenders of a cell show. A ratio is therefore divided by the median
// ratio of the others, and its interval is at least as wide as that by which two runs of one build differ ([stats.Spread]). The ratio
// before the division must be a difference, too. A change of all structures looks like a change of the machine: [Table].Shift reports it.
//
// # Sessions
//
// In a [Session] runs of both builds take turns, so that a disturbance of the machine cancels out. The rounds of the ratio are the pairs
// of processes: each has a new placement in memory and a code layout of its own. Only the
// fastest quarter of the trials counts among those that repeat the same operations, because a
// disturbance never speeds a trial up. A slowdown that shows in few of these repetitions is not found.
//
// # Counts
//
// Times vary by half in a virtual machine that shares its processor. Counts of the same build vary by a few hundred-thousandths, on any
// machine of the same architecture. Counts are not times: an instruction may wait for memory, or execute in parallel with three others.
//
// The counts come from cachegrind, a tool of valgrind. A separate process replays the script of the workload on one
// structure: first a warm-up, and in a second run the warm-up and the same number of operations again. The
// difference, taken function by function, is the steady state. The counts include the code of the structure, of
// third-party containers below it, and of the runtime functions that it calls: copying, clearing, allocation, maps
// and write barriers. They exclude the replay, the goroutine scheduler and the garbage collector, which is off.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
)

// Verdict is the judgment on a ratio.
type Verdict string

// The verdicts.
const (
	Same    Verdict = "~"       // no difference, or none that is large and certain enough
	Slower  Verdict = "slower"  // the new results are worse
	Faster  Verdict = "faster"  // the new results are better
	More    Verdict = "more"    // instructions
	Fewer   Verdict = "fewer"   // instructions
	Unknown Verdict = "unknown" // too few rounds for an interval
)

// Table is the comparison of two builds.
type Table struct {
	Unit    string // of costs: ns, or instructions
	Rows    []Row
	Session bool     // the runs took turns
	Shift   float64  // median ratio of all contenders; 0: of counts
	Notes   []string // warnings: cells that one side lacks, different compilers and the like
}

// Row is one structure in one cell.
type Row struct {
	Workload  string
	N         int
	Structure string
	Op        string  // "lifecycle", "tick" and so on: the unit of work
	Old, New  float64 // cost of one Op, as a report of the results shows it
	Groups    string  // into which the rounds of a side fall, in words; empty: they do not

	Plain   float64        // new by old
	Ratio   stats.Estimate // Plain, for two separate runs divided by the median ratio of the others
	Least   float64        // smallest relative difference that counts in this cell
	Verdict Verdict

	role results.Role
	of   string // the structure; for a control, the structure of which it is an instance
}

// SameMachine returns an error if two results are of different machines: their ratios compare the machines.
func SameMachine(old, new *results.Run) error {
	if a, b := old.Environment, new.Environment; a.CPU != b.CPU || a.Cores != b.Cores {
		return fmt.Errorf("different machines: OLD on %s with %d processors, NEW on %s with %d, so the ratios would compare the machines: want results of one machine, or --machines", a.CPU, a.Cores, b.CPU, b.Cores)
	}
	return nil
}

// Runs compares two results. least is the smallest difference that counts, relative: 0.05 is 5 %. Runs returns an error if no structure
// has a cost in the same cell of both.
func Runs(old, new *results.Run, least float64) (*Table, error) {
	t := &Table{Unit: "ns", Session: old.Parameters.Session != "" && old.Parameters.Session == new.Parameters.Session}
	all := rowsOf(old, new, t.Session)
	for _, r := range all {
		if r.role == results.RoleStructure || r.role == results.RoleIntrusive { // others only show the state of the machine
			r.judge(all, t.Session, least)
			t.Rows = append(t.Rows, r)
		}
	}
	if len(t.Rows) == 0 {
		return nil, errors.New("nothing in common: no structure has a cost in the same cell of both results, by workload and n")
	}
	t.Shift = shift(all)
	t.Notes = notes(old, new, all, t)
	return t, nil
}

// rowsOf returns the contenders with a cost in common rounds of both results, in the order of the new results.
func rowsOf(old, new *results.Run, session bool) (list []Row) {
	for i := range new.Cells {
		cell := &new.Cells[i]
		was := old.Cell(cell.Workload, cell.N)
		if was == nil || was.Definition != cell.Definition || was.Unit != cell.Unit {
			continue // other operations
		}
		before, after := stats.CostsOf(old, was), stats.CostsOf(new, cell)
		least := max(noise(before), noise(after))
		for _, row := range after.Rows {
			of := before.Row(row.Structure)
			if of == nil || of.Role != row.Role {
				continue
			}
			a, b := before.Samples(of), after.Samples(row)
			if session {
				a, b = condense(a, b, new.Parameters.Repeat), condense(b, a, new.Parameters.Repeat)
			}
			if ratio := stats.Ratio(b, a); ratio.OK() {
				oldCost, newCost := before.Cost(of), after.Cost(row)
				list = append(list, Row{
					Workload: cell.Workload, N: cell.N, Structure: row.Structure, Op: string(cell.Unit), Old: oldCost.Center, New: newCost.Center,
					Groups: show.Joined("; ", oldCost.TwoGroups("old: "), newCost.TwoGroups("new: ")), Plain: ratio.Center, Ratio: ratio, Least: least,
					role: row.Role, of: cmp.Or(row.Of, row.Structure),
				})
			}
		}
	}
	return list
}

// noise returns the largest relative difference that the controls of a cell may have: their ratios are 1.
func noise(c *stats.Costs) (most float64) {
	for _, row := range c.Controls {
		if e := c.Control(row); e.OK() && e.Lo > 0 {
			most = max(most, e.Hi-1, 1/e.Lo-1)
		}
	}
	return most
}

// judge sets the ratio and the verdict of the row.
func (r *Row) judge(all []Row, session bool, effect float64) {
	if !session {
		r.Ratio = r.Ratio.Times(1 / r.machine(all)).Widened(stats.SpreadOf(r.N).Ratio)
	}
	r.Least = max(r.Least, effect)
	switch least := 1 + r.Least; {
	case !r.Ratio.Bounded():
		r.Verdict = Unknown
	case min(r.Plain, r.Ratio.Lo) > least:
		r.Verdict = Slower
	case max(r.Plain, r.Ratio.Hi) < 1/least:
		r.Verdict = Faster
	default:
		r.Verdict = Same
	}
}

// fewestOthers is the smallest number of other contenders that shows the state of the
// machine (chosen: the median of fewer depends on a single one).
const fewestOthers = 3

// machine returns the median ratio of the other contenders of the cell, or of all cells if the cell has too few. It is 1 if
// all cells together have too few.
func (r *Row) machine(all []Row) float64 {
	others := slices.DeleteFunc(slices.Clone(all), func(q Row) bool { return q.of == r.of })
	cell := slices.DeleteFunc(slices.Clone(others), func(q Row) bool { return q.Workload != r.Workload || q.N != r.N })
	switch {
	case len(cell) >= fewestOthers:
		return shift(cell)
	case len(others) >= fewestOthers:
		return shift(others)
	}
	return 1
}

// shift returns the median ratio of rows.
func shift(rows []Row) float64 {
	var ratios []float64
	for _, r := range rows {
		ratios = append(ratios, r.Plain)
	}
	return stats.MedianOf(ratios)
}

// condense returns one sample for each process: the geometric mean over its operations.
// Rounds with the same operations are repetitions; repeat is [results.Parameters].Repeat. Only the fastest quarter of the repetitions
// counts, because a disturbance slows a program down and never speeds it up. Only rounds that other has too count.
func condense(samples, other []stats.Sample, repeat int) (out []stats.Sample) {
	common := stats.ByRound(other)
	times := make(map[int]map[int][]float64) // logarithms of the repetitions, by process and operations
	for _, s := range samples {
		if s.Value <= 0 || common[s.Round] <= 0 {
			continue
		}
		operations := s.Round
		if repeat > 0 {
			operations %= repeat
		}
		if times[s.Instance] == nil {
			times[s.Instance] = make(map[int][]float64)
			out = append(out, stats.Sample{Round: s.Instance})
		}
		times[s.Instance][operations] = append(times[s.Instance][operations], math.Log(s.Value))
	}
	for i := range out {
		var means []float64
		for _, repetitions := range times[out[i].Round] {
			slices.Sort(repetitions)
			means = append(means, mean(repetitions[:(len(repetitions)+3)/4]))
		}
		slices.Sort(means) // a sum of floats depends on the order
		out[i].Value = math.Exp(mean(means))
	}
	return out
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
