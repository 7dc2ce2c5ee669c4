package stats

import (
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
)

func TestCriticalValuesAgreeWithTheTables(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		k    int
		df   float64
		want float64
	}{
		{2, 5, StudentT(5).Quantile(0.975)},
		{2, 100, StudentT(100).Quantile(0.975)},
		// Quantiles of the studentized range with many degrees of freedom, by the root of 2.
		{3, 100, 3.365 / math.Sqrt2},
		{4, 100, 3.695 / math.Sqrt2},
		{10, 100, 4.578 / math.Sqrt2},
		{20, 100, 5.137 / math.Sqrt2},
	} {
		if got := critical(test.k, test.df, Options{}); math.Abs(got/test.want-1) > 0.02 {
			t.Errorf("%d contenders, %g degrees of freedom: %.3f, want %.3f", test.k, test.df, got, test.want)
		}
	}
}

// Update makes tests write what they hold.
var Update = flag.Bool("update", false, "write critical.json anew, and with "+longtest.Env+"=1 the table in doc.go")

// One row of the table is simulated anew, and all of them with -update.
func TestTheTableIsThatOfTheSimulation(t *testing.T) {
	t.Parallel()
	var rows []criticalRow
	for looks := 1; looks <= RaceLooks; looks++ {
		for _, df := range tabledDF {
			f := family{looks, df, 32}
			switch of, ok := criticalValues().Load(f); {
			case *Update:
				rows = append(rows, criticalRow{looks, df, f.simulate()})
			case !ok:
				t.Errorf("no values of %+v", f)
			case looks == 2 && df == 10 && !slices.Equal(of.(func() []float64)(), f.simulate()):
				t.Errorf("%+v has other values: write them anew with -update", f)
			}
		}
	}
	if *Update {
		data, err := json.Marshal(rows)
		if err = errors.Join(err, os.WriteFile("critical.json", data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestThePriorFindsHowAlikeVariancesAre(t *testing.T) {
	t.Parallel()
	if got := trigammaInverse(trigamma(3.7)); math.Abs(got-3.7) > 1e-6 {
		t.Errorf("the inverse of trigamma at trigamma(3.7) is %g", got)
	}
	of := func(variances ...float64) common {
		var all []estimate
		for _, v := range variances {
			all = append(all, estimate{units: make([][]point, 5), variance: v})
		}
		var p common
		p.fit(all, math.Inf(1))
		return p
	}
	if p := of(4, 4, 4, 4); p.df != p.most/perDF || p.variance < 3.5 || p.variance > 5.5 || p.most != 16 {
		t.Errorf("equal variances: %+v", p)
	}
	if p := of(0.0001, 1, 100, 10_000); p.df != min(leastDF, p.most/perDF) {
		t.Errorf("unequal variances: %+v", p)
	}
	if p := of(0, 0, 0); p != (common{}) {
		t.Errorf("no variance: %+v", p)
	}
}
