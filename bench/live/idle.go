package live

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// Idle is a load of few timers: they are due over the next hour.
type Idle struct {
	Timers int
	Seed   uint64
}

const idleSpan = time.Hour

// delays returns the delays of the timers, each a whole number of ns.
func (l Idle) delays() []time.Duration {
	r := rand.New(rand.NewPCG(l.Seed, 1))
	delays := make([]time.Duration, l.Timers)
	for i := range delays {
		delays[i] = 1 + time.Duration(r.Int64N(int64(idleSpan)))
	}
	return delays
}

// start starts the timers.
func (l Idle) start(s System, form results.Form, function func(i int) func()) Timers {
	timers := s.Timers(form, l.Timers, function)
	for i, delay := range l.delays() {
		timers.Start(i, delay)
	}
	return timers
}

// run measures what the process uses in a time during which next to nothing fires.
func (l Idle) run(ctx context.Context, s System, form results.Form, length time.Duration) (results.LiveUse, error) {
	timers := l.start(s, form, func(int) func() { return func() {} })
	time.Sleep(length / 10) // what starting has left behind
	meter := startMeter(s)
	time.Sleep(length)
	use := meter.stop()
	for i := range l.Timers {
		timers.Stop(i)
	}
	return use, ctx.Err()
}
