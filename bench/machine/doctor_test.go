package machine

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/fail"
)

const (
	governor0 = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
	governor1 = "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"
	groups    = "proc/self/cgroup"
	cpuMax    = "sys/fs/cgroup/user/session/cpu.max"
	hugePages = "sys/kernel/mm/transparent_hugepage/enabled"
)

// system is one without a problem, except for these changes. An empty text removes a file.
func system(changes map[string]string) System {
	files := make(fstest.MapFS)
	for name, content := range map[string]string{
		governor0: "performance", governor1: "performance", "proc/loadavg": "0.08 0.10 0.20 1/99 1234",
		"proc/meminfo": "MemTotal: 16000000 kB\nMemAvailable:   12000000 kB", groups: "0::/user/session", cpuMax: "max 100000",
		hugePages: "always [madvise] never",
	} {
		files[name] = &fstest.MapFile{Data: []byte(content + "\n")}
	}
	for name, content := range changes {
		if files[name] = (&fstest.MapFile{Data: []byte(content + "\n")}); content == "" {
			delete(files, name)
		}
	}
	return System{OS: "linux", Files: files}
}

func TestAFitMachineHasNothingToObjectTo(t *testing.T) {
	t.Parallel()
	findings := system(nil).Check()
	fail.UnlessSame(t, "the summary", Summary(findings), "nothing to object to")
	for _, f := range findings {
		if f.Verdict != OK || f.Advice != "" || f.Value == "" || f.Check == "huge pages" && f.Value != "madvise" {
			t.Errorf("%+v", f)
		}
	}
}

// Each case changes a fit machine. Exactly one check changes its verdict.
func TestEachFaultIsFoundByItsCheck(t *testing.T) {
	t.Parallel()
	virtual, limited := system(nil), system(nil)
	virtual.Hypervisor, limited.MemoryLimit = "KVM", 1<<30
	files := func(pairs ...string) System {
		changes := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			changes[pairs[i]] = pairs[i+1]
		}
		return system(changes)
	}
	for name, c := range map[string]struct {
		system                     System
		check, verdict, says, hint string
	}{
		"powersave on one":    {files(governor1, "powersave"), "frequency", Warn, "powersave", "cpupower"},
		"no frequency":        {files(governor0, "", governor1, ""), "frequency", Unavailable, "does not control the frequency", ""},
		"loaded":              {files("proc/loadavg", "1.75 0.5 0.5 2/99 1234"), "load", Warn, "1.75", "timerbench ab"},
		"load is nonsense":    {files("proc/loadavg", "high"), "load", Unavailable, `holds "high"`, ""},
		"virtual":             {virtual, "virtualization", Warn, "(KVM)", "ratios within one run"},
		"little memory":       {files("proc/meminfo", "MemAvailable: 2000000 kB"), "memory", Warn, "2.0 GB", "--n"},
		"memory is not known": {files("proc/meminfo", "MemTotal: 2000000 kB"), "memory", Unavailable, "MemAvailable", ""},
		"half a processor":    {files(cpuMax, "50000 100000"), "processor limit", Warn, "0.5 processors", "raise"},
		"limit further up":    {files("sys/fs/cgroup/user/cpu.max", "300000 200000"), "processor limit", Warn, "1.5 processors", "raise"},
		"old control groups":  {files(groups, "4:memory:/x\n2:cpu,cpuacct:/x\n0::/"), "processor limit", Unavailable, "version 2", ""},
		"no huge pages":       {files(hugePages, ""), "huge pages", Unavailable, "this system has no /" + hugePages, ""},
		"pages are nonsense":  {files(hugePages, "always"), "huge pages", Unavailable, `holds "always"`, ""},
		"memory limit":        {limited, "memory", Warn, "1.1 GB", "--n"},
	} {
		for _, f := range c.system.Check() {
			want := results.Finding{Check: f.Check, Verdict: OK}
			if f.Check == c.check {
				want.Verdict = c.verdict
			}
			if f.Verdict != want.Verdict || f.Check == c.check && (!strings.Contains(f.Value, c.says) ||
				!strings.Contains(f.Advice, c.hint) || (c.hint == "") != (f.Advice == "")) {
				t.Errorf("%s: %+v, want %s, value %q, advice %q", name, f, want.Verdict, c.says, c.hint)
			}
		}
	}
}

// On other systems each check that reads files says so.
func TestOtherSystems(t *testing.T) {
	t.Parallel()
	s := system(nil)
	s.OS = "plan9"
	var unknown []string
	for _, f := range s.Check() {
		if f.Verdict == Unavailable && strings.Contains(f.Value, "this is plan9") {
			unknown = append(unknown, f.Check)
		}
	}
	fail.UnlessSame(t, "what is unavailable", unknown, []string{"load", "frequency", "memory", "processor limit", "huge pages"})
	fail.Unless(t, Summary(s.Check()), "5 of 6 checks unavailable")
}

func TestSummaryListsTheWarnings(t *testing.T) {
	t.Parallel()
	got := Summary([]results.Finding{
		{Check: "a", Value: "fine", Verdict: OK}, {Check: "b", Value: "bad", Verdict: Warn},
		{Check: "c", Value: "why", Verdict: Unavailable}, {Check: "d", Value: "worse", Verdict: Warn},
	})
	fail.UnlessSame(t, "the summary", got, "b: bad; d: worse (1 of 4 checks unavailable)")
}
