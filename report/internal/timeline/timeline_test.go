package timeline

import (
	"reflect"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/schedtest"
)

const timers = 500

// around has tick 65,536 in the middle, with a bin that begins there.
var around = Window{From: 1<<16 - 2048, Width: 256, Bins: 16}

func of(t *testing.T, name string) Timeline {
	t.Helper()
	return within(t, name, around)
}

func within(t *testing.T, name string, window Window) Timeline {
	t.Helper()
	e, ok := catalog.Find(name)
	w, ok2 := workload.Find("hold")
	if !ok || !ok2 {
		t.Fatal("no such structure or workload")
	}
	return Of(e.New(), w, timers, 1, window)
}

// With 256 slots a level, the classical wheel empties a slot of level 2 at tick 65,536:
// all timers move at once. The other hierarchical wheel never needs level 2 for them.
func TestACascadeIsSeenWhereItHappens(t *testing.T) {
	list, arrays := of(t, "hwheel-list"), of(t, "hwheel")
	at := slices.Index(list.Moved.Values, slices.Max(list.Moved.Values))
	if want := around.bin(1 << 16); at != want || list.Moved.Values[at] < 0.9*timers {
		t.Errorf("most moved: %v in bin %d, want nearly %d in bin %d", list.Moved.Values[at], at, timers, want)
	}
	if most := slices.Max(arrays.Moved.Values); most == 0 || most > 0.1*timers {
		t.Errorf("hwheel moves %v timers by one call", most)
	}
	var names []string
	for _, r := range list.Held {
		names = append(names, r.Name)
	}
	if want := []string{"level 0", "level 1", "level 2"}; !slices.Equal(names, want) {
		t.Fatalf("levels %q, want %q", names, want)
	}
	one, two := list.Held[1].Values, list.Held[2].Values
	if one[at] <= one[at-1] || two[at] != 0 || two[at-1] < 0.9*timers {
		t.Errorf("level 1 holds %v, then %v; level 2 %v, then %v", one[at-1], one[at], two[at-1], two[at])
	}
}

// A bin says what its worst call did, however many calls it covers.
func TestABinShowsOneCall(t *testing.T) {
	whole := around
	whole.Width, whole.Bins = around.Width*structures.Tick(around.Bins), 1
	for _, name := range []string{"hwheel", "calendar"} {
		fine, coarse := of(t, name), within(t, name, whole)
		for i, pair := range [][2]Row{{fine.Moved, coarse.Moved}, {fine.Visited, coarse.Visited}} {
			if most := slices.Max(pair[0].Values); pair[1].Values[0] != most {
				t.Errorf("%s, row %d: %v in one bin, at most %v in each of many", name, i, pair[1].Values[0], most)
			}
		}
	}
}

// A structure that holds its timers in one part has all of them there, but for those
// that wait to be linked.
func TestNoTimerIsLostFromSight(t *testing.T) {
	for _, name := range []string{"wheel", "bucketheap", "quadheap-lazy", "calendar"} {
		got := of(t, name)
		if len(got.Held) != 1 || len(got.Held[0].Values) != around.Bins {
			t.Errorf("%s: parts %+v", name, got.Held)
			continue
		}
		for bin, n := range got.Held[0].Values {
			if n < timers-64 || n > timers {
				t.Errorf("%s: %v of %d timers are held in bin %d", name, n, timers, bin)
			}
		}
	}
	// A calendar visits days in every bin.
	if least := slices.Min(of(t, "calendar").Visited.Values); least == 0 {
		t.Error("a calendar that visits no day")
	}
}

func TestTheSameTwice(t *testing.T) {
	if a, b := of(t, "skiplist"), of(t, "skiplist"); !reflect.DeepEqual(a, b) {
		t.Error("two timelines of one structure differ")
	}
}

// The model shows neither its shape nor its work.
func TestWhatCannotBeSeenIsEmpty(t *testing.T) {
	w, _ := workload.Find("hold")
	got := Of(schedtest.NewModel[uint64](), w, 5, 1, Window{From: 0, Width: 100, Bins: 3})
	if got.Held != nil || !slices.Equal(got.Moved.Values, make([]float64, 3)) {
		t.Errorf("%+v", got)
	}
}

// All kinds of operations are replayed: a timer that was not moved or cancelled would
// fire, and be held for longer.
func TestMovesAndCancelsAreReplayed(t *testing.T) {
	w, ok := workload.Find("kafka-purgatory")
	if !ok {
		t.Fatal("no such workload")
	}
	counter := &counting{Scheduler: schedtest.NewModel[uint64]()}
	Of(counter, w, 100, 1, Window{From: 0, Width: 100, Bins: 10})
	if counter.refused > 0 || counter.cancels == 0 {
		t.Errorf("%d cancels, %d refused", counter.cancels, counter.refused)
	}
}

type counting struct {
	structures.Scheduler[uint64]
	cancels, refused int
}

func (c *counting) Cancel(id structures.ID) bool {
	c.cancels++
	ok := c.Scheduler.Cancel(id)
	if !ok {
		c.refused++
	}
	return ok
}
