// Package machine describes what a run is measured with: the machine, its clock, this build, and what makes times unreliable.
package machine

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/klauspost/cpuid/v2"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// Environment describes this machine and this build. It measures the clock for some milliseconds.
func Environment() results.Environment {
	build := Build()
	readNS, stepNS := measureClock()
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease") // Linux has it
	memory, _ := memlimit.FromSystem()
	cache := cpuid.CPU.Cache // -1 where the processor does not say
	return results.Environment{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, ArchLevel: build.Level,
		Kernel: strings.TrimSpace(string(kernel)),
		CPU:    processor(), Cores: runtime.NumCPU(), GOMAXPROCS: runtime.GOMAXPROCS(0),
		L1Data: max(0, cache.L1D), L2: max(0, cache.L2), L3: max(0, cache.L3), Memory: memory,
		ClockNS: readNS, ClockStep: stepNS, Version: build.Version, Revision: build.Revision,
		Machine: This().Check(),
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

// measureClock returns the median cost of one reading of the clock and the smallest nonzero difference between two readings, in ns.
func measureClock() (readNS, stepNS float64) {
	const batches, reads = 101, 2000
	epoch := time.Now()
	costs := make([]float64, batches)
	step := time.Hour
	for i := range costs {
		start := time.Since(epoch)
		last := start
		for range reads {
			now := time.Since(epoch)
			if d := now - last; d > 0 && d < step {
				step = d
			}
			last = now
		}
		costs[i] = float64(last-start) / reads
	}
	return stats.MedianOf(costs), float64(step)
}

const module = "github.com/timerbench/timerbench"

// Version is the version of this source: the newest one of CHANGELOG.md.
const Version = "v0.1.0"

// Info describes the build. An unknown field is empty.
type Info struct {
	Version  string // of this module
	Revision string // the commit, with "+dirty" behind it if files were changed
	Level    string // of the instructions that it may use: "GOAMD64=v1"
}

// Build describes the running program.
func Build() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Info{}
	}
	return of(info)
}

// of picks out this module, which may be the program or part of another one. The commit is that of the program.
func of(info *debug.BuildInfo) Info {
	out := Info{Version: Version}
	if info.Main.Path != module {
		return out
	}
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "GO"+strings.ToUpper(runtime.GOARCH):
			out.Level = s.Key + "=" + s.Value
		case s.Key == "vcs.revision":
			out.Revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if out.Revision != "" {
		out.Revision += dirty
	}
	return out
}
