// Package price tells what operations on timers cost under a real clock, from measurements of live loads.
package price

import (
	"maps"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
)

// Price is what an operation on timers costs, in ns of processor time.
type Price struct {
	Stop, Channel float64 // set a function and stop it, and a channel
	Move, Fire    float64 // Fire: set a timer and let it fire among many
	Wakeup        float64 // of a process that sleeps, without the timer that fires then; 0: not measured
}

// List are the prices in each turn of a measurement.
type List []Price

// Of returns the prices of timers of a form on the driver on a structure, or of Go's own timers if structure is empty, less the costs of
// the loads themselves. There are none unless all operations were measured.
func Of(l *results.Live, resident int, structure string, form results.Form) (out List) {
	row, _ := l.OnDriver(resident, structure)
	own := results.StartStop(form)
	if structure == "" {
		own = own.Counterpart()
	}
	among := l.Among(resident)
	floor := func(op results.Op) float64 {
		for _, r := range among {
			if r.Role == results.RoleFloor && r.Has(op) {
				return Over(r, op, l.Goroutines[0])
			}
		}
		return 0
	}
	byTurn := make(map[int]map[results.Op]float64)
	for _, t := range row.Throughput {
		if t.Goroutines == l.Goroutines[0] {
			if byTurn[t.Turn] == nil {
				byTurn[t.Turn] = make(map[results.Op]float64)
			}
			byTurn[t.Turn][t.Op] = max(least, t.OpNS()-floor(t.Op))
		}
	}
	for _, turn := range slices.Sorted(maps.Keys(byTurn)) {
		of := byTurn[turn]
		p := Price{Stop: of[own], Channel: of[results.StartStop(results.FormChannel)], Move: of[results.OpReset], Fire: of[results.OpFire]}
		if min(p.Stop, p.Channel, p.Move, p.Fire) == 0 {
			continue
		}
		if wake := of[results.OpWake]; wake > 0 {
			p.Wakeup = max(least, wake-p.Fire)
		}
		out = append(out, p)
	}
	return out
}

// least is a price that is too low to be measured, in ns.
const least = 1e-3

// Calls are calls on timers. Each timer that is set is stopped or fires.
type Calls struct{ Stopped, Moved, Fired float64 }

// Of returns the price of calls on functions, or on channels, in ns.
func (p Price) Of(c Calls, channels bool) float64 {
	stop := p.Stop
	if channels {
		stop = p.Channel
	}
	return c.Stopped*stop + c.Moved*p.Move + c.Fired*p.Fire
}

// Median returns the median of value over the items. It ignores NaN, and returns NaN without any other value.
func Median[T any](items []T, value func(T) float64) float64 {
	var values []float64
	for _, item := range items {
		if v := value(item); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	return stats.MedianOf(values)
}

// Over returns the median processor time of an operation in ns over its slices. It is NaN without any.
func Over(r results.LiveRow, op results.Op, goroutines int) float64 {
	return Median(r.Throughput, func(t results.LiveThroughput) float64 {
		if t.Is(op, goroutines) {
			return t.OpNS()
		}
		return math.NaN()
	})
}

// Relative returns the processor time of an operation relative to that of another row: the median of the ratios of adjacent slices.
// Go's own timers have one form for several operations. It is NaN if there are no such slices.
func Relative(r, other results.LiveRow, op results.Op, goroutines int) float64 {
	adjacent, instead := make(map[int]float64), op
	if !other.Has(op) {
		instead = op.Counterpart()
	}
	for _, o := range other.Throughput {
		if o.Is(instead, goroutines) {
			adjacent[o.Turn] = o.OpNS()
		}
	}
	return Median(r.Throughput, func(t results.LiveThroughput) float64 {
		if o, ok := adjacent[t.Turn]; ok && t.Is(op, goroutines) {
			return t.OpNS() / o
		}
		return math.NaN()
	})
}

// Call returns the wall time of a call in ns over all slices of an operation, with the work that was put off in some of them and
// done in others. It is NaN without any.
func Call(r results.LiveRow, op results.Op, goroutines int) float64 {
	ns, ops := 0.0, 0
	for _, t := range r.Throughput {
		if t.Is(op, goroutines) {
			ns, ops = ns+t.NS, ops+t.Ops
		}
	}
	return ns / float64(ops)
}
