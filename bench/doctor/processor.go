package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// cpus is where Linux describes its processors.
const cpus = "sys/devices/system/cpu/"

func (s System) governor() (value, advice string, err error) {
	if _, err := s.read(cpus + "online"); err != nil {
		return "", "", err
	}
	files, err := fs.Glob(s.Files, cpus+"cpu[0-9]*/cpufreq/scaling_governor")
	if err != nil || len(files) == 0 {
		return "", "", errors.New("the kernel does not control the frequency, as in most virtual machines")
	}
	counts := make(map[string]int)
	for _, file := range files {
		name, err := s.read(file)
		if err != nil {
			return "", "", err
		}
		counts[name]++
	}
	if counts["performance"] == len(files) {
		return fmt.Sprintf("performance on all %d processors", len(files)), "", nil
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s on %d", name, counts[name]))
	}
	return strings.Join(parts, ", ") + " processors",
		"the frequency changes during a run: set it with `cpupower frequency-set -g performance`", nil
}

func (s System) turbo() (value, advice string, err error) {
	for _, f := range []struct {
		path string
		off  float64
	}{{cpus + "intel_pstate/no_turbo", 1}, {cpus + "cpufreq/boost", 0}} {
		var is float64
		if is, err = s.number(f.path); err != nil {
			continue
		}
		if is == f.off {
			return "off", "", nil
		}
		return "on", fmt.Sprintf("the frequency falls when the processor gets warm: write %g to /%s while you measure", f.off, f.path), nil
	}
	if s.OS == "linux" {
		err = errors.New("the kernel does not control it")
	}
	return "", "", err
}

func (s System) smt() (value, advice string, err error) {
	active, err := s.number(cpus + "smt/active")
	if err != nil || active == 0 {
		return "off, as far as this system sees", "", err
	}
	return "on: two processors share a core",
		"what runs on the other half of a core slows this half: leave it idle (taskset), or write off to /" + cpus + "smt/control", nil
}

func (s System) load() (value, advice string, err error) {
	text, err := s.read("proc/loadavg")
	if err != nil {
		return "", "", err
	}
	var load float64
	if _, err := fmt.Sscan(text, &load); err != nil {
		return "", "", fmt.Errorf("/proc/loadavg holds %q, want numbers", text)
	}
	if load >= 0.5 { // chosen: half a processor, which a desktop at rest does not need
		advice = "other programs take processors, caches and memory: end them, or wait; `timerbench ab` compares even so"
	}
	return fmt.Sprintf("%.2f in the last minute", load), advice, nil
}

func (s System) virtualization() (value, advice string, err error) {
	name := s.Hypervisor
	if info, err := s.read("proc/cpuinfo"); err == nil && name == "" && hasFlag(info, "hypervisor") {
		name = "unnamed"
	}
	if name == "" {
		return "none seen", "", nil
	}
	return "a virtual machine (" + name + ")",
		"others share the caches and the memory bus, and take processors unseen: measure on a machine of your own, or repeat and trust ratios within one run", nil
}

func hasFlag(cpuinfo, flag string) bool {
	for line := range strings.Lines(cpuinfo) {
		name, flags, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) == "flags" {
			return slices.Contains(strings.Fields(flags), flag)
		}
	}
	return false
}

func (s System) steal() (value, advice string, err error) {
	text, err := s.read("proc/stat")
	if err != nil {
		return "", "", err
	}
	line, _, _ := strings.Cut(text, "\n")
	var user, nice, system, idle, io, irq, softirq, stolen float64
	if _, err := fmt.Sscanf(line, "cpu %f %f %f %f %f %f %f %f", &user, &nice, &system, &idle, &io, &irq, &softirq, &stolen); err != nil {
		return "", "", fmt.Errorf("/proc/stat begins with %q, want the times of all processors in numbers", line)
	}
	busy := user + nice + system + irq + softirq + stolen
	if busy == 0 {
		return "", "", errors.New("/proc/stat counts no busy time")
	}
	share := 100 * stolen / busy
	if share < 0.1 { // chosen: below what any interval shows
		return fmt.Sprintf("%.2f %% of the busy time since the start", share), "", nil
	}
	return fmt.Sprintf("%.1f %% of the busy time since the start", share),
		"the host gives the processors to others: ask for dedicated ones, or measure when the host is quiet", nil
}
