package stats

import "gonum.org/v1/gonum/stat/distuv"

// ByChance returns the probability that at least differ of all A/A comparisons exclude 1 by
// chance, if each interval has the default confidence. A small probability means that the
// intervals of the run are too narrow.
func ByChance(differ, all int) float64 {
	if differ <= 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(all), P: 1 - DefaultConfidence}.CDF(float64(differ-1))
}
