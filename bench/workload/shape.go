package workload

import (
	"math"
	"slices"
	"sync"

	"github.com/timerbench/timerbench/bench/script"
)

// alike is how far the logarithms of the percentiles may be from the percentiles of a shape (chosen).
const alike = 0.25

// shapes holds, for each distribution of the grid, the logarithms of its 90th and 99th percentiles as
// multiples of the median.
var shapes = sync.OnceValue(func() map[string][2]float64 {
	const draws = 20_000
	out := make(map[string][2]float64)
	for _, family := range script.GridDists() {
		d, r := family.New(30_000), script.NewRand(1, 1)
		values := make([]float64, draws)
		for i := range values {
			values[i] = d.Draw(r)
		}
		slices.Sort(values)
		out[family.Name] = spreads(values[draws/2], values[draws*9/10], values[draws*99/100])
	}
	return out
})

func spreads(p50, p90, p99 float64) [2]float64 {
	return [2]float64{math.Log(p90 / p50), math.Log(p99 / p50)}
}

// ShapeOf names the distribution of the grid whose percentiles are in the most similar proportions. It is
// empty if none is similar, or if a percentile is not positive.
func ShapeOf(p50, p90, p99 float64) string {
	if !(p50 > 0 && p90 >= p50 && p99 >= p90) {
		return ""
	}
	of, best, nearest := spreads(p50, p90, p99), "", alike
	for _, family := range script.GridDists() {
		s := shapes()[family.Name]
		if d := math.Hypot(of[0]-s[0], of[1]-s[1]); d < nearest {
			best, nearest = family.Name, d
		}
	}
	return best
}
