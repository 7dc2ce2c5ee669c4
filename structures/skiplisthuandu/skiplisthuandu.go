// Package skiplisthuandu keeps timers in an off-the-shelf skip list, github.com/huandu/skiplist
// v1.2.1, ordered by deadline and sequence number.
//
// The library takes keys as interfaces. It compares a float64 score first, and keys only if the scores
// are equal. The score here is the deadline: rounding never swaps two deadlines, and the keys decide
// between deadlines with the same score. Elements are stable handles, so a timer is removed without a
// comparison. The library seeds its random source from the clock by default; here its seed is fixed.
//
// A new timer is an element and its links, and removing a tall element allocates, too. A timer is three objects to the garbage
// collector, and takes about 170 bytes including an 8-byte value and its ID.
//
// Work counts Comparisons of keys only. Most comparisons are of scores, inside the library.
//
// Pick it if your program already uses the library and has few timers. Otherwise skiplist is several times as fast.
package skiplisthuandu

import (
	"math/rand"

	"github.com/huandu/skiplist"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/ordered"
	"github.com/timerbench/timerbench/structures/internal/rules"
	"github.com/timerbench/timerbench/structures/internal/slab"
	"github.com/timerbench/timerbench/structures/internal/snapshot"
	"github.com/timerbench/timerbench/structures/shape"
)

var _ structures.Scheduler[int] = (*List[int])(nil)

// Option sets a parameter of a List.
type Option struct{ option }
type option = rules.Option[rules.Room]

// Capacity reserves room for n timers, from 0, the default, to 2^32-2; elements are allocated.
func Capacity(n int) Option { return Option{rules.Capacity("skiplisthuandu", n, slab.MaxCapacity)} }

// List is a skip list of timers with values of type T. Make it with New. It is a [structures.Scheduler]. It allocates.
type List[T any] struct{ base[T] }
type base[T any] = ordered.Scheduler[T]

// New returns an empty list at tick 0. It panics if an option is invalid.
func New[T any](opts ...Option) *List[T] {
	return &List[T]{ordered.New[T](newContainer(), rules.Apply(rules.Room{}, opts).Capacity)}
}

// Schedule adds a timer that is due at deadline. It costs O(log n) expected, and allocates.
func (l *List[T]) Schedule(deadline structures.Tick, value T) structures.ID {
	return l.base.Schedule(deadline, value)
}

// Reschedule moves a pending timer, or returns false. It costs as much as Cancel and Schedule, and allocates.
func (l *List[T]) Reschedule(id structures.ID, deadline structures.Tick) bool {
	return l.base.Reschedule(id, deadline)
}

// Cancel removes a pending timer, or returns false. It costs O(log n) expected.
func (l *List[T]) Cancel(id structures.ID) bool { return l.base.Cancel(id) }

// Pop moves the clock to now and removes the earliest timer if it is due. Ties are FIFO. It costs O(1).
func (l *List[T]) Pop(now structures.Tick) (t structures.Timer[T], ok bool) { return l.base.Pop(now) }

// Next returns the earliest deadline. It costs O(1).
func (l *List[T]) Next() (at structures.Tick, ok bool) { return l.base.Next() }

// Len returns the number of pending timers. It costs O(1).
func (l *List[T]) Len() int { return l.base.Len() }

// container adapts the list.
type container struct {
	list        *skiplist.SkipList
	elements    []*skiplist.Element // by slot
	comparisons uint64
}

func newContainer() *container {
	c := &container{}
	c.list = skiplist.New(comparable{c})
	c.list.SetRandSource(rand.NewSource(1)) // the same shape in each run
	return c
}

// comparable is how the list compares keys.
type comparable struct{ c *container }

// Compare is called where scores are equal.
func (o comparable) Compare(a, b interface{}) int {
	o.c.comparisons++
	return ordered.Compare(a.(*ordered.Key), b.(*ordered.Key))
}

// CalcScore never puts a later deadline before an earlier one.
func (o comparable) CalcScore(key interface{}) float64 { return float64(key.(*ordered.Key).Deadline) }

func (c *container) Insert(k *ordered.Key) {
	for int(k.Slot) >= len(c.elements) {
		c.elements = append(c.elements, nil)
	}
	c.elements[k.Slot] = c.list.Set(k, nil)
}

func (c *container) Remove(k *ordered.Key) {
	c.list.RemoveElement(c.elements[k.Slot])
	c.elements[k.Slot] = nil
}

func (c *container) First() *ordered.Key {
	if front := c.list.Front(); front != nil {
		return front.Key().(*ordered.Key)
	}
	return nil
}

func (c *container) RemoveFirst() { c.elements[c.list.RemoveFront().Key().(*ordered.Key).Slot] = nil }

func (c *container) Ascend(yield func(*ordered.Key) bool) {
	for e := c.list.Front(); e != nil; e = e.Next() {
		if !yield(e.Key().(*ordered.Key)) {
			return
		}
	}
}

func (c *container) Len() int            { return c.list.Len() }
func (c *container) Comparisons() uint64 { return c.comparisons }

// Show adds the list, each element with the number of its levels.
func (c *container) Show(b *snapshot.Builder) {
	b.Begin(shape.Part{Name: "skip list", Kind: shape.List})
	for e := c.list.Front(); e != nil; e = e.Next() {
		k := e.Key().(*ordered.Key)
		b.Timer(shape.Cell{Levels: e.Level()}, k.Slot, k.Deadline)
	}
}
