package live

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// OpenLoop is a load that starts timers at predetermined times, whether or not the system
// keeps up, and lets all of them fire.
type OpenLoop struct {
	Rate      float64       // timers per second, in bursts
	Length    time.Duration // duration of the load
	Delay     time.Duration // upper bound of the uniform delays
	Seed      uint64
	Tolerance time.Duration

	// Sleep waits for the next start.
	Sleep func(time.Duration)
}

// burstEvery is the time between two bursts of starts, like packets from a network. It is
// long enough to sleep, and not a multiple of a tick.
const burstEvery = 530 * time.Microsecond

// shot is one timer of an open-loop load. Times are in ns since the start.
type shot struct {
	slot
	intended int64 // planned start
	delay    time.Duration
}

// run applies the load to a system.
func (l OpenLoop) run(ctx context.Context, c Subject, s System, form results.Form) (results.LiveLateness, Wrong, error) {
	shots := l.shots()
	load := checked{Check{Tolerance: l.Tolerance}, c, form, time.Now()}
	var left atomic.Int64
	left.Store(int64(len(shots)))
	all := make(chan struct{})
	timers := s.Timers(form, len(shots), func(i int) func() {
		sh := &shots[i]
		return func() {
			if sh.fire(load.now()) && left.Add(-1) == 0 {
				close(all)
			}
		}
	})
	meter := startMeter(s)
	load.start = time.Now()
	for i := range shots {
		sh := &shots[i]
		if ahead := sh.intended - load.now(); ahead > 0 {
			l.Sleep(time.Duration(ahead))
			if ctx.Err() != nil {
				return results.LiveLateness{}, Wrong{}, ctx.Err()
			}
		}
		if behind := load.now() - sh.intended; behind > int64(l.Tolerance) && l.Tolerance > 0 {
			return results.LiveLateness{}, Wrong{}, fmt.Errorf("it does not keep up with %g timers a second: %v behind after %d of them",
				l.Rate, time.Duration(behind).Round(time.Millisecond), i)
		}
		sh.ask()
		load.operate(toStart, timers, i, &sh.slot, sh.delay)
	}
	l.wait(ctx, c, all)
	use := meter.stop()
	time.Sleep(l.Delay / 10) // to catch second firings
	if c.Role == results.RoleFloor {
		return results.LiveLateness{Use: use}, Wrong{}, ctx.Err()
	}
	var wrong Wrong
	var late []int64
	for i := range shots {
		sh := &shots[i]
		if counts, first := sh.end(&wrong); counts.Fired > 0 {
			late = append(late, first-sh.intended-int64(sh.delay))
		}
	}
	var out results.LiveLateness
	if len(late) > 0 {
		out = distribution(late)
	}
	out.Use = use
	return out, wrong, ctx.Err()
}

// shots returns the timers to be started, in order.
func (l OpenLoop) shots() []shot {
	r := rand.New(rand.NewPCG(l.Seed, 0))
	perBurst := l.Rate * burstEvery.Seconds()
	shots := make([]shot, max(1, int(l.Rate*l.Length.Seconds())))
	for i := range shots {
		shots[i].intended = int64(float64(i)/perBurst) * int64(burstEvery)
		shots[i].delay = time.Duration(r.Int64N(int64(l.Delay)))
	}
	return shots
}

// wait waits until all timers have fired or are too late.
func (l OpenLoop) wait(ctx context.Context, c Subject, all <-chan struct{}) {
	if c.Role == results.RoleFloor {
		time.Sleep(l.Delay)
		return
	}
	late := time.NewTimer(l.Delay + c.late(l.Delay) + l.Tolerance)
	defer late.Stop()
	select {
	case <-all:
	case <-late.C:
	case <-ctx.Done():
	}
}

func distribution(late []int64) results.LiveLateness {
	slices.Sort(late)
	at := func(q float64) float64 { return float64(late[min(len(late)-1, int(q*float64(len(late))))]) }
	return results.LiveLateness{Timers: len(late), P50: at(0.5), P90: at(0.9), P99: at(0.99), P999: at(0.999), Max: at(1)}
}
