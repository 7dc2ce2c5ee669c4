package doctor

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strings"
)

// cgroups is where Linux shows the control groups.
const cgroups = "sys/fs/cgroup"

// smallest returns the smallest limit that the control group of this process has, or one above
// it, by version 2 of control groups: limits are those of a folder and of all folders above, up
// to the root. It is infinite if there is none.
//
// A folder for which limit returns an error counts as one without a limit. In a container
// the upper ones may not be there.
func (s System) smallest(limit func(folder string) (float64, error)) (float64, error) {
	text, err := s.read("proc/self/cgroup")
	if err != nil {
		return 0, err
	}
	_, group, ok := strings.Cut("\n"+text, "\n0::")
	if !ok {
		return 0, errors.New("this process is in no control group of version 2")
	}
	group, _, _ = strings.Cut(group, "\n")
	least := math.Inf(1)
	for p := path.Join("/", group); ; p = path.Dir(p) {
		if l, err := limit(path.Join(cgroups, p)); err == nil {
			least = min(least, l)
		}
		if p == "/" {
			return least, nil
		}
	}
}

// cpuLimit says how many processors the control group lets this process use.
func (s System) cpuLimit() (value, advice string, err error) {
	limit, err := s.smallest(func(folder string) (float64, error) {
		var quota, period float64 // in us
		text, err := s.read(path.Join(folder, "cpu.max"))
		if err == nil {
			_, err = fmt.Sscan(text, &quota, &period) // "max" is no number
		}
		return quota / period, err
	})
	if math.IsInf(limit, 1) {
		return "none", "", nil
	}
	return fmt.Sprintf("%.2g processors, by a control group", limit),
		"the kernel stops the process when its share of a period is used up, which shows as outliers: raise or lift the limit", err
}

// memoryLimit says how much memory the control group lets this process use.
func (s System) memoryLimit() (value, advice string, err error) {
	const enough = 4 << 30 // the normal run needs about 2 GB
	limit, err := s.smallest(func(folder string) (float64, error) {
		return s.number(path.Join(folder, "memory.max")) // "max" is no number
	})
	if math.IsInf(limit, 1) {
		return "none", "", nil
	}
	if limit < enough {
		advice = "runs with millions of timers are refused: choose fewer with --n, or raise the limit"
	}
	return fmt.Sprintf("%.1f GB, by a control group", limit/1e9), advice, err
}
