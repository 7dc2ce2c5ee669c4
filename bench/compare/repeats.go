package compare

import (
	_ "embed"
	"encoding/json"
	"fmt"
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
