// Package doctor says how fit a machine is for measuring, and what to do about it.
//
// [System.Check] makes the checks that take no time. They read files of Linux; on other
// systems most of them are unavailable. [NoiseFinding] judges a measured noise.
package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/timerbench/timerbench/bench/results"
)

// Verdicts of a finding.
const (
	OK          = "ok"
	Warn        = "warn"        // the finding makes times noisy, or wrong
	Unavailable = "unavailable" // nothing is known; Value says why
)

// System is the machine as this process sees it.
type System struct {
	OS         string  // as runtime.GOOS
	Files      fs.FS   // the root of the file system
	PageSize   int     // in bytes
	Hypervisor string  // its name, or empty
	ReadNS     float64 // cost of reading the clock, in ns; 0: not measured
	StepNS     float64 // smallest step of the clock, in ns

}

// Here returns the machine on which this process runs. readNS and stepNS are the
// measured cost and step of the clock, in ns.
func Here(readNS, stepNS float64) System {
	return System{
		OS: runtime.GOOS, Files: os.DirFS("/"),
		PageSize:   os.Getpagesize(),
		Hypervisor: hypervisor(), ReadNS: readNS, StepNS: stepNS,
	}
}

// hypervisor returns the name that a hypervisor gives of itself to the processor's
// instruction CPUID.
func hypervisor() string {
	switch {
	case !cpuid.CPU.VM():
		return ""
	case cpuid.CPU.HypervisorVendorString == "":
		return "unnamed"
	}
	return strings.TrimRight(cpuid.CPU.HypervisorVendorString, "\x00 ")
}

// Check makes all checks, in a fixed order. It takes a few milliseconds.
func (s System) Check() []results.Finding {
	var out []results.Finding
	for _, c := range []struct {
		name string
		// run returns what was found, and what to do about it unless it is in order.
		run func() (value, advice string, err error)
	}{
		{"frequency governor", s.governor},
		{"turbo", s.turbo},
		{"SMT", s.smt},
		{"load", s.load},
		{"virtualization", s.virtualization},
		{"stolen time", s.steal},
		{"clock source", s.clockSource},
		{"cost of the clock", s.clockCost},
		{"page size", s.pageSize},
		{"transparent huge pages", s.hugePages},
		{"processor limit", s.cpuLimit},
		{"memory limit", s.memoryLimit},
	} {
		value, advice, err := c.run()
		out = append(out, finding(c.name, value, advice, err))
	}
	return out
}

func finding(check, value, advice string, err error) results.Finding {
	switch {
	case err != nil:
		return results.Finding{Check: check, Value: err.Error(), Verdict: Unavailable}
	case advice != "":
		return results.Finding{Check: check, Value: value, Verdict: Warn, Advice: advice}
	}
	return results.Finding{Check: check, Value: value, Verdict: OK}
}

// Summary returns what is not in order, in one line: the checks that warn, with what
// they found, and how many were unavailable.
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
	out := "nothing to object to"
	if len(warnings) > 0 {
		out = strings.Join(warnings, "; ")
	}
	if unavailable > 0 {
		out += fmt.Sprintf(" (%d of %d checks unavailable)", unavailable, len(findings))
	}
	return out
}

// read returns the content of a file of Linux without the spaces around it. On other
// systems it returns an error that says so.
func (s System) read(path string) (string, error) {
	if s.OS != "linux" {
		return "", fmt.Errorf("it is read from /%s of Linux, and this is %s", path, s.OS)
	}
	data, err := fs.ReadFile(s.Files, path)
	var failed *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("this system has no /%s", path)
	case errors.As(err, &failed):
		return "", fmt.Errorf("/%s: %w", path, failed.Err)
	}
	return strings.TrimSpace(string(data)), err
}

func (s System) number(path string) (float64, error) {
	text, err := s.read(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/%s holds %q, want a number", path, text)
	}
	return float64(n), nil
}
