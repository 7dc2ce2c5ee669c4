package auto_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
)

func TestEmptyIsSmall(t *testing.T) {
	var all [1000]*auto.Timers[[1000]byte]
	before := whitebox.HeapBytes()
	for i := range all {
		all[i] = auto.New[[1000]byte]()
		all[i].Pop(5)
		all[i].Next()
	}
	if got := (whitebox.HeapBytes() - before) / int64(len(all)); got >= 1024 {
		t.Errorf("an empty structure takes %d bytes, want less than 1 KiB", got)
	}
	runtime.KeepAlive(&all)
}

// Values of all sizes survive the growth of the structure whole.
func TestValuesOfAllSizes(t *testing.T) {
	t.Parallel()
	for _, few := range []int{0, 24, auto.FewLimit} {
		values[[3]byte](t, few)
		values[[1000]byte](t, few)
		values[[100_000]byte](t, few)
	}
}

func values[T [3]byte | [1000]byte | [100_000]byte](t *testing.T, few int) {
	size := unsafe.Sizeof(*new(T))
	bytes := func(v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), size) }
	rng := rand.New(rand.NewPCG(1, uint64(size)))
	s := auto.NewFew[T](few)
	want := make(map[structures.ID]byte)
	for n := byte(1); n < 200; n++ {
		var v T
		for i := range bytes(&v) {
			bytes(&v)[i] = n
		}
		id := s.Schedule(structures.Tick(1+rng.IntN(1000)), v)
		want[id] = n
		if n%3 == 0 {
			s.Reschedule(id, 5)
		}
		if n%4 == 0 {
			s.Cancel(id)
			delete(want, id)
		}
	}
	checking.Sound(t, s)
	for timer := range structures.Due(s, 1000) {
		for i, b := range bytes(&timer.Value) {
			if b != want[timer.ID] {
				t.Fatalf("%T: byte %d of the value of timer %#x is %d, want %d", timer.Value, i, timer.ID, b, want[timer.ID])
			}
		}
		delete(want, timer.ID)
	}
	if len(want) != 0 {
		t.Errorf("%d timers did not fire", len(want))
	}
}
