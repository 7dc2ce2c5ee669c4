package stats

import "math"

// Sample is one measurement: the cost of a contender in a round, in any unit. Values that
// are not positive and finite are ignored.
type Sample struct {
	Layout   int // code layout of the program
	Instance int // instance of the contender, counted over all layouts
	Round    int // samples of the same round are paired
	Value    float64
}

// Level is the outermost level of variation with at least two units in the samples. An
// interval covers the variation at its level and at inner levels.
type Level int

// The levels, inner to outer.
const (
	Rounds    Level = iota // one instance: the interval does not cover placement in memory
	Instances              // several instances in one layout: the interval does not cover code layout
	Layouts                // several layouts
)

// DefaultConfidence is the confidence of every interval.
const DefaultConfidence = 0.95

// Options configures an analysis. The zero value is a single comparison at one look.
type Options struct {
	Looks int   // number of analyses of the growing data, see RaceLooks; 0 means 1
	Prior Prior // common variance of similar figures; NewCell takes a prior of PoolPairs

	// BetweenRuns is the standard deviation of the logarithm of a cost between runs, beyond the
	// variation between instances. Center uses it. If it is 0, the interval is for this run only.
	BetweenRuns float64
}

// BetweenRuns returns the standard deviation between runs of the logarithm of a cost among n
// timers. Its causes are invisible to a single run: the processor's frequency, the neighbors on
// the machine, the pages of the process.
//
// It was measured in runs with five structures on an AMD EPYC (a virtual machine). Among
// 1,000 timers 0.015 suffices on a quiet machine, and 0.03 with changing load. Among a million
// timers each step waits for memory that neighbors use too, for minutes at a time: the cost of a
// red-black tree differed by a quarter between runs and hardly varied within a run. Values in
// between are interpolated. Of 216 pairs of intervals from four runs 1 was disjoint.
func BetweenRuns(n int) float64 {
	const (
		few, many        = 1e3, 1e6
		inCaches, beyond = 0.03, 0.1
	)
	share := math.Log(max(few, min(float64(n), many))/few) / math.Log(many/few)
	return inCaches * math.Pow(beyond/inCaches, share)
}

// DefaultWidth is the largest difference that does not matter, as a share.
const DefaultWidth = 0.05

// point is the logarithm of a value or of a ratio, with its round.
type point struct {
	layout, instance, round int
	log                     float64
}

// logs returns the logarithms of the usable samples, in order.
func logs(a []Sample) []point {
	out := make([]point, 0, len(a))
	for _, s := range a {
		if s.Value > 0 && !math.IsInf(s.Value, 1) {
			out = append(out, point{s.Layout, s.Instance, s.Round, math.Log(s.Value)})
		}
	}
	return out
}

// differences returns the log ratios of the common rounds of a and b, in the order of a. The
// instances are those of a or of b, whichever has fewer.
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

// outermost returns the units of the outermost level with at least two units.
func outermost(points []point) ([][]point, Level) {
	for _, level := range []Level{Layouts, Instances} {
		if u := units(points, level); len(u) > 1 {
			return u, level
		}
	}
	return units(points, Rounds), Rounds
}
