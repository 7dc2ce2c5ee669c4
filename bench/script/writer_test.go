package script

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
)

// endlessProcess schedules timers until it is interrupted.
type endlessProcess struct{}

func (endlessProcess) Fill(w *Writer, _ *Rand) {
	for {
		w.Schedule(1)
	}
}

func (e endlessProcess) Step(w *Writer, r *Rand) { e.Fill(w, r) }

func TestAScriptIsInterruptedWhileItIsWritten(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if b, err := New(endlessProcess{}, nil, 0).FillContext(ctx); b != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Fill: block %v, error %v", b, err)
	}
	if b, err := New(endlessProcess{}, nil, 0).NextContext(ctx, 10, nil); b != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Next: block %v, error %v", b, err)
	}
}

func TestWriterRefusesScriptsThatMakeNoSense(t *testing.T) {
	for name, misuse := range map[string]func(w *Writer){
		"schedule in the past":   func(w *Writer) { w.Schedule(10) },
		"reschedule in the past": func(w *Writer) { w.Reschedule(w.Schedule(20), 3) },
		"go back":                func(w *Writer) { w.Advance(9) },
		"pass a deadline":        func(w *Writer) { w.Schedule(15); w.Advance(16) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			w := &Writer{}
			w.begin(nil)
			w.Advance(10)
			misuse(w)
		}()
	}
}

func TestEntriesLeaveByTickThenByArrival(t *testing.T) {
	type entry struct {
		at    structures.Tick
		order int
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var q Queue[entry]
	var want []entry
	for i := range 5000 {
		e := entry{structures.Tick(rng.IntN(300)), i}
		q.Push(e.at, e)
		want = append(want, e)
		if rng.IntN(3) == 0 {
			slices.SortStableFunc(want, func(a, b entry) int { return int(a.at - b.at) })
			if at, got := q.First(); got != want[0] || at != got.at {
				t.Fatalf("first is %v at %d, want %v", got, at, want[0])
			}
			q.Pop()
			want = want[1:]
		}
	}
	slices.SortStableFunc(want, func(a, b entry) int { return int(a.at - b.at) })
	for _, w := range want {
		if _, got := q.First(); got != w {
			t.Fatalf("got %v, want %v", got, w)
		}
		q.Pop()
	}
	if q.Len() != 0 {
		t.Fatalf("%d entries left", q.Len())
	}
}

func TestTheBoundOfACoarseStructureEndsWithTime(t *testing.T) {
	late := func(delay structures.Tick) structures.Tick { return delay / 8 }
	for _, x := range []struct{ at, delay, want structures.Tick }{
		{100, 80, 110},
		{math.MaxInt64 - 5, 80, math.MaxInt64},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64},
	} {
		fail.UnlessSame(t, fmt.Sprintf("deadline %d, delay %d", x.at, x.delay), (Fire{At: x.at, Delay: x.delay}).Latest(late), x.want)
	}
}
