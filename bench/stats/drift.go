package stats

import (
	"cmp"
	"math"
	"slices"
)

// Drift returns Kendall's rank correlation of the cost with the round, and the two-sided
// probability of such a correlation by chance (exact without ties). With several layouts it
// correlates their means, because a difference between two layouts is not a drift.
// Fewer than five units cannot show a drift: p is above 0.05.
func Drift(a []Sample) (tau, p float64) {
	points := logs(a)
	slices.SortStableFunc(points, func(p, q point) int { return cmp.Compare(p.round, q.round) })
	grouped, _ := units(points)
	n := len(grouped)
	if n < 2 {
		return 0, 1
	}
	means := make([]float64, n)
	for i, unit := range grouped {
		for _, p := range unit {
			means[i] += p.log / float64(len(unit))
		}
	}
	sum := 0
	for i := range means {
		for j := range i {
			sum += cmp.Compare(means[i], means[j])
		}
	}
	pairs := n * (n - 1) / 2
	return float64(sum) / float64(pairs), kendall(n, sum)
}

// kendall returns the probability that n values in random order have a sum of signs of at least
// |sum| in either direction.
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
