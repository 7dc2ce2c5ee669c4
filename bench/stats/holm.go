package stats

import (
	"cmp"
	"slices"
)

// Holm returns the p values adjusted for their number: those at most alpha may be called
// significant together with the family-wise error alpha (Holm 1979). A NaN stays one and
// does not count.
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
