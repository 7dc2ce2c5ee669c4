package hwheel

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/intrusive"
	"github.com/timerbench/timerbench/structures/intrusive/internal/links"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func withIDs[T any]() structures.Scheduler[T] {
	return intrusive.WithIDs(New[intrusive.Item[T]](), func(t *Timer[intrusive.Item[T]]) *intrusive.Item[T] { return &t.Value })
}

func TestConformance(t *testing.T) { schedtest.Run(t, withIDs[uint64], schedtest.Levels(8)) }
func TestRelease(t *testing.T)     { schedtest.Releases(t, withIDs[*schedtest.Payload]) }
func FuzzModel(f *testing.F)       { schedtest.Fuzz(f, withIDs[uint64], schedtest.Levels(8)) }

// manyLists is a wheel that fills all lists of its slots, as with many timers.
type manyLists[T any] struct{ *Wheel[T] }

func (w manyLists[T]) Schedule(t *Timer[T], deadline structures.Tick) {
	w.list, w.used = (w.list+1)%lists, lists
	w.Wheel.Schedule(t, deadline)
}

func withManyLists[T any]() structures.Scheduler[T] {
	return intrusive.WithIDs(manyLists[intrusive.Item[T]]{New[intrusive.Item[T]]()},
		func(t *Timer[intrusive.Item[T]]) *intrusive.Item[T] { return &t.Value })
}

func TestConformanceWithManyLists(t *testing.T) {
	schedtest.Run(t, withManyLists[uint64], schedtest.Levels(8))
}
func TestReleaseWithManyLists(t *testing.T) { schedtest.Releases(t, withManyLists[*schedtest.Payload]) }
func FuzzManyLists(f *testing.F)            { schedtest.Fuzz(f, withManyLists[uint64], schedtest.Levels(8)) }

// inSteps is a wheel that looks at each tick for timers to move ahead, and moves one or a few at a time.
type inSteps[T any] struct{ manyLists[T] }

func (w inSteps[T]) Schedule(t *Timer[T], deadline structures.Tick) {
	w.step = 1
	w.manyLists.Schedule(t, deadline)
	w.planAhead()
}

func withSteps[T any]() structures.Scheduler[T] {
	return intrusive.WithIDs(inSteps[intrusive.Item[T]]{manyLists[intrusive.Item[T]]{New[intrusive.Item[T]]()}},
		func(t *Timer[intrusive.Item[T]]) *intrusive.Item[T] { return &t.Value })
}

func TestConformanceInSteps(t *testing.T) {
	schedtest.Run(t, withSteps[uint64], schedtest.Levels(8))
}
func TestReleaseInSteps(t *testing.T) { schedtest.Releases(t, withSteps[*schedtest.Payload]) }
func FuzzInSteps(f *testing.F)        { schedtest.Fuzz(f, withSteps[uint64], schedtest.Levels(8)) }

func TestChanges(t *testing.T) {
	for name, s := range map[string]structures.Scheduler[uint64]{"intrusive hwheel": withIDs[uint64](), "intrusive hwheel in steps": withSteps[uint64]()} {
		t.Run(name, func(t *testing.T) { whitebox.Changes(t, name, s) })
	}
}

func TestTheEndKeepsNoTimerThatLeft(t *testing.T) {
	w := New[int]()
	if w.end.Prev = new(links.Link); w.CheckInvariants() == nil {
		t.Error("CheckInvariants does not find a link to a timer that left")
	}
}

// A move to later does not touch the list, so the timer stays in its slot until the clock comes.
func TestMoveToLaterOnlyWritesTheDeadline(t *testing.T) {
	w := New[int]()
	var timer, other Timer[int]
	w.Schedule(&timer, 1000)
	w.Schedule(&other, 1000)
	before := timer.node.Link
	w.Reschedule(&timer, 1_000_000)
	if timer.node.Link != before {
		t.Error("the links changed")
	}
	if w.Pop(1000) != &other || w.Pop(999_999) != nil || w.Pop(1_000_000) != &timer {
		t.Error("the timers do not fire at their deadlines")
	}
}

// A timer that moved to the first tick after its slot is not served before the slot of that tick starts.
func TestTheCursorPassesNoSlotForATimerThatMoved(t *testing.T) {
	w := New[int]()
	var moved, other Timer[int]
	w.Schedule(&moved, 2<<links.Digit)
	w.Schedule(&other, 3<<links.Digit+7)
	w.Reschedule(&moved, 3<<links.Digit)
	if w.Pop(800) != &moved || w.Pop(800) != &other {
		t.Error("the timers do not fire in the order of their deadlines")
	}
}

