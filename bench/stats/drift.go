package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Drift returns Kendall's rank correlation of the cost with the round, and the two-sided probability of such a
// correlation by chance (exact without ties). Fewer than five rounds cannot show a drift: p is above 0.05.
func Drift(samples []Sample) (tau, p float64) {
	inOrder := slices.SortedStableFunc(slices.Values(samples), func(a, b Sample) int { return cmp.Compare(a.Round, b.Round) })
	n, sum := len(inOrder), 0
	if n < 2 {
		return 0, 1
	}
	for i, s := range inOrder {
		for _, before := range inOrder[:i] {
			sum += cmp.Compare(s.Value, before.Value)
		}
	}
	return float64(sum) / float64(n*(n-1)/2), kendall(n, sum)
}

// kendall returns the probability that n values in random order have a sum of signs of at least |sum| in either direction.
func kendall(n, sum int) float64 {
	// ways[i] is the share of the orders of the first k values that have i inversions.
	ways := []float64{1}
	for k := 2; k <= n; k++ {
		next := make([]float64, len(ways)+k-1)
		for i, w := range ways {
			for j := range k {
				next[i+j] += w / float64(k)
			}
		}
		ways = next
	}
	pairs, size := n*(n-1)/2, int(math.Abs(float64(sum)))
	p := 0.0
	for inversions, w := range ways {
		if s := pairs - 2*inversions; s >= size || -s >= size {
			p += w
		}
	}
	return min(p, 1)
}

// ByChance returns the probability that at least differ of all comparisons of a structure with itself exclude 1 by chance, if each
// interval has the confidence of [Confidence]. A small probability means that the intervals of the run are too narrow.
func ByChance(differ, all int) float64 {
	if differ <= 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(all), P: 1 - Confidence}.CDF(float64(differ-1))
}
