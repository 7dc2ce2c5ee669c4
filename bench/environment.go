package bench

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/klauspost/cpuid/v2"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/buildinfo"
	"github.com/timerbench/timerbench/structures/entry"
)

func environment(clock replay.Clock) results.Environment {
	build := buildinfo.Read()
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease") // Linux has it
	memory, _ := memlimit.FromSystem()
	cache := cpuid.CPU.Cache // -1 where the processor does not say
	return results.Environment{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, ArchLevel: build.Level,
		Kernel: strings.TrimSpace(string(kernel)),
		CPU:    processor(), Cores: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		L1Data: max(0, cache.L1D), L2: max(0, cache.L2), L3: max(0, cache.L3), Memory: memory,
		ClockNS: clock.ReadNS, ClockStep: clock.StepNS, Version: build.Version, Revision: build.Revision,
		Machine: ThisSystem().Check(),
	}
}

// processor returns the name of the processor. In some virtual machines the name is only "AMD EPYC".
// Then processor adds the family and the model.
func processor() string {
	name := cpuid.CPU.BrandName
	if name == "" || strings.ContainsAny(name, "0123456789") {
		return name
	}
	return fmt.Sprintf("%s (family %d, model %d)", name, cpuid.CPU.Family, cpuid.CPU.Model)
}

// CheckResume returns an error if a run of this plan cannot continue an interrupted run,
// because the parameters, the machine or the build differ. The error names the first difference.
func (p *Plan) CheckResume(interrupted *results.Run) error {
	if d := results.Difference(interrupted.Parameters, p.Parameters); d != "" {
		return fmt.Errorf("it was another run: %s now", d)
	}
	here := environment(replay.Clock{})
	if d := results.Difference(interrupted.Environment, here, results.NotOfMachine...); d != "" {
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
