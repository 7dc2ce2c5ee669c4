package btreegoogle_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/btreegoogle"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return btreegoogle.New[uint64]() }, schedtest.FIFO(), schedtest.Allocates())
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return btreegoogle.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return btreegoogle.New[uint64]() }, schedtest.FIFO(), schedtest.Allocates())
}

func TestInvalidOptionsPanic(t *testing.T) {
	for want, opt := range map[string]btreegoogle.Option{
		"btreegoogle: Capacity(-1): want a number from 0 to 4294967294": btreegoogle.Capacity(-1),
		"btreegoogle: Degree(1): want a number from 2 to 1024":          btreegoogle.Degree(1),
	} {
		func() {
			defer func() {
				if got, ok := recover().(string); !ok || got != want {
					t.Errorf("panic %q, want %q", got, want)
				}
			}()
			btreegoogle.New[int](opt)
		}()
	}
}

func TestComparisonsAreCounted(t *testing.T) {
	s := btreegoogle.New[int](btreegoogle.Capacity(10))
	s.Schedule(7, 0)
	before := s.Work().Comparisons
	s.Schedule(7, 1) // one to compare with; the same deadline, so that keys decide
	if got := s.Work().Comparisons - before; got < 1 || got > 2 {
		t.Errorf("%d comparisons to insert a second key, want 1 or 2", got)
	}
}
