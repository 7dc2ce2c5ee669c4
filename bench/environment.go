package bench

import (
	"fmt"
	"runtime"

	"github.com/klauspost/cpuid/v2"

	"github.com/timerbench/timerbench/bench/doctor"
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/buildinfo"
)

// environment describes the machine and the build of this process.
func environment(clock replay.Clock) results.Environment {
	build := buildinfo.Read()
	return results.Environment{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPU: cpuid.CPU.BrandName, Cores: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		ClockNS: clock.ReadNS, ClockStep: clock.StepNS, Version: build.Version, Revision: build.Revision,
		Machine: doctor.Here(clock.ReadNS, clock.StepNS).Check(),
	}
}

// CheckResume returns an error if a run with this configuration, on this machine and of
// this build, cannot go on with the results of an interrupted run. The error names the
// first difference.
func CheckResume(cfg Config, interrupted *results.Run) error {
	cfg = cfg.withDefaults()
	if interrupted.Version != results.Version {
		return fmt.Errorf("its results are of version %d, this program writes version %d",
			interrupted.Version, results.Version)
	}
	if d := results.Difference(interrupted.Parameters, parameters(cfg)); d != "" {
		return fmt.Errorf("it was another run: %s now", d)
	}
	here := environment(replay.Clock{})
	if d := results.Difference(interrupted.Environment, here, results.NotOfMachine...); d != "" {
		return fmt.Errorf("it ran on another machine or was another build: %s now", d)
	}
	return nil
}
