package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
)

func (s System) clockSource() (value, advice string, err error) {
	const folder = "sys/devices/system/clocksource/clocksource0/"
	source, err := s.read(folder + "current_clocksource")
	if err != nil || source == "tsc" || source == "arch_sys_counter" || source == "kvm-clock" {
		return source, "", err
	}
	advice = "reading it is a system call: choose another one in /" + folder + "current_clocksource"
	if all, err := s.read(folder + "available_clocksource"); err == nil {
		advice += " (there are: " + all + ")"
	}
	return source, advice, nil
}

func (s System) clockCost() (value, advice string, err error) {
	const most = 150 // ns, chosen: far above any clock that is read without a system call
	if s.ReadNS <= 0 {
		return "", "", errors.New("it was not measured")
	}
	if s.ReadNS > most {
		advice = "times of single calls hold one reading each: trust the costs of whole blocks, and see the clock source"
	}
	return fmt.Sprintf("%.0f ns a reading, in steps of %.0f ns", s.ReadNS, s.StepNS), advice, nil
}

func (s System) pageSize() (value, advice string, err error) {
	return fmt.Sprintf("%d kB", s.PageSize/1024), "", nil
}

func (s System) hugePages() (value, advice string, err error) {
	const file = "sys/kernel/mm/transparent_hugepage/enabled"
	text, err := s.read(file) // such as "always [madvise] never"
	_, rest, _ := strings.Cut(text, "[")
	mode, _, _ := strings.Cut(rest, "]")
	if mode == "always" {
		advice = "large structures get huge pages when the kernel has time to make them, which differs from run to run: write madvise to /" + file
	}
	return mode, advice, err
}

// Noise is what an A/A measurement found: two instances of one structure, compared by
// the ratio of their times block by block.
type Noise struct {
	Seconds float64 // duration of the measurement
	Pairs   int     // of blocks
	Center  float64 // median ratio: 1 if the placement in memory costs nothing
	Typical float64 // median distance of a ratio from the center, as a share
	P99     float64 // 99th percentile of that distance
}

// Limits of the noise (chosen). With P99 above it, differences of 5 % need more than
// the rounds of the normal run.
const maxTypical, maxP99 = 0.02, 0.15

// NoiseFinding judges a measured noise.
func NoiseFinding(n Noise) results.Finding {
	advice := ""
	if n.Typical > maxTypical || n.P99 > maxP99 {
		advice = "small differences drown: end what else runs, or give more time with --budget, and compare builds with `timerbench ab`"
	}
	return finding("noise (A/A)", fmt.Sprintf("typically %.1f %%, at the 99th percentile %.1f %%, in %d pairs of blocks in %.0f s",
		100*n.Typical, 100*n.P99, n.Pairs, n.Seconds), advice, nil)
}
