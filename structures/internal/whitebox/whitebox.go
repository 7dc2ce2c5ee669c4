// Package whitebox helps the tests of the structures of this module. It checks properties that are not part of the
// contract, which schedtest cannot check.
package whitebox

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"path"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest"
)

// Checked is a structure, or a part of one, that can check itself.
type Checked interface{ CheckInvariants() error }

// Suite runs all checks of schedtest on the structure of a package, which it makes by the constructor of the package
// for two types of values. Without options the structure must count the work that work.txt says.
func Suite[O any, S structures.Scheduler[uint64], H structures.Scheduler[*schedtest.Payload]](
	t *testing.T, newScheduler func(...O) S, newHolder func(...O) H, capacity func(int) O, opts ...schedtest.Option,
) {
	pkg := path.Base(reflect.TypeFor[S]().Elem().PkgPath())
	schedtest.Run(t, plain[uint64](newScheduler), opts...)
	schedtest.Releases(t, plain[*schedtest.Payload](newHolder))
	newScheduler(*new(O)) // the zero Option changes nothing
	t.Run("Capacity", func(t *testing.T) {
		sized := func(n int) structures.Scheduler[uint64] { return newScheduler(capacity(n)) }
		schedtest.Capacity(t, pkg, limitOf(pkg, sized), sized, opts...)
	})
	t.Run("Changes", func(t *testing.T) { Changes(t, pkg, newScheduler()) })
	t.Run("Work", func(t *testing.T) {
		if got := pkg + workOf(newScheduler()); !strings.Contains(works, got+"\n") {
			t.Errorf("whitebox/work.txt lacks this line: %s", got)
		}
	})
}

// Fuzz is schedtest.Fuzz for the constructor of a package.
func Fuzz[O any, S structures.Scheduler[uint64]](f *testing.F, newScheduler func(...O) S, opts ...schedtest.Option) {
	schedtest.Fuzz(f, plain[uint64](newScheduler), opts...)
}

// Variants runs schedtest.Run on a structure of several sizes: in short and normal runs on the first one only.
func Variants[N any](t *testing.T, sizes []N, sized func(N) structures.Scheduler[uint64], opts ...schedtest.Option) {
	for _, size := range sizes[:longtest.Scale(t, 1, 1, len(sizes))] {
		t.Run(fmt.Sprintf("size=%v", size), func(t *testing.T) {
			schedtest.Run(t, func() structures.Scheduler[uint64] { return sized(size) }, opts...)
		})
	}
}

// Allocates checks how many allocations a Schedule takes in slots that were used before.
func Allocates(t *testing.T, s structures.Scheduler[uint64], want float64) {
	const n = 1000
	ids := make([]structures.ID, 2*n)
	for i := range ids {
		ids[i] = s.Schedule(structures.Tick(i+1), 0)
	}
	for _, id := range ids {
		s.Cancel(id)
	}
	i := 0
	if got := testing.AllocsPerRun(n, func() { i++; s.Schedule(structures.Tick(i*7919%n), 0) }); got != want {
		t.Errorf("%v allocations a Schedule, want %v", got, want)
	}
}

// HeapBytes returns the bytes in use on the heap once the garbage is gone.
func HeapBytes() int64 {
	runtime.GC()
	runtime.GC() // the second one sweeps what the first one found
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// plain returns the constructor without options.
func plain[T any, O any, S structures.Scheduler[T]](newScheduler func(...O) S) func() structures.Scheduler[T] {
	return func() structures.Scheduler[T] { return newScheduler() }
}

// limitOf returns the largest capacity that the constructor says it takes.
func limitOf(pkg string, sized func(n int) structures.Scheduler[uint64]) (limit int) {
	defer func() {
		_, _ = fmt.Sscanf(fmt.Sprint(recover()), pkg+": Capacity(-1): want a number from 0 to %d", &limit)
	}()
	sized(-1)
	return 0
}

// works has a line for each package: what its structure counts in each part of the program of workOf.
//
//go:embed work.txt
var works string

// workOf returns what a structure counts in each part of a fixed program, as the slots that it visits and those of
// them that are empty, the timers that it moves and drops, and its comparisons; and how far away Next is in all.
func workOf(s structures.Scheduler[uint64]) string {
	const timers = 300
	var (
		rng   = rand.New(rand.NewPCG(1, 2))
		clock structures.Tick
		ids   [timers]structures.ID
		out   strings.Builder
		last  structures.Work
		ahead structures.Tick
	)
	delay := func() structures.Tick { // of all magnitudes up to 2^32, and of a few fixed timeouts
		if rng.IntN(4) == 0 {
			return structures.Tick(1+rng.IntN(3)) * 100
		}
		return 1 + structures.Tick(rng.Uint32()>>rng.IntN(32))
	}
	next := func() structures.Tick {
		at, _ := s.Next()
		ahead += at - clock
		return at
	}
	schedule := func(i uint64) { ids[i] = s.Schedule(clock+delay(), i) }
	fire := func(now structures.Tick) {
		clock = max(clock, now)
		for t := range structures.Due(s, now) {
			schedule(t.Value)
		}
	}
	for _, part := range []func(i uint64){
		schedule,
		func(uint64) { next() },
		func(i uint64) { s.Reschedule(ids[i], clock+delay()) },
		func(i uint64) { s.Cancel(ids[i]); schedule(i) },
		func(uint64) { fire(next()) },
		func(uint64) { fire(clock + 7) },
		func(i uint64) { fire(clock + 1<<(i/10)) },
	} {
		for i := range uint64(timers) {
			part(i)
		}
		w := s.(interface{ Work() structures.Work }).Work()
		d := w.Sub(last)
		last = w
		fmt.Fprintf(&out, " %d,%d,%d,%d,%d", d.SlotsVisited, d.EmptySlots, d.Moved, d.Dropped, d.Comparisons)
	}
	return fmt.Sprint(out.String(), " ", ahead)
}
