package doctor

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
)

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
	const check = "noise (A/A)"
	value := fmt.Sprintf("typically %.1f %%, at the 99th percentile %.1f %%, in %d pairs of blocks in %.0f s",
		100*n.Typical, 100*n.P99, n.Pairs, n.Seconds)
	if n.Typical > maxTypical || n.P99 > maxP99 {
		return warn(check, value, "small differences drown: end what else runs, or give more time with --budget, and compare builds with `timerbench ab`")
	}
	return ok(check, "%s", value)
}
