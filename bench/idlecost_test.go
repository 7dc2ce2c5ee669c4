package bench

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/minheap"
)

// sleepy takes some time for each call that drives it.
type sleepy struct {
	*minheap.Heap[uint64]
	pop, next time.Duration
}

func (s *sleepy) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	time.Sleep(s.pop)
	return s.Heap.Pop(now)
}

func (s *sleepy) Next() (structures.Tick, bool) {
	time.Sleep(s.next)
	return s.Heap.Next()
}

// Three timers, at ticks 3, 3 and 7, and time up to tick 10: counted by hand. Each of
// the three also takes a Pop, and the script names ticks 3, 7 and 10.
func TestTheCostOfAHandMadeScriptIsThatOfItsFastestPass(t *testing.T) {
	b := script.New(byHand{}, nil).Fill()
	for driver, want := range map[results.Driver]time.Duration{
		results.Ticking:  (10 + 3) * time.Microsecond,
		results.Tickless: (3+3)*time.Microsecond + 3*time.Nanosecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			slower := 3
			e := catalog.Entry{New: func() structures.Scheduler[uint64] {
				slower--
				return &sleepy{minheap.New[uint64](), time.Microsecond + time.Duration(slower), 1}
			}}
			if got := (idleCase{}).cost(e, driver, []*script.Block{b}); got != float64(want) {
				t.Errorf("%s: %v ns, want %d", driver, got, want)
			}
		})
	}
}
