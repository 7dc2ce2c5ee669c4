package stats

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/timerbench/timerbench/internal/longtest"
)

func TestCriticalValuesAgreeWithTheTables(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		k    int
		df   float64
		want float64
	}{
		{2, 5, StudentT(5).Quantile(0.95)},
		{2, 100, StudentT(100).Quantile(0.95)},
		// Dunnett 1955, one-sided, many degrees of freedom.
		{3, 100, 1.92}, {4, 100, 2.06}, {6, 100, 2.23}, {10, 100, 2.42},
	} {
		if got := critical(test.k, test.df); math.Abs(got/test.want-1) > 0.03 {
			t.Errorf("%d contenders, %g degrees of freedom: %.3f, want %.3f", test.k, test.df, got, test.want)
		}
	}
	if below, at := critical(3, 9.9), critical(3, 10); below != critical(3, 8) || at >= below {
		t.Errorf("9.9 degrees of freedom have %v, 10 have %v, want the value of 8 for 9.9", below, at)
	}
	if two, four := PairErrors(2), PairErrors(4); math.Abs(two-1.96) > 1e-3 || math.Abs(four-2.638) > 1e-3 {
		t.Errorf("%v standard errors for one pair, %v for six, want 1.96 and 2.638", two, four)
	}
	if many, most := critical(mostTabled+1, 30), critical(mostTabled, 30); many < most || many > 1.3*most {
		t.Errorf("%g for one more than the table has, %g before", many, most)
	}
}

// Update makes tests write what they hold.
var Update = flag.Bool("update", false, "write critical.json anew, and with "+longtest.Env+"=1 the table in doc.go")

// One row of the table is simulated anew, and all of them with -update.
func TestTheTableIsThatOfTheSimulation(t *testing.T) {
	t.Parallel()
	if !*Update {
		if rows := criticalValues(); len(rows) != len(tabledDF) || !slices.Equal(rows[7], simulate(tabledDF[7])) {
			t.Error("critical.json has other values: write them anew with -update")
		}
		return
	}
	var rows [][]float64
	for _, df := range tabledDF {
		rows = append(rows, simulate(df))
	}
	data, err := json.Marshal(rows)
	if err = errors.Join(err, os.WriteFile("critical.json", data, 0o644)); err != nil {
		t.Fatal(err)
	}
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
