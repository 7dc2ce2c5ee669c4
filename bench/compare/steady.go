package compare

import (
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures/entry"
)

// Steady describes the steady state of a replay.
type Steady struct {
	Unit  script.Unit `json:"unit"`
	Units float64     `json:"units"` // in the second part of the script
}

// Modes of [ReplayForCount].
const (
	proof = "proof" // both parts, with every answer checked
	first = "first" // the first part
	both  = "both"  // both parts
)

// steadyCalls is the minimum number of operations in each part of a script (chosen).
const steadyCalls = 200_000

// ReplayForCount writes a script that fills a structure and continues for two parts: one until the steady state, as the warm-up of
// a run, and one after it. It replays the script on a new instance. All modes write the same script. The counted modes check
// only the final counts of exact structures, because further checks would be counted too.
func ReplayForCount(w workload.Workload, n int, seed uint64, e entry.Entry, how string) (Steady, error) {
	s := w.Script(n, seed)
	blocks, size := []*script.Block{s.Fill()}, max(steadyCalls, 2*n)
	for warm := w.WarmUp(n); ; {
		warm.Note(blocks[len(blocks)-1])
		if warm.Done() && warm.Operations() >= size || w.Kind().Cyclic && len(blocks) > 1 {
			break
		}
		blocks = append(blocks, s.Next(size/4, nil))
	}
	blocks = append(blocks, s.Next(size, nil))
	out := Steady{Unit: w.CostUnit(), Units: blocks[len(blocks)-1].Units(w.CostUnit())}
	i := replay.New(e)
	if err := i.Begin(0); err != nil {
		return out, err
	}
	if how == proof {
		for _, b := range blocks {
			if _, err := i.Replay(b, true); err != nil {
				return out, err
			}
			if err := i.Check(nil); err != nil {
				return out, err
			}
		}
		return out, i.Check(s.Pending)
	}
	if how == first {
		blocks = blocks[:len(blocks)-1]
	}
	for _, b := range blocks {
		if _, err := i.Replay(b, false); err != nil {
			return out, err
		}
	}
	if !e.Exact() {
		return out, nil
	}
	return out, i.Check(nil)
}
