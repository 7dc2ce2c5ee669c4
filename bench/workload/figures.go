package workload

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/timerbench/timerbench/bench/script"
)

// Figures describe a workload. They are measured on a part of its script.
type Figures struct {
	N           int     // resident timers asked for
	Resident    float64 // mean number of pending timers
	CancelShare float64 // cancelled / (cancelled + fired)
	MoveShare   float64 // moved / all operations that schedule, cancel, move or fire
	Rate        float64 // timers scheduled, cancelled, moved or fired a second of virtual time
}

// MeasureFigures measures workloads. Those without a size of their own have n timers. The others have their own size,
// but at most maxSize. It counts operations of the script and runs no structure.
func MeasureFigures(list []Workload, n, maxSize int) []Figures {
	out := make([]Figures, len(list))
	var group sync.WaitGroup
	for i, w := range list {
		size := n
		if w.Resident > 0 {
			size = min(w.Resident, maxSize)
		}
		group.Go(func() { out[i] = figuresOf(w, size) })
	}
	group.Wait()
	return out
}

func figuresOf(w Workload, n int) Figures {
	const operations = 50_000 // for shares good to a percent
	s := w.Script(n, 1)
	fill := s.Fill().Want
	b := s.Next(operations, nil)
	f := Figures{N: n, Resident: b.Resident}
	cancelled, fired := b.Want.Cancelled-fill.Cancelled, b.Want.Fired-fill.Fired
	if cancelled+fired > 0 {
		f.CancelShare = float64(cancelled) / float64(cancelled+fired)
	}
	f.MoveShare = float64(b.Count(script.KindReschedule)) / float64(b.Calls)
	if b.Ticks > 0 {
		f.Rate = float64(b.Calls) / (time.Duration(b.Ticks) * w.Tick).Seconds()
	}
	return f
}

// alike is how far the logarithms of the percentiles may be from the percentiles of a shape (chosen).
const alike = 0.25

// shapes holds, for each distribution of the grid, the logarithms of its 90th and 99th percentiles as
// multiples of the median.
var shapes = sync.OnceValue(func() map[string][2]float64 {
	const draws = 20_000
	out := make(map[string][2]float64)
	for _, family := range script.GridDists() {
		d, r := family.New(30_000), script.NewRand(1, 1)
		values := make([]float64, draws)
		for i := range values {
			values[i] = d.Draw(r)
		}
		slices.Sort(values)
		out[family.Name] = spreads(values[draws/2], values[draws*9/10], values[draws*99/100])
	}
	return out
})

func spreads(p50, p90, p99 float64) [2]float64 {
	return [2]float64{math.Log(p90 / p50), math.Log(p99 / p50)}
}

// ShapeOf names the distribution of the grid whose percentiles are in the most similar proportions. It is
// empty if none is similar, or if a percentile is not positive.
func ShapeOf(p50, p90, p99 float64) string {
	if !(p50 > 0 && p90 >= p50 && p99 >= p90) {
		return ""
	}
	of, best, nearest := spreads(p50, p90, p99), "", alike
	for _, family := range script.GridDists() {
		s := shapes()[family.Name]
		if d := math.Hypot(of[0]-s[0], of[1]-s[1]); d < nearest {
			best, nearest = family.Name, d
		}
	}
	return best
}
