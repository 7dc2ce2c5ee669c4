package batched_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/batched"
	"github.com/timerbench/timerbench/structures/internal/fifo"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// single is a wheel of one list, in the order of the deadlines.
type single struct {
	list   fifo.List
	linked int // slots given to Link so far
}

func (w *single) Link(nodes *fifo.Lists, slots []uint32) {
	for _, slot := range slots {
		if slot != 0 {
			before := w.list.Back()
			for before != 0 && nodes.Deadline(before) > nodes.Deadline(slot) {
				before = nodes.Prev(before)
			}
			nodes.InsertAfter(&w.list, before, slot)
			w.linked++
		}
	}
}

func (w *single) Unlink(nodes *fifo.Lists, slot uint32) { nodes.Remove(&w.list, slot) }

func (w *single) Pop(nodes *fifo.Lists, clock structures.Tick) uint32 {
	if w.list.Empty() || w.Next(nodes, 0) > clock {
		return 0
	}
	return nodes.PopFront(&w.list)
}

func (w *single) Next(nodes *fifo.Lists, _ structures.Tick) structures.Tick {
	return nodes.Deadline(w.list.Front())
}

func (w *single) Work() structures.Work { return structures.Work{} }

func (w *single) Walk(nodes *fifo.Lists, b *snapshot.Builder) error {
	b.Begin(shape.Part{Name: "list", Kind: shape.List})
	_, err := nodes.Walk(b, shape.Cell{}, w.list)
	return err
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
