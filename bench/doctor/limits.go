package doctor

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
)

// cgroups is where Linux shows the control groups.
const cgroups = "sys/fs/cgroup"

// group is the control group of this process under one controller. Its limits are
// those of its folder and of all folders above, up to the root.
type group struct {
	root string // where the hierarchy is mounted
	path string // the group below it
	v2   bool
}

// groupOf finds the group of this process under a controller: cpu or memory.
// Version 1 has a hierarchy for each controller, version 2 one for all.
func (s System) groupOf(controller string) (group, error) {
	text, err := s.read("proc/self/cgroup")
	if err != nil {
		return group{}, err
	}
	var unified *group
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:path
		if len(parts) != 3 {
			return group{}, fmt.Errorf("/proc/self/cgroup has a line %q, want three parts", strings.TrimSpace(line))
		}
		for name := range strings.SplitSeq(parts[1], ",") {
			if name == controller {
				return group{root: path.Join(cgroups, parts[1]), path: parts[2]}, nil
			}
		}
		if parts[1] == "" {
			unified = &group{root: cgroups, path: parts[2], v2: true}
		}
	}
	if unified == nil {
		return group{}, fmt.Errorf("this process is in no control group for %s", controller)
	}
	return *unified, nil
}

// folders returns the group and those above it. In a container the upper ones may not
// be there.
func (g group) folders() []string {
	var out []string
	for p := path.Join("/", g.path); ; p = path.Dir(p) {
		out = append(out, path.Join(g.root, p))
		if p == "/" {
			return out
		}
	}
}

// errNoLimit says that a group has no limit.
var errNoLimit = errors.New("no limit")

// smallest returns the smallest limit of a group and those above it. A folder for
// which limit returns an error counts as one without a limit.
func (g group) smallest(limit func(folder string) (float64, error)) (float64, error) {
	least, err := 0.0, errNoLimit
	for _, folder := range g.folders() {
		if l, failed := limit(folder); failed == nil && (err != nil || l < least) {
			least, err = l, nil
		}
	}
	return least, err
}

// cpuLimit says how many processors the control group lets this process use.
func (s System) cpuLimit() results.Finding {
	const check = "processor limit"
	g, err := s.groupOf("cpu")
	if err != nil {
		return unavailable(check, err)
	}
	limit, err := g.smallest(func(folder string) (float64, error) {
		if g.v2 {
			return s.quota(path.Join(folder, "cpu.max"))
		}
		quota, err1 := s.number(path.Join(folder, "cpu.cfs_quota_us"))
		period, err2 := s.number(path.Join(folder, "cpu.cfs_period_us"))
		if err := errors.Join(err1, err2); err != nil {
			return 0, err
		}
		if quota <= 0 || period <= 0 {
			return 0, errNoLimit
		}
		return float64(quota) / float64(period), nil
	})
	if err != nil {
		return ok(check, "none")
	}
	return warn(check, fmt.Sprintf("%.2g processors, by a control group", limit),
		"the kernel stops the process when its share of a period is used up, which shows as outliers: raise or lift the limit")
}

// quota reads cpu.max: the time in microseconds that a group may use in each period, or
// "max", and the period.
func (s System) quota(file string) (float64, error) {
	text, err := s.read(file)
	if err != nil {
		return 0, err
	}
	used, period, _ := strings.Cut(text, " ")
	if used == "max" {
		return 0, errNoLimit
	}
	u, err1 := strconv.ParseFloat(used, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err := errors.Join(err1, err2); err != nil || p <= 0 {
		return 0, fmt.Errorf("/%s holds %q, want two numbers", file, text)
	}
	return u / p, nil
}

// memoryLimit says how much memory the control group lets this process use.
func (s System) memoryLimit() results.Finding {
	const check = "memory limit"
	g, err := s.groupOf("memory")
	if err != nil {
		return unavailable(check, err)
	}
	// Version 1 writes a number of pages near 2^63 for no limit.
	const noLimit, enough = 1 << 60, 4 << 30 // enough: the normal run needs about 2 GB
	limit, err := g.smallest(func(folder string) (float64, error) {
		file := "memory.limit_in_bytes"
		if g.v2 {
			file = "memory.max"
		}
		n, err := s.number(path.Join(folder, file)) // "max" is no number
		if err == nil && n >= noLimit {
			err = errNoLimit
		}
		return float64(n), err
	})
	value := fmt.Sprintf("%.1f GB, by a control group", limit/1e9)
	switch {
	case err != nil:
		return ok(check, "none")
	case limit < enough:
		return warn(check, value, "runs with millions of timers are refused: choose fewer with --n, or raise the limit")
	}
	return ok(check, "%s", value)
}

// counters says whether the hardware counters can be read.
func (s System) counters() results.Finding {
	const check = "hardware counters"
	if err := s.Counters(); err != nil {
		return unavailable(check, err)
	}
	return ok(check, "available")
}
