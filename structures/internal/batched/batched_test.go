package batched_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/batched"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/schedtest"
	"github.com/timerbench/timerbench/structures/shape"
)

// single is a wheel of one list, which is searched for the earliest timer.
type single struct {
	list   fifo.List
	linked int // slots given to Link so far
}

func (w *single) Link(nodes *fifo.Lists, slots []uint32) {
	for _, slot := range slots {
		if slot != 0 {
			nodes.PushBack(&w.list, slot)
			w.linked++
		}
	}
}

func (w *single) Unlink(nodes *fifo.Lists, slot uint32) { nodes.Remove(&w.list, slot) }

// first returns the first of the earliest timers.
func (w *single) first(nodes *fifo.Lists) (first uint32) {
	for slot, deadline := range nodes.All(w.list) {
		if first == 0 || deadline < nodes.Deadline(first) {
			first = slot
		}
	}
	return first
}

func (w *single) Pop(nodes *fifo.Lists, clock structures.Tick) uint32 {
	slot := w.first(nodes)
	if slot == 0 || nodes.Deadline(slot) > clock {
		return 0
	}
	nodes.Remove(&w.list, slot)
	return slot
}

func (w *single) Next(nodes *fifo.Lists, _ structures.Tick) structures.Tick {
	return nodes.Deadline(w.first(nodes))
}

func (w *single) Work() structures.Work { return structures.Work{} }

func (w *single) Walk(nodes *fifo.Lists, b *snapshot.Builder) error {
	b.Begin(shape.Part{Name: "list", Kind: shape.List})
	_, err := nodes.Walk(b, shape.Cell{}, w.list)
	return err
}

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] {
		s := batched.New[uint64](single{}, 0)
		return &s
	}, schedtest.FIFO())
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] {
		s := batched.New[*schedtest.Payload](single{}, 0)
		return &s
	})
}

// A timer that is cancelled before a batch is full is never linked.
func TestTimersCancelledAtOnceAreNotLinked(t *testing.T) {
	s := batched.New[int](single{}, 0)
	for range 1000 {
		if !s.Cancel(s.Schedule(10, 0)) {
			t.Fatal("not pending")
		}
	}
	s.Schedule(10, 0)
	s.Next()
	if _, _, w := batched.Parts(&s); w.linked != 1 {
		t.Fatalf("%d timers were linked, want the one that was not cancelled", w.linked)
	}
}