// Next looks at few timers to name the earliest deadline, and at the start of a slot of many.
func TestNextIsExactWhereTimersAreFew(t *testing.T) {
	w, timers := New[int](), make([]Timer[int], few+1)
	for i := range timers {
		w.Schedule(&timers[i], structures.Tick(70_000-i))
		want := structures.Tick(70_000 - i)
		if i == few {
			want = 1 << 16
		}
		if at, ok := w.Next(); at != want || !ok {
			t.Fatalf("Next() = %d, %t with %d timers, want %d", at, ok, i+1, want)
		}
	}
	for i := range timers[1:] {
		w.Reschedule(&timers[i], 1<<40) // all but the last one leave the slot
	}
	w.Cancel(&timers[few])
	if at, ok := w.Next(); at != 1<<40 || !ok || w.Work().SlotsVisited == 0 {
		t.Errorf("Next() = %d, %t after all timers were moved, want %d", at, ok, int64(1)<<40)
	}
}

// A slot of many timers fills its lists evenly, so that a cascade overlaps as many misses.
func TestManyTimersFillAllLists(t *testing.T) {
	w, timers := New[int](), make([]Timer[int], 1<<16+run) // the next list is not the first one
	for i := range timers {
		w.Schedule(&timers[i], structures.Tick(1000+i%6000))
	}
	for list := range w.levels[1].slots[10] {
		if w.levels[1].slots[10][list].first == &w.end {
			t.Errorf("list %d is empty", list)
		}
	}
	for w.Pop(7000) != nil {
	}
	if w.Len() != 0 || w.used != 1 || w.list != 0 {
		t.Errorf("%d timers are left, and %d lists are used, up to number %d", w.Len(), w.used, w.list)
	}
}

// Timers that move to earlier stay in their lists until many have moved, or a timer may fire or be cancelled.
func TestMovesToEarlierAreFiledTogether(t *testing.T) {
	for name, c := range map[string]struct {
		file func(w *Wheel[int], timers []Timer[int])
		left uint
	}{
		"one moved":         {func(*Wheel[int], []Timer[int]) {}, 1},
		"it moves to later": {func(w *Wheel[int], timers []Timer[int]) { w.Reschedule(&timers[0], 6000) }, 1},
		"many move": {func(w *Wheel[int], timers []Timer[int]) {
			for i := range w.moved {
				w.Reschedule(&timers[i+1], 3000)
			}
		}, 1},
		"another is cancelled": {func(w *Wheel[int], timers []Timer[int]) { w.Cancel(&timers[1]) }, 0},
		"it is cancelled":      {func(w *Wheel[int], timers []Timer[int]) { w.Cancel(&timers[0]) }, 0},
		"Next":                 {func(w *Wheel[int], _ []Timer[int]) { w.Next() }, 0},
		"Pop, nothing is due":  {func(w *Wheel[int], _ []Timer[int]) { w.Pop(399) }, 1},
		"Pop":                  {func(w *Wheel[int], _ []Timer[int]) { w.Pop(400) }, 0},
	} {
		w, timers := New[int](), make([]Timer[int], len(core{}.moved)+1)
		for i := range timers {
			w.Schedule(&timers[i], 5000)
		}
		w.Reschedule(&timers[0], 400)
		c.file(w, timers)
		if err := w.CheckInvariants(); err != nil || w.earlier != c.left {
			t.Errorf("%s: %d timers are to be filed, want %d: %v", name, w.earlier, c.left, err)
		}
	}
}

// Reading the next timers ahead, as with millions of timers, changes nothing.
func TestTouchChangesNothing(t *testing.T) {
	w, timers := New[int](), make([]Timer[int], 100)
	for i := range timers {
		w.Schedule(&timers[i], structures.Tick(1+i%30))
	}
	w.removed = -many - 1
	for at := structures.Tick(1); at <= 30; at++ {
		for w.Pop(at) != nil {
		}
	}
	if w.removed != 100-many-1 {
		t.Errorf("%d timers fired", w.removed+many+1)
	}
}

// The only timer of a slot does not pass through the levels below it.
func TestALoneTimerMovesOnce(t *testing.T) {
	w := New[int]()
	var lone, other Timer[int]
	for i, far := range []structures.Tick{1 << 40, 1<<41 + 12345, 1<<41 + 12346} {
		w.Schedule(&lone, far)
		w.Schedule(&other, 1<<50) // of another slot
		if at, ok := w.Next(); at != far || !ok {
			t.Fatalf("Next() = %d, %t, want %d", at, ok, far)
		}
		if w.Pop(far-1) != nil || w.Pop(far) != &lone {
			t.Fatalf("the timer of tick %d does not fire there", far)
		}
		checking.Sound(t, w)
		if moved := w.Work().Moved; moved > 6*uint64(i+1) {
			t.Errorf("%d timers were moved", moved)
		}
	}
}
