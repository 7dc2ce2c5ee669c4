package bench

import (
	"errors"
	"fmt"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// CheckSubmission returns an error unless r can be kept as the results of its machine: a complete
// run of all structures, workloads and sizes, of a known commit, that passes its own Check.
func CheckSubmission(r *results.Run, structures []entry.Entry) error {
	revision := r.Environment.Revision
	switch {
	case !r.Complete:
		return errors.New("the run was interrupted: want a complete one")
	case !Whole(r.Parameters, structures):
		return errors.New("the run is a part of the comparison: want all structures, workloads and sizes of " +
			"the normal or the full profile")
	case revision == "":
		return errors.New("the build does not know its commit: want one of make build, in a clone")
	case strings.HasSuffix(revision, "+dirty"):
		return fmt.Errorf("the build is of commit %s with edits that are not committed: want one of a commit",
			strings.TrimSuffix(revision, "+dirty"))
	}
	if old := r.Redefined(currentVersion); len(old) > 0 {
		return fmt.Errorf("%s: the operations of this workload have changed since (definition %d, now %d), as in %d of %d cells: "+
			"want a run of this version", cellName(old[0].Workload, old[0].N), old[0].Definition, currentVersion(old[0].Workload), len(old), len(r.Cells))
	}
	return r.Check()
}

// currentVersion returns the version of a built-in workload; 0: it is not built in.
func currentVersion(name string) int {
	w, ok := workload.Find(name)
	if !ok {
		return 0
	}
	return w.Version()
}
