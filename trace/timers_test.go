package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// recordedTimers returns Timers that record, and a function that ends the recording and returns
// its operations and totals.
func recordedTimers(t testing.TB) (*Timers, func() ([]Op, Totals)) {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, testHeader)
	if err != nil {
		t.Fatal(err)
	}
	timers := NewTimers(w)
	return timers, func() ([]Op, Totals) {
		t.Helper()
		if err := timers.Close(); err != nil {
			t.Fatal(err)
		}
		ops, r, err := read(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return ops, r.Totals()
	}
}

// stopper has the common methods of time.Timer and Timer.
type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// history is the view that a random program has of its timers.
type history struct {
	events []string
	counts map[string]uint64
	fired  map[structures.Tick]int // by the first tick at or after the time
}

// randomProgram uses timers that afterFunc makes. Some functions reset their timer.
// It is the same program for the same seed, because no two events happen at the same time.
func randomProgram(seed uint64, afterFunc func(d time.Duration, f func()) stopper) history {
	const step = 10 * time.Microsecond
	start := time.Now()
	h := history{counts: make(map[string]uint64), fired: make(map[structures.Tick]int)}
	note := func(i int, what string) {
		h.events = append(h.events, fmt.Sprintf("%v: %d %s", time.Since(start), i, what))
		h.counts[what]++
	}
	r := rand.New(rand.NewPCG(seed, 0))
	serial := time.Duration(0)
	delay := func() time.Duration {
		serial++
		return time.Duration(1+r.IntN(8)*r.IntN(5000))*step - time.Since(start)%step + serial
	}
	var mu sync.Mutex
	var timers []stopper
	for range 500 {
		mu.Lock()
		i := r.IntN(max(1, len(timers)))
		switch kind := r.IntN(5); {
		case kind < 2 || len(timers) < 5:
			i, again := len(timers), r.IntN(4)
			timers = append(timers, afterFunc(delay(), func() {
				mu.Lock()
				defer mu.Unlock()
				note(i, "fires")
				h.fired[structures.Tick((time.Since(start)+time.Millisecond-1)/time.Millisecond)]++
				if again--; again > 0 {
					note(i, fmt.Sprint("reset ", timers[i].Reset(delay())))
				}
			}))
			note(i, "starts")
		case kind == 2:
			note(i, fmt.Sprint("stop ", timers[i].Stop()))
		default:
			note(i, fmt.Sprint("reset ", timers[i].Reset(delay())))
		}
		pause := time.Duration(1+r.IntN(3000)) * step
		mu.Unlock()
		time.Sleep(pause)
	}
	time.Sleep(10 * time.Minute)
	mu.Lock()
	defer mu.Unlock()
	return h
}

// A program cannot tell Timers from package time, and the trace holds the results that the program
// saw: each answer, and each timer at its tick.
func TestTimersDoAndRecordWhatTimeDoes(t *testing.T) {
	for seed := range uint64(10) {
		var want, bare, got history
		var ops []Op
		var totals Totals
		run := func(h *history, afterFunc func(d time.Duration, f func()) stopper) func(*testing.T) {
			return func(*testing.T) { *h = randomProgram(seed, afterFunc) }
		}
		synctest.Test(t, run(&want, func(d time.Duration, f func()) stopper { return time.AfterFunc(d, f) }))
		synctest.Test(t, run(&bare, func(d time.Duration, f func()) stopper { return new(Timers).AfterFunc(d, f) }))
		synctest.Test(t, func(t *testing.T) {
			timers, end := recordedTimers(t)
			run(&got, func(d time.Duration, f func()) stopper { return timers.AfterFunc(d, f) })(t)
			ops, totals = end()
		})
		for name, h := range map[string]history{"not recorded": bare, "recorded": got} {
			if !slices.Equal(h.events, want.events) {
				t.Fatalf("seed %d, %s: the program sees\n%q\nwant\n%q", seed, name, h.events, want.events)
			}
		}
		n := want.counts
		for kind, want := range map[Kind]uint64{
			Schedule: n["starts"] + n["reset false"], Reschedule: n["reset true"],
			Cancel: n["stop true"], RefusedCancel: n["stop false"], RefusedReschedule: 0,
		} {
			if got := totals.Ops[kind]; got != want {
				t.Errorf("seed %d: %d %vs are recorded, want %d", seed, got, kind, want)
			}
		}
		fired := make(map[structures.Tick]int)
		for _, op := range ops {
			if len(op.Fired) > 0 {
				fired[op.At] += len(op.Fired)
			}
		}
		if !maps.Equal(fired, want.fired) {
			t.Errorf("seed %d: recorded as fired, by tick: %v\nwant %v", seed, fired, want.fired)
		}
		for _, what := range []string{"fires", "stop true", "stop false", "reset true", "reset false"} {
			if n[what] == 0 {
				t.Errorf("seed %d: the program has left out: %s", seed, what)
			}
		}
	}
}

