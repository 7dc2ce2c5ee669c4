package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

func notes(old, new *results.Run, all []Row, t *Table) []string {
	var out []string
	note := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if a, b := old.Environment, new.Environment; a.Go != b.Go {
		note("different compilers: OLD by %s, NEW by %s", a.Go, b.Go)
	}
	if old.Parameters.Seed != new.Parameters.Seed {
		note("different operations: OLD with seed %d, NEW with seed %d", old.Parameters.Seed, new.Parameters.Seed)
	}
	for name, r := range map[string]*results.Run{"OLD": old, "NEW": new} {
		if !r.Complete {
			note("%s is not complete: the run was interrupted", name)
		}
		for _, f := range r.Failures {
			note("%s: %s", name, f.Error())
		}
	}
	for name, sides := range map[string][2]*results.Run{"OLD": {old, new}, "NEW": {new, old}} {
		if only := missing(sides[0], sides[1]); only != "" {
			note("only in %s: %s", name, only)
		}
	}
	slices.Sort(out)
	redefined := slices.DeleteFunc(slices.Clone(new.Cells), func(c results.Cell) bool {
		was := old.Cell(c.Workload, c.N)
		return was == nil || was.Definition == c.Definition
	})
	if n := len(redefined); n > 0 {
		note("%s not compared, because OLD and NEW measure other operations under one name (their definitions differ)", show.Count(n, "cell"))
	}
	if !t.Session && math.Abs(math.Log(t.Shift)) > shiftNoted {
		note("the median ratio is %.2f, by which the ratios are divided: two separate runs cannot tell a slower machine from a slower build; `timerbench ab` can", t.Shift)
	}
	for _, r := range all {
		if r.role == results.RoleFloor && t.Session && r.Ratio.Differs() && math.Abs(math.Log(r.Plain)) > math.Log1p(floorNoted) {
			note("%s, n %d: the floor (%s), which contains no structure, has the ratio %.2f: the harness of the two builds differs", r.Workload, r.N, r.Structure, r.Plain)
		}
	}
	if unknown := len(t.Of(Unknown)); unknown > 0 {
		note("%d of %d rows have too few rounds for an interval: run with more --trials", unknown, len(t.Rows))
	}
	return out
}

// The smallest changes that get a note (chosen).
const shiftNoted, floorNoted = 0.02, 0.10

// missing says how many rows of one result the other one lacks; "": none. Redefined cells have a note of their own.
func missing(of, in *results.Run) (text string) {
	rows := 0
	for i := range of.Cells {
		c := &of.Cells[i]
		there := in.Cell(c.Workload, c.N)
		if there != nil && there.Definition != c.Definition {
			continue
		}
		for _, name := range c.Structures() {
			if there == nil || !slices.Contains(there.Structures(), name) {
				if rows++; rows == 1 {
					text = fmt.Sprintf("%s on %s, n %d", name, c.Workload, c.N)
				}
			}
		}
	}
	if rows > 1 {
		text += " and " + show.Count(rows-1, "more row")
	}
	return text
}

// Of returns the rows with one of the verdicts.
func (t *Table) Of(any ...Verdict) []Row {
	return slices.DeleteFunc(slices.Clone(t.Rows), func(r Row) bool { return !slices.Contains(any, r.Verdict) })
}

// named is the largest number of rows that the sentence names (chosen).
const named = 3

// Sentence summarizes the comparison in one sentence.
func (t *Table) Sentence() string {
	verdicts, one, several := []Verdict{Slower, Faster}, "is", "are"
	if t.Unit != "ns" {
		verdicts, one, several = []Verdict{More, Fewer}, "executes", "execute"
	}
	if len(t.Of(verdicts...)) == 0 {
		return fmt.Sprintf("No difference: none of %d ratios is large and certain enough.", len(t.Rows))
	}
	var parts []string
	for _, v := range verdicts {
		rows := t.Of(v)
		if len(rows) == 0 {
			parts = append(parts, fmt.Sprintf("none %s %s", one, v))
			continue
		}
		// The largest differences come first.
		size := func(r Row) float64 { return math.Abs(math.Log(r.Ratio.Center)) }
		slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(size(b), size(a)) })
		var names []string
		for _, r := range rows[:min(named, len(rows))] {
			names = append(names, fmt.Sprintf("%s on %s, n %d, %.2fx per %s", r.Structure, r.Workload, r.N, r.Ratio.Center, r.Op))
		}
		if more := len(rows) - named; more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		parts = append(parts, fmt.Sprintf("%d of %d %s %s (%s)", len(rows), len(t.Rows), several, v, strings.Join(names, "; ")))
	}
	return "The new build: " + strings.Join(parts, ", ") + "."
}
