package live

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/fail"
)

// slow returns Go's timers, each call of which takes a time.
func slow(call time.Duration) wrongTimers {
	return wrongTimers{
		start: func(t Timers, i int, delay time.Duration) { time.Sleep(call); t.Start(i, delay) },
		reset: func(t Timers, i int, delay time.Duration) bool { time.Sleep(call); return t.(Mover).Reset(i, delay) },
	}
}

// populationOf returns resident timers in a bubble, which are stopped in the end.
func populationOf(t *testing.T, timers wrongTimers, resident int) *population {
	s, err := wrong(timers).Open()
	fail.If(t, err)
	e := &member{Subject: wrong(timers), row: results.LiveRow{Resident: resident}}
	p := newPopulation(e, s, results.FormAfterFunc, 2, Config{MaxOps: 1 << 20, Seed: 1})
	fail.If(t, p.fill())
	return p
}

// What a structure puts off when a timer is stopped or moved, it does in the slice: as many of the old deadlines pass as
// timers are stopped and moved. Too many timers to be moved soon keep deadlines in minutes.
func TestStoppedAndMovedTimersComeDueInTheSlice(t *testing.T) {
	for _, op := range []results.Op{results.StartStop(results.FormAfterFunc), results.OpReset} {
		for _, resident := range []int{600, mostMoved + 2} {
			synctest.Test(t, func(t *testing.T) {
				p := populationOf(t, slow(time.Microsecond), resident)
				s, err := p.slice(op, 2, 16*time.Millisecond)
				least, most := 0.95, 1.05
				if op.Moves() && resident > mostMoved {
					least, most = 0, 0
				}
				if share := float64(s.Due) / float64(s.Dead); err != nil || s.Ops < 10_000 || s.Dead < s.Ops*9/10 || share < least || share > most {
					t.Errorf("%s among %d: %d operations, of %d old deadlines %d pass, want %g to %g of them: %v", op, resident, s.Ops, s.Dead, s.Due, least, most, err)
				}
				fail.If(t, p.empty(), op, resident)
			})
		}
	}
}

// On a busy machine a goroutine may be interrupted for longer than a delay. Then the timers fire, and nothing is wrong.
func TestTimersThatAreStoppedTooLateAreDue(t *testing.T) {
	refusing := slow(0)
	refusing.stop = func(t Timers, i int) bool { return t.Stop(i) && i != 7 }
	moving := slow(0)
	moving.reset = func(t Timers, i int, delay time.Duration) bool { return t.(Mover).Reset(i, delay) && i != 7 }
	for name, c := range map[string]struct {
		timers wrongTimers
		op     results.Op
		wrong  string
	}{
		"stopped late":  {slow(time.Millisecond), results.StartStop(results.FormAfterFunc), ""},
		"moved late":    {slow(time.Millisecond), results.OpReset, ""},
		"not stopped":   {refusing, results.StartStop(results.FormAfterFunc), "was not pending"},
		"move refused":  {moving, results.OpReset, "was not pending"},
		"loop, stopped": {refusing, results.LoopReplace, "loop-replace: a timer of minutes was not pending"},
		"loop, moved":   {moving, results.LoopLater, "loop-later: a timer of minutes was not pending"},
		"loop, random":  {moving, results.LoopRandom, "loop-random: a timer of minutes was not pending"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := populationOf(t, c.timers, 600)
			p.maxOps = maxInFlight
			_, err := p.slice(c.op, 1, minSlice)
			if c.wrong == "" {
				if err != nil || p.expired.Load() < 100 {
					t.Errorf("%s: %d came due before they were stopped: %v", name, p.expired.Load(), err)
				}
				fail.If(t, p.empty(), name)
			} else {
				fail.UnlessError(t, err, c.wrong)
			}
			time.Sleep(time.Hour)
		})
	}
}
