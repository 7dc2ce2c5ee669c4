package compare

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"

	"github.com/timerbench/timerbench/bench/results"
)

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

// RepeatsOf learns from runs of one build on one machine.
func RepeatsOf(runs []*results.Run) (Repeats, error) {
	if len(runs) < 2 {
		return Repeats{}, fmt.Errorf("%d runs: want at least two", len(runs))
	}
	e := runs[0].Environment
	out := Repeats{Machine: e.CPU, Revision: e.Revision, Runs: len(runs), Largest: make(map[string]float64)}
	for i, old := range runs {
		for _, new := range runs[i+1:] {
			if n := new.Environment; n.CPU != e.CPU || n.Revision != e.Revision {
				return Repeats{}, fmt.Errorf("runs of %s at %s and of %s at %s: want one machine and one build", e.CPU, e.Revision, n.CPU, n.Revision)
			}
			found := pairsOf(old, new, false)
			judge(found, false, Options{Alpha: 0.05, MinEffect: 0.05}, Repeats{})
			for _, p := range found {
				if log := math.Abs(math.Log(p.row.Adjusted.Center)); p.judged() && (p.row.Verdict == Slower || p.row.Verdict == Faster) {
					out.Largest[p.row.Structure] = max(out.Largest[p.row.Structure], math.Round(1000*log)/1000)
				}
			}
		}
	}
	return out, nil
}
