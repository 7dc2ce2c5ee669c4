package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Source is the results that answer a question.
type Source struct {
	Run  *results.Run
	From string // the path of the results, or "the run that is part of this program (docs/results)"
	Note string // which cells come from a later run, or why that run does not answer; empty: none
}

// builtIn is the origin of the results in docs/results.
const builtIn = "the run that is part of this program (docs/results)"

// Find returns the results at a path, as [runs.Read] does. For an empty path it returns the last whole run in
// [runs.Parent], or the run that is part of this program if there is none. A run is whole if it is complete and has
// all structures, workloads and sizes of the normal or the full profile ([bench.Whole]). If a later run is not
// whole but has all structures, its cells replace the same cells of the whole run. Runs without workloads are ignored.
func Find(path string) (s Source, err error) {
	if path != "" {
		s.Run, s.From, err = results.Read(path)
		return s, err
	}
	found, _ := results.FoundIn(results.Parent) // files that cannot be read do not answer
	found = slices.DeleteFunc(found, func(f results.Found) bool { return len(f.Parameters.Workloads) == 0 })
	isPart := func(f results.Found) bool { return !f.Complete || !bench.Whole(f.Parameters, catalog.All()) }
	if whole := slices.DeleteFunc(slices.Clone(found), isPart); len(whole) > 0 {
		s.From = results.LastFound(whole).Path
		s.Run, err = results.ReadFile(s.From)
	} else {
		s.From = builtIn
		s.Run, err = kept.Last()
	}
	if err != nil || len(found) == 0 {
		return s, err
	}
	last := results.LastFound(found)
	if !isPart(last) {
		return s, nil
	}
	part, err := results.ReadFile(last.Path)
	if err != nil {
		return Source{}, err
	}
	var taken []results.Cell
	s.Run, taken = s.Run.WithCells(part)
	if len(taken) == 0 {
		s.Note = last.Path + " is a part of a run and lacks structures, so it does not answer unless it is named."
		return s, nil
	}
	cells := fmt.Sprintf("%s, n %d", taken[0].Workload, taken[0].N)
	if more := len(taken) - 1; more > 0 {
		cells += " and " + show.Count(more, "more cell")
	}
	s.Note = fmt.Sprintf("%s: from %s, %s", cells, last.Path, About(part))
	return s, nil
}

// About says in a sentence when, where and by which profile results were measured.
func About(r *results.Run) string {
	e := r.Environment
	return fmt.Sprintf("the %s run of %s on %s, %d cores, %s/%s, %s.",
		cmp.Or(r.Parameters.Profile, "unnamed"), results.Minute(r.Created),
		cmp.Or(e.CPU, "an unknown processor"), e.Cores, e.OS, e.Arch, e.Go)
}
