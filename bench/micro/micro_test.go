package micro

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/minheap"
)

func newHeap() structures.Scheduler[uint64] { return minheap.New[uint64]() }

func entriesOf(t *testing.T, names ...string) []catalog.Entry {
	t.Helper()
	var list []catalog.Entry
	for _, name := range names {
		e, ok := catalog.Find(name)
		if !ok {
			t.Fatalf("no structure %q", name)
		}
		list = append(list, e)
	}
	return list
}

func sequenceOf(t *testing.T, w workload.Workload, n, blocks, size int) *Sequence {
	t.Helper()
	q, err := NewSequence(t.Context(), w, n, blocks, size)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// call is a call of a scheduler, with the timer by its number in the script.
type call struct {
	kind   script.Kind
	at     structures.Tick
	number uint64
}

// recorder notes the calls that a scheduler gets.
type recorder struct {
	structures.Scheduler[uint64]
	numbers map[structures.ID]uint64
	calls   []call
}

func (r *recorder) Schedule(deadline structures.Tick, value uint64) structures.ID {
	id := r.Scheduler.Schedule(deadline, value)
	r.numbers[id] = value
	r.calls = append(r.calls, call{script.KindSchedule, deadline, value})
	return id
}

func (r *recorder) Cancel(id structures.ID) bool {
	r.calls = append(r.calls, call{script.KindCancel, 0, r.numbers[id]})
	return r.Scheduler.Cancel(id)
}

func (r *recorder) Reschedule(id structures.ID, deadline structures.Tick) bool {
	r.calls = append(r.calls, call{script.KindReschedule, deadline, r.numbers[id]})
	return r.Scheduler.Reschedule(id, deadline)
}

func (r *recorder) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	t, ok := r.Scheduler.Pop(now)
	if !ok {
		r.calls = append(r.calls, call{script.KindWake, now, 0})
	}
	return t, ok
}

// asWritten returns the calls that a script asks for.
func asWritten(w workload.Workload, n, blocks, size int) []call {
	var calls []call
	var numbers = map[uint32]uint64{} // by key
	scheduled := uint64(0)
	do := func(b *script.Block) {
		ops := b.Ops
		for _, batch := range b.Batches {
			for _, op := range ops[:batch.Len] {
				switch batch.Kind {
				case script.KindSchedule:
					numbers[op.Key] = scheduled
					calls = append(calls, call{batch.Kind, op.At, scheduled})
					scheduled++
				case script.KindFire, script.KindWake:
					calls = append(calls, call{script.KindWake, op.At, 0})
				default:
					calls = append(calls, call{batch.Kind, op.At, numbers[op.Key]})
				}
			}
			ops = ops[batch.Len:]
		}
	}
	sc := w.Script(n, 1)
	do(sc.Fill())
	for range blocks {
		do(sc.Next(size, nil))
	}
	return calls
}

// Under one name the suite and the loops here do the same, and not only to the
// workloads that are measured here.
func TestTheCallsAreThoseOfTheScript(t *testing.T) {
	const blocks, size = 3, 500
	for _, w := range workload.All() {
		for _, n := range []int{10, 200} {
			q := sequenceOf(t, w, n, blocks, size)
			log := &recorder{Scheduler: newHeap(), numbers: map[structures.ID]uint64{}}
			r, err := q.start(catalog.Entry{Name: "recorder", New: func() structures.Scheduler[uint64] { return log }})
			for block := 0; err == nil && block < blocks; block++ {
				_, err = r.time(block)
			}
			if err != nil {
				t.Fatal(err)
			}
			want := asWritten(w, n, blocks, size)
			if len(log.calls) != len(want) {
				t.Errorf("%s, n %d: %d calls, want %d", w.Name, n, len(log.calls), len(want))
			}
			for i := range min(len(want), len(log.calls)) {
				if log.calls[i] != want[i] {
					t.Errorf("%s, n %d: call %d is %v, want %v", w.Name, n, i, log.calls[i], want[i])
					break
				}
			}
		}
	}
}

func TestStructuresAreMeasuredAndReferencesWhereNothingFires(t *testing.T) {
	entries := entriesOf(t, "minheap", "hwheel-linux", "hwheel") // one of them coarse
	beside := []string{"null", "stub", "time.AfterFunc"}
	for _, w := range Workloads() {
		figures, err := sequenceOf(t, w, 500, 3, 2000).Measure(t.Context(), entries)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range figures {
			names = append(names, f.Structure)
			if !(f.NS >= 0) {
				t.Errorf("%s on %s: %v ns", f.Structure, w.Name, f.NS)
			}
		}
		want := []string{"minheap", "hwheel-linux", "hwheel"}
		if w.Name != "hold" && w.Name != "fill-drain" {
			want = append(beside, want...)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s is measured on %q, want %q", w.Name, names, want)
		}
	}
}

// forgetful does what it is asked, and refuses to say so; or it loses one in two of the
// timers that fire.
type forgetful struct {
	structures.Scheduler[uint64]
	fault string
	pops  int
}

func (f *forgetful) Cancel(id structures.ID) bool {
	return f.Scheduler.Cancel(id) && f.fault != "cancel"
}

func (f *forgetful) Reschedule(id structures.ID, at structures.Tick) bool {
	return f.Scheduler.Reschedule(id, at) && f.fault != "reschedule"
}

func (f *forgetful) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	t, ok := f.Scheduler.Pop(now)
	if f.pops++; ok && f.pops%2 == 0 && f.fault == "fire" {
		return f.Scheduler.Pop(now)
	}
	return t, ok
}

func (f *forgetful) Len() int {
	if f.fault == "count" {
		return f.Scheduler.Len() + 1
	}
	return f.Scheduler.Len()
}

func TestWrongAnswersGetNoFigure(t *testing.T) {
	for _, c := range []struct{ workload, fault string }{
		{"start-stop", "cancel"}, {"churn", "cancel"}, {"reschedule", "reschedule"},
		{"hold", "fire"}, {"fill-drain", "fire"}, {"hold", "count"},
	} {
		e := catalog.Entry{Name: "forgetful", New: func() structures.Scheduler[uint64] {
			return &forgetful{Scheduler: newHeap(), fault: c.fault}
		}}
		w := find(c.workload)[0]
		_, err := sequenceOf(t, w, 300, 1, 1000).Measure(t.Context(), []catalog.Entry{e})
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("forgetful on %s among 300 timers: ", w.Name)) {
			t.Errorf("%s, wrong to %s: %v, want an error that names the structure and the workload", w.Name, c.fault, err)
		}
	}
}

func TestMeasuringStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hold := find("hold")[0]
	if _, err := NewSequence(ctx, hold, 100, 1, 100); !errors.Is(err, context.Canceled) {
		t.Errorf("NewSequence: error %v", err)
	}
	q := sequenceOf(t, hold, 100, 1, 100)
	if _, err := q.Measure(ctx, entriesOf(t, "minheap")); !errors.Is(err, context.Canceled) {
		t.Errorf("Measure: error %v", err)
	}
	if _, err := q.MeasureTails(ctx, entriesOf(t, "minheap")); !errors.Is(err, context.Canceled) {
		t.Errorf("MeasureTails: error %v", err)
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
