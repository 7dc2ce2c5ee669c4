package doctor

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/timerbench/timerbench/bench/results"
)

// machine is a system with those files.
func machine(files map[string]string) System {
	tree := make(fstest.MapFS)
	for name, content := range files {
		tree[name] = &fstest.MapFile{Data: []byte(content + "\n")}
	}
	return System{
		OS: "linux", Files: tree, PageSize: 4096, ReadNS: 40, StepNS: 10,
	}
}

const (
	governor0 = cpus + "cpu0/cpufreq/scaling_governor"
	governor1 = cpus + "cpu1/cpufreq/scaling_governor"
	noTurbo   = cpus + "intel_pstate/no_turbo"
	boost     = cpus + "cpufreq/boost"
	source    = "sys/devices/system/clocksource/clocksource0/current_clocksource"
	thp       = "sys/kernel/mm/transparent_hugepage/enabled"
	unified   = "proc/self/cgroup"
)

// fit is a machine on which nothing is wrong.
func fit() map[string]string {
	return map[string]string{
		cpus + "online": "0-1", governor0: "performance", governor1: "performance",
		noTurbo: "1", cpus + "smt/active": "0", "proc/loadavg": "0.08 0.10 0.20 1/99 1234",
		"proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu tsc", "proc/stat": "cpu  100 0 100 5000 30 0 0 0 0 0\ncpu0 1 2",
		source: "tsc", thp: "always [madvise] never",
		unified: "0::/user/session", "sys/fs/cgroup/user/session/cpu.max": "max 100000", "sys/fs/cgroup/user/session/memory.max": "max",
	}
}

func TestAFitMachineHasNothingToObjectTo(t *testing.T) {
	t.Parallel()
	findings := machine(fit()).Check()
	if got := Summary(findings); got != "nothing to object to" {
		t.Errorf("%s", got)
	}
	for _, f := range findings {
		if f.Verdict != OK || f.Advice != "" || f.Value == "" {
			t.Errorf("%+v", f)
		}
	}
}

