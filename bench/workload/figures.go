package workload

import (
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
