package stats

import (
	"math"
	"slices"
)

// Noise returns the factor by which the standard errors of a run are too small: the least one,
// 1 or more, with which the intervals of its A/A comparisons hold 1 as often as they should.
// An A/A comparison is the ratio of a contender to a second instance of itself. One without an
// interval does not count.
func Noise(controls []Ratio, o Options) float64 {
	var needed []float64 // the factor with which the interval reaches 1
	for _, r := range controls {
		if half := math.Log(r.Hi / r.Center); r.Bounded() && half > 0 {
			needed = append(needed, math.Abs(math.Log(r.Center))/half)
		}
	}
	if len(needed) == 0 {
		return 1
	}
	slices.Sort(needed)
	may := int(float64(len(needed)) * (1 - o.confidence())) // miss by chance
	return max(1, needed[len(needed)-1-may])
}
