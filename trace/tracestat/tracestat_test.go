package tracestat

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/tracetest"
	"github.com/timerbench/timerbench/trace"
)

var header = trace.Header{Name: "test", Description: "a test", Tick: time.Millisecond, Started: time.Unix(1_700_000_000, 0).UTC()}

// one is the distribution of a single delay.
func one(ns float64) Delays {
	return Delays{Count: 1, Mean: ns, Min: ns, P50: ns, P90: ns, P99: ns, P999: ns, Max: ns}
}

// summary returns the summary of the trace that use writes.
func summary(t *testing.T, use func(w *trace.Writer)) *Summary {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.trace")
	tracetest.Write(t, path, header, use)
	s, err := Read(path)
	fail.If(t, err)
	if info, err := os.Stat(path); err != nil || s.Bytes != info.Size() {
		t.Errorf("a file of %d bytes, %v", s.Bytes, err)
	}
	return s
}

// The most timers at one advance count, whatever fires later.
func TestTheMostTimersAtOnceCount(t *testing.T) {
	s := summary(t, func(w *trace.Writer) {
		a, b, c := w.Schedule(5), w.Schedule(5), w.Schedule(9)
		w.Advance(5, a, b)
		w.Advance(9, c)
	})
	fail.UnlessSame(t, "at once", [2]int{s.AtOnce, s.Sites[0].AtOnce}, [2]int{2, 2})
}

func TestASummaryCountsByHand(t *testing.T) {
	const epoch = 1_000_000 // the program's clock starts here, so no time has passed
	s := summary(t, func(w *trace.Writer) {
		w.Advance(epoch)
		a, b, c := w.Schedule(epoch+10), w.Schedule(epoch+20), w.Schedule(epoch+500)
		w.Advance(epoch+10, a)
		w.Reschedule(b, epoch+60)
		w.Advance(epoch + 20)
		w.Refused(trace.Cancel)
		w.Cancel(c)
		w.Advance(epoch+100, b) // 40 ticks late
	})
	want := &Summary{
		Header: header, Bytes: s.Bytes,
		Totals:   trace.Totals{Ops: [6]uint64{3, 1, 1, 4, 0, 1}, Fired: 2, First: epoch, Last: epoch + 100, Keys: 3},
		Resident: (3*10 + 2*10 + 1*80) / 100.0, ResidentOp: (0 + 1 + 2 + 3 + 2 + 2 + 2 + 2 + 1 + 0) / 10.0,
		Idle: 2, AtOnce: 1, LateFires: 1, CancelRate: 1.0 / 3, Functions: 3,
		Delays: Delays{Count: 3, Mean: 530e6 / 3.0, Min: 10e6, P50: 20e6, P90: 500e6, P99: 500e6, P999: 500e6, Max: 500e6},
		Moves:  one(50e6),
	}
	want.Sites = []Site{{Timers: 3, Cancelled: 1, Fired: 2, Moves: 1, Later: 1, AtOnce: 1, Wakes: 2, Wakeups: [2]float64{4, 3}, Pending: 1.3, Growth: (10*10 + 20*20 + 100*100) / 2.0 / 130 / 100, Delays: want.Delays, Left: one(480e6)}}
	fail.UnlessSame(t, "the summary", s, want)
	if s.Duration() != 100*time.Millisecond || s.Rate() != 100 {
		t.Errorf("%v at %g a second, want 100ms at 100", s.Duration(), s.Rate())
	}
	if _, err := Read("none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestSitesAreSummedUp(t *testing.T) {
	s := summary(t, func(w *trace.Writer) {
		w.From(trace.Site{Place: "main.rare main.go:3"})
		rare := w.Schedule(100)
		w.From(trace.Site{Place: "main.often main.go:7", Form: trace.ChannelForm})
		a, b, c := w.Schedule(10), w.Schedule(30), w.Schedule(30)
		w.Advance(10, a)
		w.Cancel(b)
		w.Reschedule(rare, 50)
		w.Advance(30, c)
		w.Cancel(rare)
	})
	want := []Site{
		{Name: "main.often main.go:7", Wakeups: [2]float64{2, 2}, Form: trace.ChannelForm, Timers: 3, Cancelled: 1, Fired: 2, AtOnce: 1, Wakes: 2, Pending: (10 + 10 + 30) / 20.0, Growth: (10*10 + 10*10 + 30*30) / 2.0 / 50 / 30, Left: one(20e6), Delays: Delays{Count: 3, Mean: 70e6 / 3.0, Min: 10e6, P50: 30e6, P90: 30e6, P99: 30e6, P999: 30e6, Max: 30e6}},
		{Name: "main.rare main.go:3", Timers: 1, Cancelled: 1, Moves: 1, Pending: 30 / 20.0, Growth: 0.5, Delays: one(100e6), Left: one(20e6)},
	}
	fail.UnlessSame(t, "the sites", s.Sites, want)
	fail.UnlessSame(t, "the share cancelled", s.Sites[0].CancelRate(), 1.0/3)
}

// Schedules and moves for the next tick, moves to a later deadline than the last one, and timers that follow one that
// fired, are counted for each site.
func TestMovesOfASiteAreCounted(t *testing.T) {
	s := summary(t, func(w *trace.Writer) {
		w.Advance(10)
		a := w.Schedule(11)
		w.Advance(11, a)
		b := w.Schedule(40)  // repeats a
		w.Reschedule(b, 12)  // soon
		w.Reschedule(b, 13)  // later
		w.Reschedule(b, 100) // later
		w.Reschedule(b, 60)
		w.Reschedule(b, 12) // soon
		w.Reschedule(b, 70) // later
		w.Advance(30)
		w.Cancel(b) // 40 ticks are left
	})
	got := s.Sites[0]
	got.Delays = Delays{}
	want := Site{Timers: 2, Fired: 1, Cancelled: 1, Moves: 6, Later: 3, Soon: 3, Repeats: 1, AtOnce: 1, Wakes: 1, Wakeups: [2]float64{2, 2}, Pending: 1, Growth: 0.5, Left: one(40e6)}
	fail.UnlessSame(t, "the summary", got, want)
}

// A small file can have very many pending timers. The memory is 40 bytes for each, and 22 for each that fires at once.
func TestTheMemoryOfASummaryIsBounded(t *testing.T) {
	const timers = 1_000_000
	path := filepath.Join(t.TempDir(), "test.trace")
	tracetest.Write(t, path, header, func(w *trace.Writer) {
		keys := make([]uint32, timers)
		for i := range keys {
			keys[i] = w.Schedule(5)
		}
		w.Advance(5, keys...)
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := Read(path)
	runtime.ReadMemStats(&after)
	if err != nil || s.Totals.Fired != timers {
		t.Fatalf("%+v, %v", s, err)
	}
	// What is allocated in all is more than what is there at any time.
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(10e6+(40+22)*timers); got > most {
		t.Errorf("%d bytes of memory for %d timers in a file of %d bytes, want at most %d", got, timers, s.Bytes, most)
	} else {
		t.Logf("%d bytes for %d timers in a file of %d bytes", got, timers, s.Bytes)
	}
}
