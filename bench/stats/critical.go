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

// RaceLooks is the number of looks that critical values of a race account for. A race looks at the
// data after the third pass and after each later pass. But it stops only when the intervals are
// narrow, and then one more pass changes little. In simulations three looks keep the error below
// 5 % at any noise.
const RaceLooks = 3

// FirstLook is the number of instances at the first look.
const FirstLook = 3

// family identifies the critical values of all numbers of contenders.
type family struct {
	looks      int // at the first of them there are FirstLook units, at each further one there is one more
	df         float64
	contenders int // a power of two
}

// criticalTable holds the simulated values for up to 32 contenders, because simulating the values
// of a report takes seconds.
//
//go:embed critical.json
var criticalTable []byte

// criticalRow is a row of the table.
type criticalRow struct {
	Looks  int
	DF     float64
	Values []float64 // by the number of contenders
}

var criticalValues = sync.OnceValue(func() *sync.Map { // family to func() []float64
	var all sync.Map
	var rows []criticalRow
	_ = json.Unmarshal(criticalTable, &rows) // a test reads it
	for _, r := range rows {
		all.Store(family{r.Looks, r.DF, 32}, func() []float64 { return r.Values })
	}
	return &all
})

// PairErrors returns the number of standard errors on either side of the ratio of a pair, such that the intervals of all
// pairs of k contenders hold together with the default confidence. The standard errors must be known well.
func PairErrors(k int) float64 { return critical(k, tabledDF[len(tabledDF)-1], Options{}) }

// critical returns the critical value of the largest |t| among all pairs of k equal contenders, at
// any of the looks: chance exceeds it with the probability 1 - DefaultConfidence. The t of one
// comparison has df degrees of freedom.
func critical(k int, df float64, o Options) float64 {
	f := family{max(o.Looks, 1), tabled(df), 32}
	for f.contenders < k {
		f.contenders *= 2
	}
	values, _ := criticalValues().LoadOrStore(f, sync.OnceValue(f.simulate))
	return values.(func() []float64)()[max(k, 2)]
}

// tabled rounds degrees of freedom down to a value of the table.
func tabled(df float64) float64 {
	for _, s := range slices.Backward(tabledDF) {
		if df >= s {
			return s
		}
	}
	return tabledDF[0]
}

var tabledDF = []float64{1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 23, 30, 50, 100}

// simulate returns the critical value for each number of contenders. The value for k is a
// quantile over simulated cells of the largest |t| among the first k contenders.
//
// The units of a contender are normal. Each contender has an error of its own in its
// standard error, of df/2 degrees of freedom, so that a pair has df.
func (f family) simulate() []float64 {
	const cells, quantile = 16_384, 15_564 // DefaultConfidence of them
	rng := rand.New(rand.NewPCG(2004, 1984))
	scale := distuv.ChiSquared{K: f.df / 2, Src: rng}
	largest := make([][]float64, f.contenders+1)
	means, variances := make([]float64, f.contenders), make([]float64, f.contenders)
	sums := make([]float64, f.contenders)
	top := make([]float64, f.contenders+1)
	for range cells {
		for i := range sums {
			sums[i] = math.Sqrt(FirstLook-1) * rng.NormFloat64()
			variances[i] = scale.Rand() / scale.K
		}
		clear(top)
		for look := range f.looks {
			n := float64(FirstLook + look)
			for i := range sums {
				sums[i] += rng.NormFloat64()
				means[i] = sums[i] / math.Sqrt(n)
			}
			for i, a := range means {
				for j, b := range means[:i] {
					top[i+1] = max(top[i+1], (a-b)*(a-b)/(variances[i]+variances[j]))
				}
			}
		}
		for k := 2; k <= f.contenders; k++ {
			top[k] = max(top[k], top[k-1])
			largest[k] = append(largest[k], top[k])
		}
	}
	out := make([]float64, f.contenders+1)
	for k := 2; k <= f.contenders; k++ {
		slices.Sort(largest[k])
		out[k] = math.Sqrt(largest[k][quantile])
	}
	return out
}
