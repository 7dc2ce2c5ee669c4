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

// Level is the level of variation that an interval covers.
type Level int

// The levels, inner to outer.
const (
	Rounds  Level = iota // rounds are the units; Options.Floor adds the variation between instances
	Layouts              // layouts are the units
)

// DefaultConfidence is the confidence of every interval.
const DefaultConfidence = 0.95

// Options configures an analysis. The zero value is a single comparison of one group.
type Options struct {
	Prior Prior   // common variance of similar figures
	Floor float64 // standard deviation of a logarithm between instances, see InstanceFloor

	// BetweenRuns is the standard deviation of the logarithm of a cost between runs, beyond the
	// variation within a run. Center uses it. If it is 0, the interval is for this run only.
	BetweenRuns float64
}

// InstanceFloor returns the standard deviation between instances of the logarithm of a ratio among n
// timers. In three kept runs it was 0.03 to 0.04 up to 1,000 timers and about 0 from 10,000 on.
func InstanceFloor(n int) float64 {
	if n < 10_000 {
		return 0.04
	}
	return 0.02
}

// BetweenRuns returns the standard deviation between runs of the logarithm of a cost among n
// timers, whose causes are invisible to a single run: the processor's frequency, the neighbors on
// the machine, the pages of the process. It was measured at 1,000 timers on a machine with changing load, and at a million, where
// each step waits for memory that neighbors use too. Values in between are interpolated.
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

// differences returns the log ratios of the common rounds of a and b, in the order of a.
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
	return out
}

// units groups points by layout if there are several layouts. Otherwise each point is a unit.
func units(points []point) ([][]point, Level) {
	var out [][]point
	at := make(map[int]int)
	for _, p := range points {
		if i, ok := at[p.layout]; ok {
			out[i] = append(out[i], p)
		} else {
			at[p.layout], out = len(out), append(out, []point{p})
		}
	}
	if len(out) > 1 {
		return out, Layouts
	}
	out = make([][]point, len(points))
	for i := range points {
		out[i] = points[i : i+1]
	}
	return out, Rounds
}

// instances counts the instances of points. Layouts have their own.
func instances(points []point) int {
	seen := make(map[[2]int]bool)
	for _, p := range points {
		seen[[2]int{p.layout, p.instance}] = true
	}
	return len(seen)
}
