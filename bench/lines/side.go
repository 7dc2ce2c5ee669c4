package lines

import (
	"runtime"
	"slices"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Memory is what n timers take and cost the collector.
type Memory struct {
	PerTimer float64 // bytes a timer beyond its 8-byte value
	GC       time.Duration
}

// MeasureMemory fills a structure and looks at the heap.
func MeasureMemory(c Contender, n int) Memory {
	m := newNumbers(n)
	runtime.GC()
	runtime.GC() // what the first one has let go of is gone by now
	before := heap()
	s := c.New()
	for i := range n {
		s.Schedule(structures.Tick(m.delays[i&mask]), uint64(i))
	}
	runtime.GC()
	per := float64(heap()-before)/float64(n) - 8
	var took []float64
	for range 5 {
		start := time.Now()
		runtime.GC()
		took = append(took, float64(time.Since(start)))
	}
	runtime.KeepAlive(m)
	runtime.KeepAlive(s)
	return Memory{per, time.Duration(median(took))}
}

func heap() int64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// Idle is what a structure costs that has next to nothing to do: 1000 timers over
// an hour of milliseconds, each scheduled again when it fires.
type Idle struct {
	PerTick float64 // ns, woken at each of 3.6 million ticks
	// Stepped from each tick that Next names to the next, over as many ticks:
	Steps, Firing int           // wake-ups in all, and those at which something fired
	Moved         uint64        // timers moved without firing
	Took          time.Duration // all steps together
}

const (
	idleTimers = 1000
	idleTicks  = 3_600_000
)

// MeasureIdle drives a structure in both ways, the best of five.
func MeasureIdle(c Contender) Idle {
	var best Idle
	for round := range 5 {
		s := idleStructure(c)
		start := time.Now()
		for now := structures.Tick(1); now <= idleTicks; now++ {
			if t, ok := s.Pop(now); ok {
				s.Schedule(now+idleTicks, t.Value)
				serveIdle(s, now)
			}
		}
		perTick := float64(time.Since(start)) / idleTicks

		s = idleStructure(c)
		steps, firing := 0, 0
		start = time.Now()
		for {
			now, ok := s.Next()
			if !ok || now > idleTicks {
				break
			}
			steps++
			if serveIdle(s, now) {
				firing++
			}
		}
		took := time.Since(start)
		if round == 0 || perTick < best.PerTick {
			best.PerTick = perTick
		}
		if round == 0 || took < best.Took {
			best.Took = took
		}
		best.Steps, best.Firing = steps, firing
		if w, ok := s.(interface{ Work() structures.Work }); ok {
			best.Moved = w.Work().Moved
		}
	}
	return best
}

func idleStructure(c Contender) structures.Scheduler[uint64] {
	m := newNumbers(idleTimers)
	s := c.New()
	for i := range uint64(idleTimers) {
		s.Schedule(structures.Tick(m.delays[i])*(idleTicks/Span), i)
	}
	return s
}

// serveIdle pops what is due, and reports whether anything was. What fires is due
// again an hour later.
func serveIdle(s structures.Scheduler[uint64], now structures.Tick) bool {
	fired := false
	for {
		t, ok := s.Pop(now)
		if !ok {
			return fired
		}
		fired = true
		s.Schedule(now+idleTicks, t.Value)
	}
}

// Tail is how long single calls take.
type Tail struct {
	P999, Max float64 // ns, with a reading of the clock in each
	Calls     int
}

// tailRounds is how often a script is gone through. A call that is long because
// of what it has to do is long each time, and one that the machine has interrupted
// is not: each call counts with the shortest time that it took.
const tailRounds = 3

// MeasureTail stamps every call of a script: from empty to n timers, then churn and
// hold in turns.
func MeasureTail(c Contender, n, operations int) Tail {
	var took []uint32
	for round := range tailRounds {
		r := newRun(c.New(), n, newNumbers(n))
		call := 0
		stamp := func(start time.Time) {
			ns := uint32(min(time.Since(start), 1<<31))
			if round == 0 {
				took = append(took, ns)
			} else {
				took[call] = min(took[call], ns)
			}
			call++
		}
		runtime.GC()
		r.stampedFill(stamp)
		r.stampedMix(operations, stamp)
	}
	slices.Sort(took)
	return Tail{
		P999: float64(took[int(0.999*float64(len(took)))]), Max: float64(took[len(took)-1]), Calls: len(took),
	}
}

func (r *run) stampedFill(stamp func(time.Time)) {
	for i := range r.ids {
		r.at++
		start := time.Now()
		id := r.s.Schedule(r.now+structures.Tick(r.rand.delays[r.at&mask]), uint64(i))
		stamp(start)
		r.ids[i] = id
	}
}

// stampedMix serves a tick, then cancels as many as have fired and schedules as
// many others, and so on.
func (r *run) stampedMix(operations int, stamp func(time.Time)) {
	schedule := func(value uint64) {
		r.at++
		deadline := r.now + structures.Tick(r.rand.delays[r.at&mask])
		start := time.Now()
		id := r.s.Schedule(deadline, value)
		stamp(start)
		r.ids[value] = id
	}
	for done := 0; done < operations; {
		r.now++
		fired := 0
		for {
			start := time.Now()
			t, ok := r.s.Pop(r.now)
			stamp(start)
			if !ok {
				break
			}
			fired++
			schedule(t.Value)
		}
		for range fired {
			r.at++
			victim := r.rand.victims[r.at&mask]
			start := time.Now()
			ok := r.s.Cancel(r.ids[victim])
			stamp(start)
			if ok {
				schedule(uint64(victim))
			}
		}
		done += fired + 1
	}
}
