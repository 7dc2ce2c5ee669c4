package bench

import (
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// A contender gets no more rounds if it took clearlyBehind times as long as the best structure in each
// of at least leastRounds rounds. After enoughRounds it suffices that it took longer in each round,
// and somewhatBehind times as long in the mean. The values are chosen by a simulation: with noise of 28 %
// from round to round, the best of 30 equal structures is dropped in less than 1 % of cells.
const (
	leastRounds, clearlyBehind   = 3, 2.0
	enoughRounds, somewhatBehind = 12, 1.3
)

// behind reports whether the log ratios of a contender to the best structure, one for each round, are
// far enough above 0 to drop the contender.
func behind(ratios []float64) bool {
	if len(ratios) < leastRounds {
		return false
	}
	least := slices.Min(ratios)
	return least >= math.Log(clearlyBehind) ||
		len(ratios) >= enoughRounds && least > 0 && meanRatio(ratios) >= somewhatBehind
}

// logRatios returns the logarithms of the ratios of two contenders in their common rounds.
func logRatios(a, b []results.Trial) (logs []float64) {
	rounds := make(map[int]float64)
	for _, t := range b {
		rounds[t.Round] = t.NS
	}
	for _, t := range a {
		if of := rounds[t.Round]; of > 0 && t.NS > 0 {
			logs = append(logs, math.Log(t.NS/of))
		}
	}
	return logs
}

func meanRatio(logs []float64) float64 {
	sum := 0.0
	for _, l := range logs {
		sum += l
	}
	return math.Exp(sum / float64(max(1, len(logs))))
}

// toBest returns the log ratios of each row to the structure with the least mean cost that is not beaten.
func toBest(rows []results.Row) [][]float64 {
	var best []results.Trial
	for _, r := range rows {
		if r.Role == results.RoleStructure && r.Stopped != results.StoppedBeaten && len(r.Cost) > 0 &&
			(best == nil || meanRatio(logRatios(r.Cost, best)) < 1) {
			best = r.Cost
		}
	}
	logs := make([][]float64, len(rows))
	for i, r := range rows {
		logs[i] = logRatios(r.Cost, best)
	}
	return logs
}

// compared reports whether a row is of a structure or a program.
func compared(r results.Row) bool {
	return r.Role != results.RoleFloor && r.Role != results.RoleControl
}

// dropBehind stops the contenders that are far behind the best structure. The floor gets all rounds. The control stops with the
// structure that it repeats.
func dropBehind(rows []*contender) {
	for i, logs := range toBest(rowsOf(rows)) {
		if r := rows[i]; compared(r.Row) && r.Stopped == results.StoppedDone && behind(logs) {
			r.Stopped = results.StoppedBeaten
		}
	}
	for _, r := range rows {
		if i := slices.IndexFunc(rows, func(of *contender) bool { return of.Structure == r.Of }); r.Role == results.RoleControl && i >= 0 {
			r.Stopped = rows[i].Stopped
		}
	}
}

func rowsOf(list []*contender) (rows []results.Row) {
	for _, r := range list {
		rows = append(rows, r.Row)
	}
	return rows
}

// outOfTime notes that the contenders of the cell got fewer rounds than planned.
func (m *measuring) outOfTime() {
	for _, r := range m.rows {
		if r.Stopped == results.StoppedDone && (r.Role == results.RoleStructure || r.Role == results.RoleIntrusive) {
			r.Stopped = results.StoppedBudget
		}
	}
}
