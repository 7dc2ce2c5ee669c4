package bench

import (
	"runtime"
	"runtime/debug"

	"github.com/klauspost/cpuid/v2"
	"github.com/timerbench/timerbench/bench/results"
)

// environment says on what this process runs.
func environment(clock Clock) results.Environment {
	env := results.Environment{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPU: cpuid.CPU.BrandName, Cores: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		ClockNS: clock.ReadNS, ClockStep: clock.StepNS,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				env.Revision = s.Value
			}
		}
	}
	return env
}
