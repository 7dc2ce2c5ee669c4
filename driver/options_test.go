package driver_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/quadheap"
)

func TestInvalidOptionsAreNamedWithTheirValue(t *testing.T) {
	shared := quadheap.New[driver.Task]()
	for _, c := range []struct {
		opts []driver.Option
		want string
	}{
		{[]driver.Option{driver.Tick(0)}, "driver: Tick(0s): want a duration from 1ns to 24h0m0s"},
		{[]driver.Option{driver.Tick(-time.Second)}, "driver: Tick(-1s)"},
		{[]driver.Option{driver.Tick(24*time.Hour + 1)}, "driver: Tick(24h0m0.000000001s)"},
		{[]driver.Option{driver.Shards(0)}, "driver: Shards(0): want a number from 1 to 4096"},
		{[]driver.Option{driver.Shards(4097)}, "driver: Shards(4097)"},
		{[]driver.Option{driver.Workers(0)}, "driver: Workers(0)"},
		{[]driver.Option{driver.Workers(math.MaxInt32)}, "driver: Workers(2147483647)"},
		{[]driver.Option{driver.Budget(-1)}, "driver: Budget(-1): want a number from 1 to 1048576"},
		{[]driver.Option{driver.Budget(1<<20 + 1)}, "driver: Budget(1048577)"},
		{[]driver.Option{driver.Profiling(0)}, "driver: Profiling(0): want a number of at least 1"},
		{[]driver.Option{driver.OnPanic(nil)}, "driver: OnPanic(nil)"},
		{[]driver.Option{driver.StructureFunc(nil)}, "driver: Structure(nil)"},
		{[]driver.Option{driver.Structure[*quadheap.Heap[driver.Task], quadheap.Option](nil)}, "driver: Structure(nil)"},
		{[]driver.Option{driver.Inline(), nil}, "driver: option 2 of 2 is nil"},
		{[]driver.Option{driver.Inline(), driver.Shards(-3), driver.Ticking()}, "driver: Shards(-3)"},
		{[]driver.Option{driver.StructureFunc(func() structures.Scheduler[driver.Task] { return nil })}, "driver: Structure: the function returned nil"},
		{[]driver.Option{driver.Shards(2), driver.StructureFunc(func() structures.Scheduler[driver.Task] { return shared })}, "driver: Structure: the function returned the same *quadheap.Heap"},
		{[]driver.Option{driver.StructureFunc(func() structures.Scheduler[driver.Task] {
			s := quadheap.New[driver.Task]()
			s.Schedule(1, driver.Task{})
			return s
		})}, "with 1 timers pending"},
	} {
		d, err := driver.New(c.opts...)
		if err == nil || !strings.Contains(err.Error(), c.want) || d != nil {
			t.Errorf("error %v, want one that says %q", err, c.want)
		}
	}
}

// The constructor of the structure is called once for each shard.
func TestStructureIsCalledOnceForEachShard(t *testing.T) {
	for _, shards := range []int{1, 2, 9, 64} {
		n := 0
		d, err := driver.New(driver.Shards(shards), driver.StructureFunc(func() structures.Scheduler[driver.Task] {
			n++
			return quadheap.New[driver.Task]()
		}))
		if err != nil || n != shards {
			t.Errorf("%d structures, error %v, want %d", n, err, shards)
		}
		_ = d.Close()
	}
}
