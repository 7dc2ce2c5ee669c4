package hwheellinux_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheellinux"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return hwheellinux.New[uint64]() }, schedtest.Coarse(hwheellinux.MaxLate), schedtest.Levels(1))
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return hwheellinux.New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return hwheellinux.New[uint64]() }, schedtest.Coarse(hwheellinux.MaxLate), schedtest.Levels(1))
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "hwheellinux", slab.MaxCapacity, func(n int) structures.Scheduler[uint64] { return hwheellinux.New[uint64](hwheellinux.Capacity(n)) })
}

func TestWorkCountsSlotsThatExpire(t *testing.T) {
	w := hwheellinux.New[int]()
	for _, deadline := range []structures.Tick{5, 5, 70, 71, 73} { // 70 and 71 round up to 72, 73 to 80
		w.Schedule(deadline, 0)
	}
	for range structures.Due(w, 72) {
	}
	if got, want := w.Work(), (structures.Work{SlotsVisited: 2}); got != want || w.Len() != 1 {
		t.Errorf("%+v and %d left, want %+v and 1", got, w.Len(), want)
	}
}
