package stats

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
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

// Widened returns the estimate with an interval that reaches at least as far as the spread on either side.
func (e Estimate) Widened(spread float64) Estimate {
	if e.OK() {
		e.Lo, e.Hi = min(e.Lo, e.Center*math.Exp(-spread)), max(e.Hi, e.Center*math.Exp(spread))
	}
	return e
}
