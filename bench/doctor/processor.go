package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
)

// cpus is where Linux describes its processors.
const cpus = "sys/devices/system/cpu/"

// governor says who chooses the frequency of the processors.
func (s System) governor() results.Finding {
	const check = "frequency governor"
	if _, err := s.read(cpus + "online"); err != nil {
		return unavailable(check, err)
	}
	files, err := fs.Glob(s.Files, cpus+"cpu[0-9]*/cpufreq/scaling_governor")
	if err != nil || len(files) == 0 {
		return unavailable(check, errors.New("the kernel does not control the frequency, as in most virtual machines"))
	}
	counts := make(map[string]int)
	for _, file := range files {
		name, err := s.read(file)
		if err != nil {
			return unavailable(check, err)
		}
		counts[name]++
	}
	if counts["performance"] == len(files) {
		return ok(check, "performance on all %d processors", len(files))
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s on %d", name, counts[name]))
	}
	return warn(check, strings.Join(parts, ", ")+" processors",
		"the frequency changes during a run: set it with `cpupower frequency-set -g performance`")
}

// turbo says whether the processors raise their frequency while they are cool.
func (s System) turbo() results.Finding {
	const check, advice = "turbo", "the frequency falls when the processor gets warm: write %s to /%s while you measure"
	off, err := s.number(cpus + "intel_pstate/no_turbo")
	if err == nil {
		if off == 1 {
			return ok(check, "off")
		}
		return warn(check, "on", fmt.Sprintf(advice, "1", cpus+"intel_pstate/no_turbo"))
	}
	on, err := s.number(cpus + "cpufreq/boost")
	switch {
	case err != nil && s.OS == "linux":
		return unavailable(check, errors.New("the kernel does not control it"))
	case err != nil:
		return unavailable(check, err)
	case on == 0:
		return ok(check, "off")
	}
	return warn(check, "on", fmt.Sprintf(advice, "0", cpus+"cpufreq/boost"))
}

// smt says whether two processors share a core.
func (s System) smt() results.Finding {
	const check = "SMT"
	active, err := s.number(cpus + "smt/active")
	switch {
	case err != nil:
		return unavailable(check, err)
	case active == 0:
		return ok(check, "off, as far as this system sees")
	}
	return warn(check, "on: two processors share a core",
		"what runs on the other half of a core slows this half: leave it idle (taskset), or write off to /"+cpus+"smt/control")
}

// load says how much else is running.
func (s System) load() results.Finding {
	const check = "load"
	text, err := s.read("proc/loadavg")
	if err != nil {
		return unavailable(check, err)
	}
	first, _, _ := strings.Cut(text, " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return unavailable(check, fmt.Errorf("/proc/loadavg holds %q, want numbers", text))
	}
	if load < 0.5 { // chosen: half a processor, which a desktop at rest does not need
		return ok(check, "%.2f in the last minute", load)
	}
	return warn(check, fmt.Sprintf("%.2f in the last minute", load),
		"other programs take processors, caches and memory: end them, or wait; `timerbench ab` compares even so")
}

// virtualization says whether a hypervisor shares the machine out.
func (s System) virtualization() results.Finding {
	const check = "virtualization"
	name := s.Hypervisor
	if info, err := s.read("proc/cpuinfo"); err == nil && name == "" && hasFlag(info, "hypervisor") {
		name = "unnamed"
	}
	if name == "" {
		return ok(check, "none seen")
	}
	return warn(check, "a virtual machine ("+name+")",
		"others share the caches and the memory bus, and take processors unseen: measure on a machine of your own, or repeat and trust ratios within one run")
}

// hasFlag reports whether /proc/cpuinfo lists a flag of the processors.
func hasFlag(cpuinfo, flag string) bool {
	for line := range strings.Lines(cpuinfo) {
		name, flags, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) == "flags" {
			return slices.Contains(strings.Fields(flags), flag)
		}
	}
	return false
}

// steal says how much processor time the hypervisor gave to others while this machine
// wanted it.
func (s System) steal() results.Finding {
	const check = "stolen time"
	text, err := s.read("proc/stat")
	if err != nil {
		return unavailable(check, err)
	}
	// The first line: cpu user nice system idle iowait irq softirq steal ...
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	const stealField, idleField, ioField = 8, 4, 5
	if len(fields) <= stealField || fields[0] != "cpu" {
		return unavailable(check, fmt.Errorf("/proc/stat begins with %q, want the times of all processors", line))
	}
	busy, stolen := 0.0, 0.0
	for i, field := range fields[1 : stealField+1] {
		n, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return unavailable(check, fmt.Errorf("/proc/stat begins with %q, want numbers", line))
		}
		switch i + 1 {
		case idleField, ioField:
		case stealField:
			stolen = n
			busy += n
		default:
			busy += n
		}
	}
	if busy == 0 {
		return unavailable(check, errors.New("/proc/stat counts no busy time"))
	}
	share := 100 * stolen / busy
	if share < 0.1 { // chosen: below what any interval shows
		return ok(check, "%.2f %% of the busy time since the start", share)
	}
	return warn(check, fmt.Sprintf("%.1f %% of the busy time since the start", share),
		"the host gives the processors to others: ask for dedicated ones, or measure when the host is quiet")
}
