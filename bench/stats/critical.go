package stats

import (
	_ "embed"
	"encoding/json"
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
