package live

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// Idle is a load of a few timers that are due within the next hour.
type Idle struct {
	Timers int
	Seed   uint64
}

const idleSpan = time.Hour

// start starts the timers and returns their delays.
func (l Idle) start(timers Timers) (delays []time.Duration) {
	r := rand.New(rand.NewPCG(l.Seed, 1))
	for i := range l.Timers {
		delay := 1 + time.Duration(r.Int64N(int64(idleSpan)))
		timers.Start(i, delay)
		delays = append(delays, delay)
	}
	return delays
}

// run measures the resource use of the process while almost nothing fires.
func (l Idle) run(ctx context.Context, s System, form results.Form, length time.Duration) (results.LiveUse, error) {
	timers := s.Timers(form, l.Timers, func(int) func() { return func() {} })
	l.start(timers)
	time.Sleep(length / 10) // let work caused by starting finish
	meter := startMeter(s)
	time.Sleep(length)
	use := meter.stop()
	for i := range l.Timers {
		timers.Stop(i)
	}
	return use, ctx.Err()
}
