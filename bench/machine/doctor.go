package machine

// The checks in this file report what makes times on a machine unreliable, and what to do about it. The
// checks read files of Linux. On other systems they are unavailable.

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/klauspost/cpuid/v2"

	"github.com/timerbench/timerbench/bench/results"
)

// Verdicts of a finding.
const (
	OK          = "ok"
	Warn        = "warn"        // the finding makes times noisy, or wrong
	Unavailable = "unavailable" // the check found nothing; Value says why
)

// System is the machine as this process sees it.
type System struct {
	OS          string // as runtime.GOOS
	Files       fs.FS  // the root of the file system
	Hypervisor  string // its name, or empty
	MemoryLimit uint64 // of the control group, or on other systems than Linux all memory; 0: not known
}

// This returns the machine on which this process runs.
func This() System {
	s := System{OS: runtime.GOOS, Files: os.DirFS("/")}
	limit := memlimit.FromCgroup
	if s.OS != "linux" {
		limit = memlimit.FromSystem
	}
	s.MemoryLimit, _ = limit() // 0 with an error
	if cpuid.CPU.VM() {
		s.Hypervisor = cmp.Or(strings.TrimRight(cpuid.CPU.HypervisorVendorString, "\x00 "), "unnamed")
	}
	return s
}

// Check makes all checks, in a fixed order. It takes a few milliseconds.
func (s System) Check() []results.Finding {
	var out []results.Finding
	for _, c := range []struct {
		name string
		run  func() (value, advice string, err error) // advice: if the finding is a problem
	}{
		{"load", s.load},
		{"frequency", s.frequency},
		{"virtualization", s.virtualization},
		{"memory", s.memory},
		{"processor limit", s.processorLimit},
		{"huge pages", s.hugePages},
	} {
		value, advice, err := c.run()
		f := results.Finding{Check: c.name, Value: value, Verdict: OK}
		switch {
		case err != nil:
			f.Value, f.Verdict = err.Error(), Unavailable
		case advice != "":
			f.Verdict, f.Advice = Warn, advice
		}
		out = append(out, f)
	}
	return out
}

// Summary returns the warnings in one line, and the number of unavailable checks.
func Summary(findings []results.Finding) string {
	var warnings []string
	unavailable := 0
	for _, f := range findings {
		switch f.Verdict {
		case Warn:
			warnings = append(warnings, f.Check+": "+f.Value)
		case Unavailable:
			unavailable++
		}
	}
	out := cmp.Or(strings.Join(warnings, "; "), "nothing to object to")
	if unavailable > 0 {
		out += fmt.Sprintf(" (%d of %d checks unavailable)", unavailable, len(findings))
	}
	return out
}

// read returns the content of a file of Linux without the spaces around it.
func (s System) read(name string) (string, error) {
	if s.OS != "linux" {
		return "", fmt.Errorf("the check reads /%s of Linux, and this is %s", name, s.OS)
	}
	data, err := fs.ReadFile(s.Files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("this system has no /%s", name)
	}
	return strings.TrimSpace(string(data)), err
}

func (s System) load() (value, advice string, err error) {
	text, err := s.read("proc/loadavg")
	var load float64
	if _, bad := fmt.Sscan(text, &load); err == nil && bad != nil {
		err = fmt.Errorf("/proc/loadavg holds %q, want numbers", text)
	}
	if load >= 0.5 { // chosen: half a processor, which a desktop at rest does not need
		advice = "other programs use processors, caches and memory: end them, or wait; `timerbench ab` compares even so"
	}
	return fmt.Sprintf("%.2f in the last minute", load), advice, err
}

func (s System) frequency() (value, advice string, err error) {
	files, err := fs.Glob(s.Files, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	switch {
	case s.OS != "linux":
		return "", "", fmt.Errorf("the check reads /sys of Linux, and this is %s", s.OS)
	case err != nil || len(files) == 0:
		return "", "", errors.New("the kernel does not control the frequency, as in most virtual machines")
	}
	for _, file := range files {
		governor, err := s.read(file)
		if err != nil {
			return "", "", err
		}
		if governor != "performance" {
			return "the governor of a processor is " + governor,
				"the frequency changes during a run: set it with `cpupower frequency-set -g performance`", nil
		}
	}
	return fmt.Sprintf("the governor of all %d processors is performance", len(files)), "", nil
}

func (s System) virtualization() (value, advice string, err error) {
	if s.Hypervisor == "" {
		return "none seen", "", nil
	}
	return "a virtual machine (" + s.Hypervisor + ")", "other machines share the caches and the memory bus, and take " +
		"processor time unseen: measure on a machine of your own, or repeat and trust ratios within one run", nil
}

// AvailableMemory returns the bytes that this process may take: the memory that is free or can be
// freed without swapping, within the limit of the control group.
func (s System) AvailableMemory() (bytes uint64, err error) {
	text, err := s.read("proc/meminfo")
	if err == nil {
		_, rest, _ := strings.Cut(text, "MemAvailable:")
		if _, bad := fmt.Sscan(rest, &bytes); bad != nil {
			err = errors.New("/proc/meminfo has no number after MemAvailable")
		}
		bytes *= 1024
	}
	if s.MemoryLimit > 0 && (err != nil || s.MemoryLimit < bytes) {
		return s.MemoryLimit, nil
	}
	return bytes, err
}

func (s System) memory() (value, advice string, err error) {
	const enough = 4e9 // a normal run needs about 2 GB
	bytes, err := s.AvailableMemory()
	if bytes < enough {
		advice = "runs with millions of timers are refused: choose fewer with --n, or free memory"
	}
	return fmt.Sprintf("%.1f GB available", float64(bytes)/1e9), advice, err
}

// processorLimit reads the limits of the control group of this process and of each group above. In a
// container the upper groups may be missing.
func (s System) processorLimit() (value, advice string, err error) {
	groups, err := s.read("proc/self/cgroup")
	group, ok := strings.CutPrefix(groups, "0::")
	if err == nil && !ok {
		err = errors.New("the check reads control groups of version 2, and this process has others")
	}
	if err != nil {
		return "", "", err
	}
	least := math.Inf(1)
	for p, above := path.Join("/", group), ""; p != above; p, above = path.Dir(p), p {
		var quota, period float64 // in µs; a quota of "max" is no number
		text, _ := s.read(path.Join("sys/fs/cgroup", p, "cpu.max"))
		if _, err := fmt.Sscan(text, &quota, &period); err == nil {
			least = min(least, quota/period)
		}
	}
	if math.IsInf(least, 1) {
		return "none", "", nil
	}
	return fmt.Sprintf("%.2g processors, by a control group", least),
		"the kernel stops the process when its share of a period is used up, which shows as outliers: raise the limit", nil
}

// hugePages reads the mode of transparent huge pages. No mode is a fault: programs get them always, never, or if they ask (madvise).
func (s System) hugePages() (value, advice string, err error) {
	text, err := s.read("sys/kernel/mm/transparent_hugepage/enabled")
	_, rest, _ := strings.Cut(text, "[")
	mode, _, ok := strings.Cut(rest, "]")
	if err == nil && !ok {
		err = fmt.Errorf("/sys/kernel/mm/transparent_hugepage/enabled holds %q, want a mode in brackets", text)
	}
	return mode, "", err
}
