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

func notes(old, new *results.Run, pairs []*pair, c *Comparison) []string {
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
		if only := missing(sides[0], sides[1]); len(only) > 0 {
			note("only in %s: %s", name, strings.Join(only, "; "))
		}
	}
	slices.Sort(out)
	if n := redefined(old, new); n > 0 {
		note("%s not compared, because OLD and NEW measure other operations under one name (their definitions differ)", show.Count(n, "cell"))
	}
	if !c.Session && math.Abs(math.Log(c.Shift)) > shiftNoted {
		note("the median ratio is %.2f: two separate runs cannot tell a slower machine from a slower build; `timerbench ab` can", c.Shift)
	}
	for _, p := range pairs {
		if p.role == results.RoleFloor && c.Session && p.measured.Differs() && math.Abs(math.Log(p.measured.Center)) > math.Log1p(floorNoted) {
			note("%s, n %d: the floor (%s), which contains no structure, has the ratio %.2f: the harness of the two builds differs", p.row.Workload, p.row.N, p.row.Structure, p.measured.Center)
		}
	}
	if unknown := len(c.Of(Unknown)); unknown > 0 {
		note("%d of %d rows have too few rounds for an interval: run with more --trials", unknown, len(c.Rows))
	}
	return out
}

// The smallest changes that get a note (chosen).
const shiftNoted, floorNoted = 0.02, 0.10

// redefined counts the cells that both results have, with different definitions.
func redefined(old, new *results.Run) (n int) {
	for _, c := range new.Cells {
		if was := old.Cell(c.Workload, c.N); was != nil && was.Definition != c.Definition {
			n++
		}
	}
	return n
}

// missing lists the cells of one result that the other one lacks, and the structures that it lacks in other cells.
func missing(of, in *results.Run) []string {
	there := make(map[cellKey][]string)
	for _, c := range in.Cells {
		there[keyOf(c)] = c.Structures()
	}
	var out, structures []string
	cells := make(map[string][]string) // that lack a structure
	for _, c := range of.Cells {
		where := fmt.Sprintf("%s, n %d", c.Workload, c.N)
		names, ok := there[keyOf(c)]
		if other := in.Cell(c.Workload, c.N); !ok && other != nil && other.Definition != c.Definition {
			continue
		}
		if !ok {
			out = append(out, where)
			continue
		}
		for _, name := range c.Structures() {
			if slices.Contains(names, name) {
				continue
			}
			if cells[name] == nil {
				structures = append(structures, name)
			}
			cells[name] = append(cells[name], where)
		}
	}
	for _, name := range structures {
		where := "in " + show.Count(len(cells[name]), "cell")
		if len(cells[name]) == 1 {
			where = "in " + cells[name][0]
		}
		out = append(out, name+" "+where)
	}
	return out
}

// Of returns the rows with a verdict.
func (c *Comparison) Of(v Verdict) []Compared {
	return slices.DeleteFunc(slices.Clone(c.Rows), func(r Compared) bool { return r.Verdict != v })
}

// named is the largest number of rows that the sentence names (chosen).
const named = 3

// Sentence summarizes the comparison in one sentence.
func (c *Comparison) Sentence() string {
	var parts []string
	for _, v := range []Verdict{Slower, Faster} {
		rows := c.Of(v)
		if len(rows) == 0 {
			parts = append(parts, "none is "+string(v))
			continue
		}
		// The largest differences come first.
		slices.SortStableFunc(rows, func(a, b Compared) int {
			size := func(r Compared) float64 { return math.Abs(math.Log(r.Ratio.Center)) }
			return cmp.Compare(size(b), size(a))
		})
		var names []string
		for _, r := range rows[:min(named, len(rows))] {
			names = append(names, fmt.Sprintf("%s on %s, n %d, %.2fx per %s", r.Structure, r.Workload, r.N, r.Ratio.Center, r.Op))
		}
		text := fmt.Sprintf("%d of %d are %s (%s", len(rows), len(c.Rows), v, strings.Join(names, "; "))
		if more := len(rows) - named; more > 0 {
			text += fmt.Sprintf("; %d more", more)
		}
		parts = append(parts, text+")")
	}
	if strings.HasPrefix(parts[0], "none") && strings.HasPrefix(parts[1], "none") {
		return fmt.Sprintf("No difference: none of %d ratios is large and certain enough.", len(c.Rows))
	}
	return "The new build: " + strings.Join(parts, ", ") + "."
}
