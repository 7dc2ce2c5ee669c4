package driver

import (
	"math/rand/v2"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/timerbench/timerbench/structures"
)

// pendingTimers is the profile of the pending timers of all drivers.
var pendingTimers = sync.OnceValue(func() *pprof.Profile {
	return pprof.NewProfile("timerbench/driver.pending")
})

// profile is what Profiling adds to a shard. The lock of the shard guards it, but for moved.
type profile struct {
	n       uint64 // one timer in n is sampled
	sampled map[timerKey]*sample
	delays  Distribution
	moved   atomic.Uint64
}

// timerKey names a pending timer. A Timer keeps its address, whatever its ID in the structure is.
type timerKey struct {
	t  *Timer
	id structures.ID // if there is no Timer
}

// sample stands for a timer in the profile. It must not be empty: each needs its own address.
type sample struct{ _ byte }

func keyOf(task Task, id structures.ID) timerKey {
	if t := task.timer(); t != nil {
		return timerKey{t: t}
	}
	return timerKey{id: id}
}

// started notes that a timer was started, or started again by the pass.
//
//go:noinline
func (p *profile) started(task Task, id structures.ID, delay int64) {
	key := keyOf(task, id)
	p.delays.add(delay, 1)
	if p.sampled[key] != nil || rand.Uint64N(p.n) > 0 {
		return
	}
	// The stack begins where the driver was called.
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	for skip := 0; ; skip++ {
		frame, more := frames.Next()
		switch {
		case strings.HasPrefix(frame.Function, "github.com/timerbench/timerbench/driver."):
			if more {
				continue
			}
		case frame.Function != "time.goFunc" && frame.Function != "runtime.goexit":
			s := new(sample)
			p.sampled[key] = s
			pendingTimers().Add(s, skip+1) // Add is a frame as well
		}
		return // a goroutine of the driver, which starts a Ticker again
	}
}

func (p *profile) ended(key timerKey) {
	if s := p.sampled[key]; s != nil {
		delete(p.sampled, key)
		pendingTimers().Remove(s)
	}
}

// fired notes that a timer has come out of the structure: it may be in there again.
func (p *profile) fired(timer structures.Timer[Task]) {
	if t := timer.Value.timer(); t == nil || t.when.Load() == idle {
		p.ended(keyOf(timer.Value, timer.ID))
	}
}

// close takes all that is pending out of the profile.
func (p *profile) close() {
	for key := range p.sampled {
		p.ended(key)
	}
}
