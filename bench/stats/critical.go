package stats

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// criticalTable holds the critical values for each of tabledDF. A test simulates them, which takes seconds.
//
//go:embed critical.json
var criticalTable []byte

var criticalValues = sync.OnceValue(func() (rows [][]float64) {
	_ = json.Unmarshal(criticalTable, &rows) // a test reads it
	return rows
})

// PairErrors returns the number of standard errors on either side of the ratio of a pair, such that the intervals of all
// pairs of k contenders hold together with the default confidence (Bonferroni). The standard errors must be known well.
func PairErrors(k int) float64 {
	return distuv.UnitNormal.Quantile(1 - (1-DefaultConfidence)/2/float64(max(1, k*(k-1)/2)))
}

var tabledDF = []float64{1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 23, 30, 50, 100}

// mostTabled is the largest number of contenders of the table.
const mostTabled = 32

// critical returns the t of a comparison with df degrees of freedom that the largest of the
// comparisons of one of k equal contenders with each other one exceeds with the probability
// 1 - DefaultConfidence (Dunnett, one-sided). df is rounded down to a value of the table.
func critical(k int, df float64) float64 {
	if k > mostTabled {
		return StudentT(df).Quantile(1 - (1-DefaultConfidence)/float64(k-1))
	}
	row := 0
	for row+1 < len(tabledDF) && df >= tabledDF[row+1] {
		row++
	}
	return criticalValues()[row][max(k, 2)]
}

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

// ByChance returns the probability that at least differ of all A/A comparisons exclude 1 by
// chance, if each interval has the default confidence. A small probability means that the
// intervals of the run are too narrow.
func ByChance(differ, all int) float64 {
	if differ <= 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(all), P: 1 - DefaultConfidence}.CDF(float64(differ-1))
}
