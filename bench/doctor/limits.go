package doctor

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// cgroups is where Linux shows the control groups.
const cgroups = "sys/fs/cgroup"

// smallest returns the smallest limit that the control group of this process has under a
// controller, cpu or memory, or one above it: limits are those of a folder and of all folders
// above, up to the root. It is infinite if there is none. Version 1 has a hierarchy for each
// controller, version 2 one for all.
//
// A folder for which limit returns an error counts as one without a limit. In a container
// the upper ones may not be there.
func (s System) smallest(controller string, limit func(folder string, v2 bool) (float64, error)) (float64, error) {
	text, err := s.read("proc/self/cgroup")
	if err != nil {
		return 0, err
	}
	root, group, v2 := "", "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		parts := strings.SplitN(line, ":", 3) // number:controllers:path
		switch {
		case len(parts) != 3:
			return 0, fmt.Errorf("/proc/self/cgroup has a line %q, want three parts", line)
		case slices.Contains(strings.Split(parts[1], ","), controller):
			root, group, v2 = path.Join(cgroups, parts[1]), parts[2], false
		case parts[1] == "" && root == "":
			root, group, v2 = cgroups, parts[2], true
		}
	}
	if root == "" {
		return 0, fmt.Errorf("this process is in no control group for %s", controller)
	}
	least := math.Inf(1)
	for p := path.Join("/", group); ; p = path.Dir(p) {
		if l, err := limit(path.Join(root, p), v2); err == nil {
			least = min(least, l)
		}
		if p == "/" {
			return least, nil
		}
	}
}

func (s System) cpuLimit() (value, advice string, err error) {
	limit, err := s.smallest("cpu", func(folder string, v2 bool) (float64, error) {
		var quota, period float64 // in us
		var err error
		if v2 {
			var text string
			if text, err = s.read(path.Join(folder, "cpu.max")); err == nil {
				_, err = fmt.Sscan(text, &quota, &period) // "max" is no number
			}
		} else {
			var err1, err2 error
			quota, err1 = s.number(path.Join(folder, "cpu.cfs_quota_us"))
			period, err2 = s.number(path.Join(folder, "cpu.cfs_period_us"))
			err = errors.Join(err1, err2)
		}
		if quota <= 0 || period <= 0 {
			quota, period = math.Inf(1), 1
		}
		return quota / period, err
	})
	if math.IsInf(limit, 1) {
		return "none", "", nil
	}
	return fmt.Sprintf("%.2g processors, by a control group", limit),
		"the kernel stops the process when its share of a period is used up, which shows as outliers: raise or lift the limit", err
}

func (s System) memoryLimit() (value, advice string, err error) {
	// Version 1 writes a number of pages near 2^63 for no limit.
	const noLimit, enough = 1 << 60, 4 << 30 // enough: the normal run needs about 2 GB
	limit, err := s.smallest("memory", func(folder string, v2 bool) (float64, error) {
		if v2 {
			return s.number(path.Join(folder, "memory.max")) // "max" is no number
		}
		return s.number(path.Join(folder, "memory.limit_in_bytes"))
	})
	if limit >= noLimit {
		return "none", "", nil
	}
	if limit < enough {
		advice = "runs with millions of timers are refused: choose fewer with --n, or raise the limit"
	}
	return fmt.Sprintf("%.1f GB, by a control group", limit/1e9), advice, err
}
