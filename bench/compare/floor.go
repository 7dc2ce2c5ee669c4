package compare

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// noiseFloors returns the noise floors of all cells as log ratios, for each cell the larger
// one of the two results. A cell without a control has no noise floor. A control has few
// instances, so the controls of the same decade of n tell its variance together.
func noiseFloors(runs ...*results.Run) map[cellKey]float64 {
	found, byDecade := make(map[cellKey][]control), make(map[int][]control)
	decade := func(of cellKey) int { return int(math.Log10(float64(max(of.n, 1)))) }
	for _, r := range runs {
		for _, c := range r.Cells {
			if a, ok := controlOf(c); ok {
				at := keyOf(c)
				found[at] = append(found[at], a)
				byDecade[decade(at)] = append(byDecade[decade(at)], a)
			}
		}
	}
	floors := make(map[cellKey]float64)
	for at, list := range found {
		for _, a := range list {
			floors[at] = max(floors[at], floor(a, byDecade[decade(at)]))
		}
	}
	return floors
}

// controlOf returns the A/A comparison of a cell. If the cell has several, it returns the one with the most rounds.
func controlOf(c results.Cell) (best control, ok bool) {
	for _, row := range c.Rows {
		if row.Role != results.RoleControl {
			continue
		}
		for _, of := range c.Rows {
			if of.Role == results.RoleStructure && of.Structure == row.Of {
				a := control{stats.Samples(of.Cost), stats.Samples(row.Cost)}
				if inCommon(a.of, a.again) > inCommon(best.of, best.again) {
					best, ok = a, true
				}
			}
		}
	}
	return best, ok
}

// control holds the samples of a structure and of a second instance of it.
type control struct{ of, again []stats.Sample }

// floorShare is the share of A/A comparisons whose difference is below the noise floor.
const floorShare = 0.99

// floor returns the noise floor of a cell: the 99th percentile of |log ratio| for two instances of one contender. The
// standard error is the larger one of two estimates: the one from the rounds of the control, and the root mean square
// of the log ratios of all controls of its kind. The second estimate contains the variation between instances, which
// the rounds of one pair do not show. floor returns 0 if nothing is known.
func floor(c control, kind []control) float64 {
	r := paired(c.of, c.again)
	if !r.Bounded() {
		return 0
	}
	squares := 0.0
	for _, other := range kind {
		of := paired(other.of, other.again)
		if of.Pairs > 0 {
			squares += math.Pow(math.Log(of.Center), 2) / float64(len(kind))
		}
	}
	return max(r.SE, math.Sqrt(squares)) * studentT(max(r.DF, float64(len(kind)))).Quantile(1-(1-floorShare)/2)
}

// Repeats says how far two runs of one build differ. A row may flip between two processes far beyond its interval: addresses and
// page placement change with the process, and all rounds of a run share them. Such a flip shows in pairs of runs only, as a difference
// that is significant although nothing has changed.
type Repeats struct {
	Machine  string             `json:"machine"`
	Revision string             `json:"revision"`
	Runs     int                `json:"runs"`    // each is compared with each
	Largest  map[string]float64 `json:"largest"` // by structure: the largest |log ratio| of a flip, without the shift of its cell
}

// repeats.json is written by go test ./bench/compare -run Repeats -update -args -runs A,B,C.
//
//go:embed repeats.json
var repeatsJSON []byte

var kept = func() (r Repeats) {
	if err := json.Unmarshal(repeatsJSON, &r); err != nil {
		panic(fmt.Sprintf("compare: repeats.json: %v", err))
	}
	return r
}()

// floorOf returns the least log ratio of a difference of a structure between two processes: that of its largest flip, or 0.
func (r Repeats) floorOf(structure string) float64 { return r.Largest[structure] }
