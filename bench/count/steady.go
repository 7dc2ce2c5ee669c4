package count

import (
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// Steady describes the steady state of a replay.
type Steady struct {
	Unit  script.Unit `json:"unit"`
	Units float64     `json:"units"` // in the second half of the script
}

// Modes of [Replay].
const (
	proof = "proof" // both halves, with every answer checked
	first = "first" // the first half
	both  = "both"  // both halves
)

// steadyCalls is the minimum number of operations in each half of a script (chosen).
const steadyCalls = 200_000

// Replay writes a script that fills a structure and continues for two halves of equal length. It replays the script
// on a new instance. The second half is the steady state. All modes write the same script. The counted modes check
// only the final counts of exact structures, because further checks would be counted too.
func Replay(w workload.Workload, n int, seed uint64, e entry.Entry, how string) (Steady, error) {
	s := w.Script(n, seed)
	blocks := []*script.Block{s.Fill()}
	for range 2 {
		blocks = append(blocks, s.Next(max(steadyCalls, 2*n), nil))
	}
	out := Steady{Unit: w.CostUnit(), Units: blocks[2].Units(w.CostUnit())}
	if how == proof {
		i := replay.New(e)
		for _, b := range blocks {
			if err := i.Prove(b); err != nil {
				return out, err
			}
		}
		return out, i.CheckBindings(s.Pending)
	}
	if how == first {
		blocks = blocks[:2]
	}
	i := replay.Alone(e)
	for _, b := range blocks {
		i.Time(b)
	}
	if !e.Exact() {
		return out, nil
	}
	return out, i.Check(blocks[len(blocks)-1], i.Outcome())
}