// Any goroutine may use Timers, and so may the functions of timers.
func TestTimersAreForManyGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timers, end := recordedTimers(t)
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(i), 0))
				var mine []*Timer
				for range 300 {
					mine = append(mine, timers.AfterFunc(time.Duration(r.IntN(int(time.Second))), func() {
						timers.AfterFunc(time.Millisecond, func() {}).Stop()
					}))
					mine[r.IntN(len(mine))].Stop()
					mine[r.IntN(len(mine))].Reset(time.Duration(r.IntN(int(time.Second))))
					if r.IntN(3) == 0 {
						time.Sleep(time.Millisecond)
					}
				}
			})
		}
		wg.Wait()
		time.Sleep(2 * time.Second)
		_, totals := end()
		if totals.Pending() != 0 || totals.Ops[Schedule] < 8*300 || totals.Fired == 0 {
			t.Errorf("recorded %+v", totals)
		}
	})
}

func TestTimersTakeAnyDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		timers, end := recordedTimers(t)
		time.Sleep(1500 * time.Microsecond)
		for _, d := range []time.Duration{math.MinInt64, -1, 0, 1, 500 * time.Microsecond} {
			timers.AfterFunc(d, func() {}) // all of them fire at tick 2
		}
		for _, d := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1} {
			timers.AfterFunc(d, func() { t.Error("a timer of 292 years fires") })
		}
		time.Sleep(time.Second)
		ops, totals := end()
		if totals.Fired != 5 || totals.Pending() != 2 {
			t.Errorf("recorded %+v", totals)
		}
		for _, op := range ops {
			if op.Kind == Advance && len(op.Fired) > 0 && (op.At != 2 || len(op.Fired) != 5) {
				t.Errorf("%d timers fire at tick %d, want 5 at tick 2", len(op.Fired), op.At)
			}
		}
	})
}

// Timers go on after the end of a recording, or when the disk is full.
func TestTimersGoOnWithoutTheirRecording(t *testing.T) {
	for name, c := range map[string]struct {
		out   io.Writer
		close bool
		want  error
	}{
		"closed":    {io.Discard, true, nil},
		"disk full": {&full{200}, false, errFull},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, err := NewWriter(c.out, testHeader)
			if err != nil {
				t.Fatal(err)
			}
			w.size = 100
			timers := NewTimers(w)
			if c.close {
				if err := timers.Close(); err != nil {
					t.Fatal(err)
				}
			}
			var fired atomic.Int64
			for range 5000 {
				timers.AfterFunc(time.Second, func() { fired.Add(1) })
			}
			other := timers.AfterFunc(time.Hour, func() { t.Error("a timer that was stopped fires") })
			if !other.Reset(time.Minute) || !other.Stop() || other.Stop() {
				t.Errorf("%s: Reset, Stop, Stop: want true, true, false", name)
			}
			time.Sleep(time.Hour)
			if fired.Load() != 5000 {
				t.Errorf("%s: %d timers fire, want 5000", name, fired.Load())
			}
			if n := timers.d.heap.Len(); n > 2500 {
				t.Errorf("%s: the heap beside holds %d timers that nobody records", name, n)
			}
			if err := timers.Close(); !errors.Is(err, c.want) {
				t.Errorf("%s: Close returns %v, want %v", name, err, c.want)
			}
		})
	}
}
