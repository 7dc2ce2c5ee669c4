package stats

import "math"

// Sample is one measurement: a cost in a round. The value is positive, in any unit.
// Values that are not positive and finite are left out.
type Sample struct {
	Layout   int // code layout of the program
	Instance int // instance of the contender, counted over all layouts
	Round    int // what was measured in the same round is paired
	Value    float64
}

// Level is the outermost unit of variation that samples hold more than one of. An
// interval holds the variation of its level and of those within.
type Level int

// The levels, inner to outer.
const (
	Rounds    Level = iota // one instance: placement in memory is not in the interval
	Instances              // several instances in one layout: code layout is not in the interval
	Layouts                // several layouts
)

// DefaultConfidence is the confidence of every interval.
const DefaultConfidence = 0.95

// Options of an analysis. The zero value is a single comparison, looked at once.
type Options struct {
	Looks int   // how often the data are analysed while they grow, see RaceLooks; 0: once
	Prior Prior // what others say of the variance: of one figure for Paired and Center, see PoolPairs for NewCell

	// BetweenRuns is the standard deviation between runs of the logarithm of a cost, beyond
	// what differs between instances; used by Center. 0: the interval is for this run.
	BetweenRuns float64
}

// BetweenRuns returns the standard deviation between runs of the logarithm of a cost among n
// timers: what one run cannot see, such as the frequency of the processor, the neighbours on
// the machine and the pages that the process got.
//
// It was measured in runs with five structures on an AMD EPYC (a virtual machine). Among
// 1,000 timers 0.015 suffices on a quiet machine, and 0.03 where other work comes and goes. Among
// a million each step waits for memory, which neighbours use as well, for minutes at a time: the
// cost of a red-black tree differed by a quarter between runs, within each of which it hardly
// varied. In between it is interpolated. Of 216 pairs of
// intervals of four runs 1 was disjoint.
func BetweenRuns(n int) float64 {
	const (
		few, many        = 1e3, 1e6
		inCaches, beyond = 0.03, 0.1
	)
	share := math.Log(max(few, min(float64(n), many))/few) / math.Log(many/few)
	return inCaches * math.Pow(beyond/inCaches, share)
}

// DefaultWidth is the difference that does not matter, as a share.
const DefaultWidth = 0.05

// point is the logarithm of a value, or of a ratio, and its place.
type point struct {
	layout, instance, round int
	log                     float64
}

// logs returns the usable samples as logarithms, in their order.
func logs(a []Sample) []point {
	out := make([]point, 0, len(a))
	for _, s := range a {
		if s.Value > 0 && !math.IsInf(s.Value, 1) {
			out = append(out, point{s.Layout, s.Instance, s.Round, math.Log(s.Value)})
		}
	}
	return out
}

// differences returns the log ratios of the rounds that a and b have in common, in the
// order of a. If b has fewer instances than a, the instances are those of b: of two ways to
// divide the rounds, the coarser one counts.
func differences(a, b []point) []point {
	byRound := make(map[int]point, len(b))
	for _, p := range b {
		byRound[p.round] = p
	}
	out := make([]point, 0, len(a))
	for _, p := range a {
		if of, ok := byRound[p.round]; ok {
			out = append(out, point{p.layout, p.instance, p.round, p.log - of.log})
		}
	}
	own, other := units(out, Instances), make([]point, 0, len(out))
	for _, p := range out {
		of := byRound[p.round]
		other = append(other, point{of.layout, of.instance, p.round, p.log})
	}
	if len(units(other, Instances)) < len(own) {
		return other
	}
	return out
}

// units groups points by their unit at a level, in the order of their first points.
func units(points []point, level Level) [][]point {
	index := make(map[[2]int]int)
	var out [][]point
	for i, p := range points {
		key := [2]int{p.layout, p.instance}
		switch level {
		case Layouts:
			key[1] = 0
		case Rounds:
			key = [2]int{i, 0}
		}
		at, ok := index[key]
		if !ok {
			at = len(out)
			index[key] = at
			out = append(out, nil)
		}
		out[at] = append(out[at], p)
	}
	return out
}

// outermost returns the units of the outermost level of which there are two or more.
func outermost(points []point) ([][]point, Level) {
	for _, level := range []Level{Layouts, Instances} {
		if u := units(points, level); len(u) > 1 {
			return u, level
		}
	}
	return units(points, Rounds), Rounds
}
