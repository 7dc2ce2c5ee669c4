package catalog

import (
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/intrusive"
	"github.com/timerbench/timerbench/structures/intrusive/heap"
	"github.com/timerbench/timerbench/structures/intrusive/hwheel"
	"github.com/timerbench/timerbench/structures/intrusive/linkedwheel"
)

// Intrusive returns the structures whose timers are fields of the caller's structs. New puts IDs on
// top of one, for code that takes any Scheduler.
func Intrusive() []entry.Entry { return IntrusiveFor[uint64]() }

// IntrusiveFor is Intrusive for structures with values of another type.
func IntrusiveFor[T any]() []entry.For[T] {
	type item = intrusive.Item[T]
	return []entry.For[T]{
		{
			Name: "intrusive-heap", Family: entry.Heaps, Package: root + "intrusive/heap",
			Summary: "4-ary heap, the index in the timer: libev, JDK 25",
			Source:  "Johnson 1975; libev", Costs: costs("O(log n)", "O(log n)", "O(log n)"),
			New: func() structures.Scheduler[T] {
				return intrusive.WithIDs(heap.New[item](), func(t *heap.Timer[item]) *item { return &t.Value })
			},
			NewIntrusive: func() any { return heap.New[T]() },
		},
		{
			Name: "intrusive-linkedwheel", Family: entry.Wheels, Package: root + "intrusive/linkedwheel",
			Summary: "hierarchical wheel, one linked list per slot: Linux before 4.8, tokio, ratas",
			Source:  "Varghese & Lauck 1987, scheme 7", Costs: costs("O(1)", "O(1)", "O(levels) a timer"), Ties: entry.FIFO,
			New: func() structures.Scheduler[T] {
				return intrusive.WithIDs(linkedwheel.New[item](), func(t *linkedwheel.Timer[item]) *item { return &t.Value })
			},
			NewIntrusive: func() any { return linkedwheel.New[T]() },
		},
		{
			Name: "intrusive-hwheel", Family: entry.Wheels, Package: root + "intrusive/hwheel",
			Summary: "hierarchical wheel, eight linked lists per slot that are walked in parallel",
			Source:  "Varghese & Lauck 1987, scheme 7; Kocberber et al. 2015", Costs: costs("O(1)", "O(1)", "O(levels) a timer"),
			New: func() structures.Scheduler[T] {
				return intrusive.WithIDs(hwheel.New[item](), func(t *hwheel.Timer[item]) *item { return &t.Value })
			},
			NewIntrusive: func() any { return hwheel.New[T]() },
		},
	}
}
