package bench_test

import (
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures/catalog"
)

// The kept run can be submitted. Each edit makes it one that cannot.
func TestCheckSubmission(t *testing.T) {
	kept, err := kept.Last()
	fail.If(t, err)
	run := *kept
	r := &run
	r.Cells = slices.DeleteFunc(slices.Clone(r.Cells), func(c results.Cell) bool { // of earlier definitions
		w, ok := workload.Find(c.Workload)
		return ok && w.Version() != c.Definition
	})
	r.Parameters.Structures, r.Parameters.Workloads = nil, nil // as if it had the later ones
	for _, e := range catalog.All() {
		r.Parameters.Structures = append(r.Parameters.Structures, e.Name)
	}
	profile, _ := bench.FindProfile(r.Parameters.Profile)
	for _, w := range profile.Workloads() {
		r.Parameters.Workloads = append(r.Parameters.Workloads, w.Name)
	}
	fail.If(t, bench.CheckSubmission(r, catalog.All()), "the kept run")
	for want, edit := range map[string]func(*results.Run){
		"the run was interrupted":         func(r *results.Run) { r.Complete = false },
		"a part of the comparison":        func(r *results.Run) { r.Parameters.Structures = r.Parameters.Structures[1:] },
		"not everything is proved: auto ": func(r *results.Run) { r.Failures = []results.Failure{{Structure: "auto"}} },
		"does not know its commit":        func(r *results.Run) { r.Environment.Revision = "" },
		"with edits that are not":         func(r *results.Run) { r.Environment.Revision += "+dirty" },
		"have changed since (definition": func(r *results.Run) {
			r.Cells = slices.Clone(r.Cells)
			r.Cells[0].Definition += 100
		},
	} {
		bad := *r
		edit(&bad)
		fail.UnlessError(t, bench.CheckSubmission(&bad, catalog.All()), want)
	}
}
