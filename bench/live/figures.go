package live

import (
	"slices"

	"github.com/timerbench/timerbench/bench/results"
)

// Median returns the median of what value makes of the items that are wanted, and false
// if there are none.
func Median[T any](items []T, wanted func(T) bool, value func(T) float64) (float64, bool) {
	var values []float64
	for _, item := range items {
		if wanted(item) {
			values = append(values, value(item))
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2, true
}

// PerSecond returns the operations a second of a row, over its rounds.
func PerSecond(row results.LiveRow, op Op, goroutines int) (float64, bool) {
	return Median(row.Throughput, func(t results.LiveThroughput) bool { return is(t, op, goroutines) }, results.LiveThroughput.PerSecond)
}

// Extent returns the least and the most of what PerSecond is the median of.
func Extent(row results.LiveRow, op Op, goroutines int) (least, most float64) {
	for _, t := range row.Throughput {
		if is(t, op, goroutines) {
			x := t.PerSecond()
			if least == 0 || x < least {
				least = x
			}
			most = max(most, x)
		}
	}
	return least, most
}

func is(t results.LiveThroughput, op Op, goroutines int) bool {
	return t.Op == string(op) && t.Goroutines == goroutines
}

// Counterpart returns what Go's own timers do instead of an operation.
func Counterpart(op Op) Op {
	if op == StartStop(Schedule) || op == StartStop(Embedded) {
		return StartStop(AfterFunc)
	}
	return op
}

// Ratio returns how many times the throughput of other a row has, other doing what the
// counterpart is: the median of the ratios within each round.
func Ratio(row, other results.LiveRow, op Op, goroutines int) (float64, bool) {
	return Median(row.Throughput,
		func(t results.LiveThroughput) bool {
			_, ok := counterpart(t, other)
			return ok && is(t, op, goroutines)
		},
		func(t results.LiveThroughput) float64 {
			o, _ := counterpart(t, other)
			return t.PerSecond() / o.PerSecond()
		})
}

// counterpart returns the slice of another row to compare a slice with.
func counterpart(t results.LiveThroughput, other results.LiveRow) (results.LiveThroughput, bool) {
	for _, o := range other.Throughput {
		if is(o, Counterpart(Op(t.Op)), t.Goroutines) && o.Round == t.Round {
			return o, true
		}
	}
	return results.LiveThroughput{}, false
}

// Baseline returns the row of Go's own timers among so many resident ones.
func Baseline(l *results.Live, resident int) (results.LiveRow, bool) {
	for _, row := range l.Rows {
		if row.Role == results.RoleBaseline && row.Resident == resident {
			return row, true
		}
	}
	return results.LiveRow{}, false
}

// Residents returns the numbers of resident timers in ascending order.
func Residents(l *results.Live) []int {
	var all []int
	for _, row := range l.Rows {
		all = append(all, row.Resident)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
