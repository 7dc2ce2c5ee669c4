package replay

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/minheap"
)

// timedHeap is a heap whose Pop and Next take a given time.
type timedHeap struct {
	*minheap.Heap[uint64]
	pop, next time.Duration
}

func (s *timedHeap) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	time.Sleep(s.pop)
	return s.Heap.Pop(now)
}

func (s *timedHeap) Next() (structures.Tick, bool) {
	time.Sleep(s.next)
	return s.Heap.Next()
}

// The script has three timers, at ticks 3, 3 and 7, and wake-ups at ticks 3, 7 and 10.
// The wanted figures are counted by hand: one Pop per wake-up and one more per timer.
func TestTheCostOfAHandMadeScriptIsThatOfItsFastestPass(t *testing.T) {
	b := script.New(handMade{}, nil).Fill()
	for driver, want := range map[results.Driver]time.Duration{
		results.Ticking:  (10 + 3) * time.Microsecond,
		results.Tickless: (3+3)*time.Microsecond + 3*time.Nanosecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			slower := 3
			e := entry.Entry{New: func() structures.Scheduler[uint64] {
				slower--
				return &timedHeap{minheap.New[uint64](), time.Microsecond + time.Duration(slower), 1}
			}}
			if got := shortestPass(e, driver, []*script.Block{b}); got != float64(want) {
				t.Errorf("%s: %v ns, want %d", driver, got, want)
			}
		})
	}
}
