package stats

import "gonum.org/v1/gonum/stat/distuv"

// ByChance returns the probability that so many or more of all A/A comparisons differ from 1
// although each has an interval of the default confidence. If it is small, the intervals of the
// run are too narrow.
func ByChance(differ, all int) float64 {
	if differ <= 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(all), P: 1 - DefaultConfidence}.CDF(float64(differ-1))
}
