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

// Quartiles returns between what the middle half of the slices is whose median PerSecond
// returns.
func Quartiles(row results.LiveRow, op Op, goroutines int) (lower, upper float64) {
	var values []float64
	for _, t := range row.Throughput {
		if is(t, op, goroutines) {
			values = append(values, t.PerSecond())
		}
	}
	if len(values) == 0 {
		return 0, 0
	}
	slices.Sort(values)
	return values[len(values)/4], values[len(values)-1-len(values)/4]
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
// counterpart is: the median of the ratios of slices that were next to one another.
func Ratio(row, other results.LiveRow, op Op, goroutines int) (float64, bool) {
	beside := make(map[int]float64)
	for _, o := range other.Throughput {
		if is(o, Counterpart(op), goroutines) {
			beside[o.Turn] = o.PerSecond()
		}
	}
	return Median(row.Throughput,
		func(t results.LiveThroughput) bool { return is(t, op, goroutines) && beside[t.Turn] > 0 },
		func(t results.LiveThroughput) float64 { return t.PerSecond() / beside[t.Turn] })
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
