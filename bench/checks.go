package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// CheckResume returns an error if a run of this plan cannot continue an interrupted run,
// because the parameters, the machine or the build differ. The error names the first difference.
func (p *Plan) CheckResume(interrupted *results.Run) error {
	if d := results.Difference(interrupted.Parameters, p.Parameters); d != "" {
		return fmt.Errorf("it was another run: %s now", d)
	}
	if d := results.Difference(interrupted.Environment, p.cfg.Environment, results.NotOfMachine...); d != "" {
		return fmt.Errorf("it ran on another machine or was another build: %s now", d)
	}
	if old := interrupted.Redefined(p.version); len(old) > 0 {
		return fmt.Errorf("the operations of %s have changed: definition was %d, is %d now", cellName(old[0].Workload, old[0].N),
			old[0].Definition, p.version(old[0].Workload))
	}
	return nil
}

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

// Whole reports whether a run with these parameters measures all of the structures on all workloads at all
// sizes of the normal or the full profile.
func Whole(p results.Parameters, structures []entry.Entry) bool {
	profile, ok := FindProfile(p.Profile)
	if !ok || p.Profile == Profiles()[0].Name || len(profile.Names) > 0 {
		return false
	}
	all := parameters(Config{Profile: profile, Structures: structures, Workloads: profile.Workloads()})
	return holdsAll(p.Structures, all.Structures) && holdsAll(p.Workloads, all.Workloads) &&
		holdsAll(p.N, all.N)
}

func holdsAll[T comparable](list, of []T) bool {
	return !slices.ContainsFunc(of, func(x T) bool { return !slices.Contains(list, x) })
}
