package lines

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
	"github.com/timerbench/timerbench/structures/minheap"
)

func heap1() Contender {
	return Contender{"minheap", func() structures.Scheduler[uint64] { return minheap.New[uint64]() }}
}

func wheel1() Contender {
	return Contender{"hwheel", func() structures.Scheduler[uint64] { return hwheel.New[uint64]() }}
}

func TestEveryLineIsMeasuredForEveryContenderThatCan(t *testing.T) {
	figures, err := Compare(context.Background(), All(), 500, 2, 2000, []Contender{heap1(), wheel1(), Time()})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range All() {
		for _, name := range []string{"minheap", "hwheel", "time"} {
			f, ok := Of(figures, name, line, 500)
			if want := name != "time" || line.Still(); ok != want {
				t.Errorf("%s on %s: measured %t, want %t", name, line, ok, want)
			}
			if ok && !(f.NS > 0 && f.NS < 1e6) {
				t.Errorf("%s on %s: %v ns", name, line, f.NS)
			}
		}
	}
	if best, ok := Best(figures, Churn, 500); !ok || best.Structure == "time" {
		t.Errorf("the best structure is %+v", best)
	}
}

// forgetful loses every timer that it is asked to cancel late, refuses to move any,
// and fires one in two.
type forgetful struct {
	structures.Scheduler[uint64]
	broken Line
	pops   int
}

func (f *forgetful) Cancel(id structures.ID) bool {
	return f.Scheduler.Cancel(id) && f.broken != StartStop && f.broken != Churn
}

func (f *forgetful) Reschedule(id structures.ID, at structures.Tick) bool {
	return f.Scheduler.Reschedule(id, at) && f.broken != Reschedule
}

func (f *forgetful) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	t, ok := f.Scheduler.Pop(now)
	if f.pops++; ok && f.pops%2 == 0 && (f.broken == Hold || f.broken == FillDrain) {
		return f.Scheduler.Pop(now) // one is lost
	}
	return t, ok
}

func TestWrongAnswersGetNoFigure(t *testing.T) {
	for _, line := range All() {
		c := Contender{"forgetful", func() structures.Scheduler[uint64] {
			return &forgetful{Scheduler: minheap.New[uint64](), broken: line}
		}}
		_, err := Compare(context.Background(), []Line{line}, 300, 1, 1000, []Contender{c})
		var wrong *Error
		if !errors.As(err, &wrong) || wrong.Structure != "forgetful" || !strings.Contains(err.Error(), string(line)) {
			t.Errorf("%s: %v, want an error that names the structure and the line", line, err)
		}
	}
}

func TestCompareStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compare(ctx, All(), 100, 1, 100, []Contender{heap1()}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestTailStampsEveryCall(t *testing.T) {
	tail := MeasureTail(wheel1(), 2000, 500)
	if tail.Calls < 2500 || tail.P999 <= 0 || tail.Max < tail.P999 {
		t.Errorf("%+v", tail)
	}
}

func TestIdleStepsAreFiringTicksAndCascades(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a second")
	}
	exact, wheel := MeasureIdle(heap1()), MeasureIdle(wheel1())
	if exact.Steps != exact.Firing || exact.Moved != 0 {
		t.Errorf("minheap: %d steps of which %d fire, want no others", exact.Steps, exact.Firing)
	}
	if wheel.Firing != exact.Firing || wheel.Steps <= wheel.Firing || wheel.Steps > wheel.Firing+int(wheel.Moved) {
		t.Errorf("hwheel: %d steps of which %d fire, %d timers moved; minheap fires at %d", wheel.Steps, wheel.Firing, wheel.Moved, exact.Firing)
	}
}

func TestMemoryIsOfTheStructure(t *testing.T) {
	// A slice of 24 bytes an entry, up to twice as long as need be, and positions.
	if m := MeasureMemory(heap1(), 50_000); m.PerTimer < 15 || m.PerTimer > 80 || m.GC <= 0 {
		t.Errorf("%+v", m)
	}
}

func TestFloorIsBelowTheChase(t *testing.T) {
	if f := MeasureFloor(1 << 18); !(f.Touch > 0 && f.Touch < f.Chase) {
		t.Errorf("%+v", f)
	}
}

func TestMedian(t *testing.T) {
	if got := median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("median = %v", got)
	}
	if got := median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("median = %v", got)
	}
	if got := median(nil); !math.IsNaN(got) {
		t.Errorf("median of nothing = %v", got)
	}
}
