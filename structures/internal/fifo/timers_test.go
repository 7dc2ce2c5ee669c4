package fifo

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

// Lists and Timers have one walk.
func TestWalkNamesBrokenLinks(t *testing.T) {
	for name, spoil := range map[string]func(*Timers, *List){
		"back link":    func(ls *Timers, l *List) { ls.At(2).prev = 3 },
		"circle":       func(ls *Timers, l *List) { ls.At(3).next = 1 },
		"inner circle": func(ls *Timers, l *List) { ls.At(3).next = 2 },
		"out of range": func(ls *Timers, l *List) { ls.At(3).next = 9 },
		"tail":         func(ls *Timers, l *List) { l.tail = 2 },
		"lost tail":    func(ls *Timers, l *List) { l.head = 0 },
	} {
		var q single
		NewScheduler[int](&q, &q.Timers, 0)
		for range 3 {
			slot := q.Take()
			q.PushBack(&q.list, slot, q.At(slot))
		}
		spoil(&q.Timers, &q.list)
		b := snapshot.Builder{Parts: []shape.Part{{Kind: shape.List}}}
		b.Entry = func(uint32, structures.Tick) shape.Entry { return shape.Entry{} }
		if rules.FirstBroken(&q, func() { q.Timers.Walk(&b, shape.Cell{}, q.list) }) == nil {
			t.Errorf("%s: Walk found nothing", name)
		}
	}
}

// single is a queue of one list, for timers that come in the order of their deadlines.
type single struct {
	Timers
	list   List
	linked int // calls of Add
}

func (q *single) Add(slot uint32, n *Node) {
	q.PushBack(&q.list, slot, n)
	q.Quiet = min(q.Quiet, n.Deadline)
	q.linked++
}

func (q *single) Remove(_ uint32, n *Node) { q.Timers.Remove(&q.list, n) }

func (q *single) Pop() (slot uint32, n *Node) {
	if q.list.Empty() || q.Next() > q.Clock {
		q.Quiet = q.Clock + 1
		return 0, nil
	}
	return q.PopFront(&q.list)
}

func (q *single) Next() structures.Tick { return q.Deadline(q.list.Front()) }

func (q *single) Work() structures.Work { return structures.Work{} }

func (q *single) Walk(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "list", Kind: shape.List})
	q.Timers.Walk(b, shape.Cell{}, q.list)
}

// A timer that is cancelled before the next one is scheduled never reaches the queue.
func TestTimersCancelledAtOnceAreNotLinked(t *testing.T) {
	var q single
	s := NewScheduler[int](&q, &q.Timers, 0)
	for i := range 1000 {
		id := s.Schedule(10, 0)
		if !s.Reschedule(id, structures.Tick(i)) || !s.Cancel(id) || s.Cancel(id) || s.Reschedule(id, 1) {
			t.Fatal("not pending, or pending after Cancel")
		}
	}
	s.Schedule(10, 0)
	if at, ok := s.Next(); at != 10 || !ok || q.linked != 1 {
		t.Fatalf("Next() = %d, %t; %d timers were linked, want the one that was not cancelled", at, ok, q.linked)
	}
}

// IDs that were never issued, of a free record and its next one, and of an exhausted record.
func TestForgedIDsAreRefused(t *testing.T) {
	var q single
	s := NewScheduler[int](&q, &q.Timers, 0)
	id := s.Schedule(10, 7)
	free := s.Schedule(11, 8)
	s.Cancel(free)
	for _, forged := range []structures.ID{
		0, 1, 2, 1 << 32, id + 1<<32, id + 1, math.MaxUint64, free, free + 1<<32, free + 2<<32,
	} {
		if s.Cancel(forged) || s.Reschedule(forged, 20) {
			t.Errorf("%#x names a timer", forged)
		}
	}
	q.At(uint32(free)).Generation = math.MaxUint32 - 1 // as after 2^31 - 1 timers
	last := s.Schedule(12, 9)
	if !s.Cancel(last) || s.Cancel(last) {
		t.Fatal("the last generation is refused, or accepted twice")
	}
	if next := s.Schedule(13, 10); uint32(next) == uint32(free) || s.CheckInvariants() != nil {
		t.Fatal("a record without generations left was used again, or ", s.CheckInvariants())
	}
}
