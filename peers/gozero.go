package main

import (
	"time"

	"github.com/zeromicro/go-zero/core/collection"

	"github.com/timerbench/timerbench/bench/live"
	"github.com/timerbench/timerbench/bench/results"
)

// The wheel of go-zero has the tick of the drivers and slots for four seconds.
const (
	goZeroInterval = time.Millisecond
	goZeroSlots    = 4096

	goZeroEarly = 2 * goZeroInterval

	// goZeroStall is how late a tick may be on a busy machine.
	goZeroStall = 20 * time.Millisecond
)

// goZero is the TimingWheel of go-zero: keys, values, and one goroutine that executes all operations. It counts whole
// intervals from the last tick, so a timer fires up to two intervals before its deadline, and even earlier
// if that tick was late. RemoveTimer and MoveTimer do not report whether the timer existed.
//
// It fails the check with moves, see the tests. The other operations can be measured without moves.
func goZero(slots int, moves bool) live.Subject {
	name := "go-zero"
	if moves {
		name += ", with moves"
	}
	return live.Subject{
		Name: name, Role: results.RolePeer, Silent: true,
		Early: goZeroEarly + goZeroStall, Late: func(time.Duration) time.Duration { return goZeroInterval },
		Open: func() (live.System, error) {
			tw, err := collection.NewTimingWheel(goZeroInterval, slots, func(_, value any) { value.(func())() })
			s := &keyed{
				start: func(key uint64, t *keyedTimer, delay time.Duration) {
					if err := tw.SetTimer(key, t.f, max(delay, 1)); err != nil {
						panic(err)
					}
				},
				stop: func(key uint64, _ *keyedTimer) bool { return tw.RemoveTimer(key) == nil },
				end:  func() { tw.Stop() },
			}
			if moves {
				s.reset = func(key uint64, _ *keyedTimer, delay time.Duration) bool {
					return tw.MoveTimer(key, max(delay, 1)) == nil
				}
			}
			return s.system(), err
		},
	}
}
