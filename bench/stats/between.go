package stats

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// Spread says how far two runs of one build on one machine differ among cells of a size: the largest of the smallest 90 of 100
// differences, as a logarithm.
type Spread struct {
	N     int     `json:"n"`     // cells with at least that many timers, up to the next N
	Rows  int     `json:"rows"`  // compared
	Cost  float64 `json:"cost"`  // of costs
	Ratio float64 `json:"ratio"` // of ratios to the fastest
	Net   float64 `json:"net"`   // of such ratios without the loop
}

// between.json is written by go test ./bench/stats -run Between -update -args -runs A,B,C,D: A and B are runs of one build, as are C and D.
//
//go:embed between.json
var betweenJSON []byte

// Spreads are the kept spreads, by N.
var Spreads = func() (out []Spread) {
	if err := json.Unmarshal(betweenJSON, &out); err != nil {
		panic(fmt.Sprintf("stats: between.json: %v", err))
	}
	return out
}()

// SpreadOf returns the kept spread of cells with n timers.
func SpreadOf(n int) Spread {
	var of Spread
	for _, s := range Spreads {
		if s.N <= n {
			of = s
		}
	}
	return of
}

// widened returns the estimate with an interval that reaches at least as far as the spread on either side.
func (e Estimate) widened(spread float64) Estimate {
	if e.OK() {
		e.Lo, e.Hi = min(e.Lo, e.Center*math.Exp(-spread)), max(e.Hi, e.Center*math.Exp(spread))
	}
	return e
}

// held is the share of the rows of which the next run shows what the interval holds.
const held = 0.9

// SpreadsOf learns spreads from pairs of runs, each of one build on one machine, for cells of at least each of the sizes. It
// compares all structures with rounds enough for an interval. It leaves out a size without any.
func SpreadsOf(pairs [][2]*results.Run, sizes []int) []Spread {
	var out []Spread
	for i, n := range sizes {
		var costs, ratios, nets []float64
		add := func(to *[]float64, a, b Estimate) {
			if a.OK() && b.OK() && !a.Few && !b.Few {
				*to = append(*to, math.Abs(math.Log(a.Center/b.Center)))
			}
		}
		for _, pair := range pairs {
			for j := range pair[0].Cells {
				first := &pair[0].Cells[j]
				second := pair[1].Cell(first.Workload, first.N)
				if second == nil || second.Definition != first.Definition || first.N < n || i+1 < len(sizes) && first.N >= sizes[i+1] {
					continue
				}
				a, b := CostsOf(pair[0], first), CostsOf(pair[1], second)
				lead := a.Fastest()
				for _, row := range a.Exact {
					again, leadAgain := b.Row(row.Structure), b.Row(lead.Structure)
					add(&costs, a.Cost(row), b.Cost(again))
					if row != lead {
						add(&ratios, a.Ratio(row, lead), b.Ratio(again, leadAgain))
						add(&nets, a.Net(row, lead), b.Net(again, leadAgain))
					}
				}
			}
		}
		if len(costs) > 0 {
			out = append(out, Spread{n, len(costs), quantile(costs), quantile(ratios), quantile(nets)})
		}
	}
	return out
}

// quantile returns the least value that the share held of the values do not exceed, with three decimals; 0 without values.
func quantile(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return math.Ceil(1000*values[min(len(values)-1, int(held*float64(len(values))))]) / 1000
}
