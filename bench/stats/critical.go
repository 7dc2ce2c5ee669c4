package stats

import (
	_ "embed"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// criticalTable holds the values of simulate for each of tabledDF: simulating them takes seconds.
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

// simulate returns the critical value for each number of contenders: a quantile over simulated cells.
// Each contender has its own error in its standard error, of df/2 degrees of freedom, so that a
// pair has df.
func simulate(df float64) []float64 {
	const cells = 65_536
	rng := rand.New(rand.NewPCG(2004, 1984))
	scale := distuv.ChiSquared{K: df / 2, Src: rng}
	draw := func() (mean, variance float64) { return rng.NormFloat64(), scale.Rand() / scale.K }
	largest := make([][]float64, mostTabled+1)
	for range cells {
		best, of := draw()
		top := math.Inf(-1)
		for k := 2; k <= mostTabled; k++ {
			mean, variance := draw()
			top = max(top, (best-mean)/math.Sqrt(of+variance))
			largest[k] = append(largest[k], top)
		}
	}
	out := make([]float64, mostTabled+1)
	for k := 2; k <= mostTabled; k++ {
		slices.Sort(largest[k])
		out[k] = math.Round(1000*largest[k][int(math.Ceil(DefaultConfidence*cells))]) / 1000
	}
	return out
}