// Each case changes a fit machine in one file. Exactly one check changes its verdict.
func TestEachFaultIsFoundByItsCheck(t *testing.T) {
	t.Parallel()
	const gone = "\x00" // removes the file
	for name, c := range map[string]struct {
		change  map[string]string
		check   string
		verdict string
		says    string // in the value
		advises string
	}{
		"powersave on one":    {map[string]string{governor1: "powersave"}, "frequency governor", Warn, "performance on 1, powersave on 1", "cpupower"},
		"no frequency":        {map[string]string{governor0: gone, governor1: gone}, "frequency governor", Unavailable, "does not control the frequency", ""},
		"turbo on":            {map[string]string{noTurbo: "0"}, "turbo", Warn, "on", "write 1 to /sys/devices/system/cpu/intel_pstate/no_turbo"},
		"boost on":            {map[string]string{noTurbo: gone, boost: "1"}, "turbo", Warn, "on", "write 0 to /sys/devices/system/cpu/cpufreq/boost"},
		"turbo unknown":       {map[string]string{noTurbo: gone}, "turbo", Unavailable, "does not control it", ""},
		"smt on":              {map[string]string{cpus + "smt/active": "1"}, "SMT", Warn, "share a core", "taskset"},
		"smt unreadable":      {map[string]string{cpus + "smt/active": "yes"}, "SMT", Unavailable, `holds "yes", want a number`, ""},
		"loaded":              {map[string]string{"proc/loadavg": "1.75 0.5 0.5 2/99 1234"}, "load", Warn, "1.75", "timerbench ab"},
		"load is nonsense":    {map[string]string{"proc/loadavg": "high"}, "load", Unavailable, `holds "high"`, ""},
		"virtual":             {map[string]string{"proc/cpuinfo": "processor : 0\nflags : fpu hypervisor tsc"}, "virtualization", Warn, "virtual machine", "ratios within one run"},
		"stolen":              {map[string]string{"proc/stat": "cpu  700 0 200 5000 30 0 0 100 0 0"}, "stolen time", Warn, "10.0 %", "dedicated"},
		"stat is cut":         {map[string]string{"proc/stat": "cpu 1 2"}, "stolen time", Unavailable, `begins with "cpu 1 2"`, ""},
		"stat has words":      {map[string]string{"proc/stat": "cpu  a b c d e f g h i j"}, "stolen time", Unavailable, "in numbers", ""},
		"hpet":                {map[string]string{source: "hpet"}, "clock source", Warn, "hpet", "system call"},
		"no clock source":     {map[string]string{source: gone}, "clock source", Unavailable, "has no /" + source, ""},
		"huge pages always":   {map[string]string{thp: "[always] madvise never"}, "transparent huge pages", Warn, "always", "madvise"},
		"half a processor":    {map[string]string{"sys/fs/cgroup/user/session/cpu.max": "50000 100000"}, "processor limit", Warn, "0.5 processors", "raise"},
		"limit further up":    {map[string]string{"sys/fs/cgroup/user/cpu.max": "300000 200000"}, "processor limit", Warn, "1.5 processors", "raise"},
		"old control groups":  {map[string]string{unified: "4:memory:/x\n2:cpu,cpuacct:/x", "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us": "200000", "sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us": "100000"}, "processor limit", Warn, "2 processors", "raise"},
		"little memory":       {map[string]string{"sys/fs/cgroup/user/session/memory.max": "1073741824"}, "memory limit", Warn, "1.1 GB", "--n"},
		"old, little memory":  {map[string]string{unified: "4:memory:/x\n2:cpu:/x\n0::/", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "2147483648"}, "memory limit", Warn, "2.1 GB", "--n"},
		"old, without limits": {map[string]string{unified: "4:memory:/x\n2:cpu:/x", "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us": "-1", "sys/fs/cgroup/cpu/x/cpu.cfs_period_us": "100000", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712"}, "", "", "", ""},
	} {
		files := fit()
		for file, content := range c.change {
			if content == gone {
				delete(files, file)
				continue
			}
			files[file] = content
		}
		found := false
		for _, f := range machine(files).Check() {
			if f.Check != c.check {
				if f.Verdict != OK {
					t.Errorf("%s: another check changes: %+v", name, f)
				}
				continue
			}
			found = true
			if f.Verdict != c.verdict || !strings.Contains(f.Value, c.says) || !strings.Contains(f.Advice, c.advises) || (c.advises == "") != (f.Advice == "") {
				t.Errorf("%s: %+v, want %s, value %q, advice %q", name, f, c.verdict, c.says, c.advises)
			}
		}
		if !found && c.check != "" {
			t.Errorf("%s: there is no check %q", name, c.check)
		}
	}
}

// groups are the files of a process in those control groups.
func groups(text string) fs.FS { return machine(map[string]string{unified: text}).Files }

func TestOtherFindings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change               func(s *System)
		check, verdict, says string
	}{
		{func(s *System) { s.ReadNS = 800 }, "cost of the clock", Warn, "800 ns"},
		{func(s *System) { s.ReadNS = 0 }, "cost of the clock", Unavailable, "not measured"},
		{func(s *System) { s.Hypervisor = "KVM" }, "virtualization", Warn, "KVM"},
		{func(s *System) { s.Files = groups("nonsense") }, "processor limit", Unavailable, `a line "nonsense"`},
		{func(s *System) { s.Files = groups("3:pids:/") }, "processor limit", Unavailable, "in no control group for cpu"},
	} {
		s := machine(fit())
		c.change(&s)
		all := s.Check()
		f := all[slices.IndexFunc(all, func(f results.Finding) bool { return f.Check == c.check })]
		if f.Verdict != c.verdict || !strings.Contains(f.Value, c.says) {
			t.Errorf("%+v, want %+v", f, c)
		}
	}
}

// On other systems nothing is guessed: every check that needs Linux says so.
func TestOtherSystems(t *testing.T) {
	t.Parallel()
	s := machine(fit())
	s.OS = "plan9"
	unknown := 0
	for _, f := range s.Check() {
		if f.Verdict != Unavailable {
			continue
		}
		unknown++
		if !strings.Contains(f.Value, "this is plan9") {
			t.Errorf("%+v", f)
		}
	}
	if unknown != 9 {
		t.Errorf("%d checks are unavailable, want 9", unknown)
	}
	if got := Summary(s.Check()); !strings.Contains(got, "9 of 12 checks unavailable") {
		t.Errorf("%s", got)
	}
}

func TestSummaryNamesWhatWarns(t *testing.T) {
	t.Parallel()
	got := Summary([]results.Finding{
		finding("a", "fine", "", nil), finding("b", "bad", "mend it", nil),
		finding("c", "", "", errors.New("why")), finding("d", "worse", "mend it, too", nil),
	})
	if want := "b: bad; d: worse (1 of 4 checks unavailable)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNoiseIsJudged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		noise Noise
		want  string
	}{
		{Noise{Seconds: 5, Pairs: 900, Typical: 0.005, P99: 0.04}, OK},
		{Noise{Seconds: 5, Pairs: 900, Typical: 0.03, P99: 0.04}, Warn},
		{Noise{Seconds: 5, Pairs: 900, Typical: 0.005, P99: 0.4}, Warn},
	} {
		if f := NoiseFinding(c.noise); f.Verdict != c.want || !strings.Contains(f.Value, "900 pairs") {
			t.Errorf("%+v: %+v, want %s", c.noise, f, c.want)
		}
	}
}
