package stats

import (
	"cmp"
	"slices"
)

// Holm returns p values adjusted for their number. Calling all adjusted values of at most alpha
// significant has a family-wise error of alpha (Holm 1979). NaN values stay and do not count.
func Holm(p []float64) []float64 {
	out := slices.Clone(p)
	var order []int
	for i, v := range p {
		if v == v {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	highest := 0.0
	for rank, i := range order {
		highest = max(highest, min(1, p[i]*float64(len(order)-rank)))
		out[i] = highest
	}
	return out
}
