package live

import (
	"runtime"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// heapUse is the size of the heap and the cost of collecting it.
type heapUse struct {
	bytes   uint64
	collect time.Duration // processor time of a full collection, minimum of several
}

const collections = 5

func measureHeap() heapUse {
	var took []time.Duration
	for range collections {
		start := time.Now()
		before := used()
		runtime.GC()
		if after := used(); after != before {
			took = append(took, after.cpu-before.cpu)
		} else {
			took = append(took, time.Since(start)) // the system does not say
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return heapUse{m.HeapAlloc, slices.Min(took)}
}

// fillMeasured starts the resident timers and measures their memory. The load allocates its
// own bookkeeping before the first measurement.
func (p *population) fillMeasured() (results.LiveMemory, error) {
	before := measureHeap()
	if err := p.fill(); err != nil {
		return results.LiveMemory{}, err
	}
	after := measureHeap()
	runtime.KeepAlive(p)
	return results.LiveMemory{
		Form:      p.form,
		Bytes:     max(0, float64(after.bytes)-float64(before.bytes)) / float64(p.pending()),
		CollectNS: max(0, float64(after.collect-before.collect)),
	}, nil
}

// garbage is the number of bytes that may be allocated while the collector is off.
const garbage = 1 << 30

// collectGarbage runs the collector if always is set or if more than garbage bytes were allocated while it was off.
func (r *runner) collectGarbage(always bool) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if always || m.HeapAlloc > r.heap+garbage {
		runtime.GC()
		runtime.ReadMemStats(&m)
		r.heap = m.HeapAlloc
	}
}

// usage is the resource use of the process so far. It is 0 on systems that do not report it.
type usage struct {
	cpu    time.Duration
	sleeps int64
}

// meter measures the resource use of the process over an interval.
type meter struct {
	s       System
	began   time.Time
	before  usage
	wakeups uint64
}

func startMeter(s System) meter {
	return meter{s: s, wakeups: s.wakeups(), began: time.Now(), before: used()}
}

func (m meter) stop() results.LiveUse {
	after := used()
	return results.LiveUse{
		Seconds: time.Since(m.began).Seconds(), CPUSeconds: (after.cpu - m.before.cpu).Seconds(),
		Sleeps: after.sleeps - m.before.sleeps, Wakeups: m.s.wakeups() - m.wakeups,
	}
}

func (s System) wakeups() uint64 {
	if s.Stats == nil {
		return 0
	}
	return s.Stats().Wakeups
}
