package bench

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"

	"github.com/timerbench/timerbench/bench/doctor"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/buildinfo"
)

// environment describes the machine and the build of this process.
func environment(clock Clock) results.Environment {
	build := buildinfo.Read()
	return results.Environment{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPU: cpuid.CPU.BrandName, Cores: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		ClockNS: clock.ReadNS, ClockStep: clock.StepNS, Version: build.Version, Revision: build.Revision,
		Machine: doctor.Here(clock.ReadNS, clock.StepNS).Check(),
	}
}
