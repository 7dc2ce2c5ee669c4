// Package lines measures structures by a few plain loops, the lines of a table of
// goals: what a start and stop costs, a hold, a fill and drain, among a million
// timers and more.
//
// Package bench compares structures on workloads, every operation of which is
// proved. Its harness costs 8 to 20 ns an operation, which it measures and shows.
// That is too much beside structures of 7 to 50 ns. So here the caller is as lean
// as a caller can be: a loop, the calls, and a read of numbers made before. What
// comes out is checked by counts.
package lines

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/timerbench/timerbench/bench/internal/gotimer"
	"github.com/timerbench/timerbench/structures"
)

// Line is one measurement.
type Line string

// The lines. Delays are uniform over Span ticks and values are 8 bytes.
const (
	StartStop  Line = "start-stop" // schedule one, cancel it at once
	Churn      Line = "churn"      // cancel a random one, schedule another, through an array of IDs
	Reschedule Line = "reschedule" // move a random one, by such an array, to a deadline later than all
	Hold       Line = "hold"       // tick by tick: whatever fires is scheduled again
	FillDrain  Line = "fill-drain" // schedule all, then tick by tick until all have fired; per timer
)

// All returns the lines, in the order in which tables show them.
func All() []Line { return []Line{StartStop, Churn, Reschedule, Hold, FillDrain} }

// Still reports whether the clock stands still, so that real timers can take part.
func (l Line) Still() bool { return l == StartStop || l == Churn || l == Reschedule }

// Span is the range of delays, in ticks: a minute of milliseconds.
const Span = 60_000

// Contender is a structure to measure.
type Contender struct {
	Name string
	New  func() structures.Scheduler[uint64]
}

const mask = 1<<20 - 1

// numbers are the random numbers of all runs among n timers, made before any time
// is taken.
type numbers struct {
	delays  [mask + 1]uint32
	victims [mask + 1]uint32
}

func newNumbers(n int) *numbers {
	r := rand.New(rand.NewPCG(1, 2))
	m := &numbers{}
	for i := range m.delays {
		m.delays[i] = 1 + uint32(r.IntN(Span))
		m.victims[i] = uint32(r.IntN(n))
	}
	return m
}

// run is a structure with n timers.
type run struct {
	s    structures.Scheduler[uint64]
	n    int
	ids  []structures.ID
	now  structures.Tick
	at   int // in numbers
	rand *numbers
}

func newRun(s structures.Scheduler[uint64], n int, m *numbers) *run {
	return &run{s: s, n: n, rand: m, ids: make([]structures.ID, n)}
}

// stop stops timers that are Go's own: they would fire some day.
func (r *run) stop() {
	if g, ok := r.s.(*gotimer.Timers); ok {
		g.Stop()
	}
}

// fill schedules n timers.
func (r *run) fill() {
	for i := range r.ids {
		r.at++
		r.ids[i] = r.s.Schedule(r.now+structures.Tick(r.rand.delays[r.at&mask]), uint64(i))
	}
}

// measure does a line for so many operations, or once through for FillDrain, and
// returns the time of one in nanoseconds. The collector is off meanwhile.
func (r *run) measure(line Line, operations int) (float64, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	do := map[Line]func(int) (int, error){
		StartStop: r.startStop, Churn: r.churn, Reschedule: r.reschedule, Hold: r.hold, FillDrain: r.fillDrain,
	}[line]
	start := time.Now()
	done, err := do(operations)
	took := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%s among %d: %w", line, r.n, err)
	}
	return float64(took) / float64(done), nil
}

func (r *run) startStop(operations int) (int, error) {
	s, delays, at, stopped := r.s, &r.rand.delays, r.at, 0
	for range operations {
		at++
		if s.Cancel(s.Schedule(r.now+structures.Tick(delays[at&mask]), 0)) {
			stopped++
		}
	}
	r.at = at
	return operations, want("stopped", stopped, operations)
}

func (r *run) churn(operations int) (int, error) {
	s, m, at, cancelled := r.s, r.rand, r.at, 0
	for range operations {
		at++
		victim := m.victims[at&mask]
		if s.Cancel(r.ids[victim]) {
			cancelled++
		}
		r.ids[victim] = s.Schedule(r.now+structures.Tick(m.delays[at&mask]), uint64(victim))
	}
	r.at = at
	return operations, want("cancelled", cancelled, operations)
}

func (r *run) reschedule(operations int) (int, error) {
	s, at, moved := r.s, r.at, 0
	for range operations {
		at++
		later := r.now + Span + structures.Tick(at>>9)
		if s.Reschedule(r.ids[r.rand.victims[at&mask]], later) {
			moved++
		}
	}
	r.at = at
	return operations, want("moved", moved, operations)
}

func (r *run) hold(operations int) (int, error) {
	s, delays, at, now, fired := r.s, &r.rand.delays, r.at, r.now, 0
	// Every timer fires once in so many ticks at least, unless one is lost.
	end := now + Span*structures.Tick(operations/r.n+2)
	for fired < operations && now < end {
		now++
		for {
			t, ok := s.Pop(now)
			if !ok {
				break
			}
			at++
			fired++
			s.Schedule(now+structures.Tick(delays[at&mask]), t.Value)
		}
	}
	r.at, r.now = at, now
	return fired, want("pending", s.Len(), r.n)
}

func (r *run) fillDrain(int) (int, error) {
	r.fill()
	fired, end := 0, r.now+Span
	for r.now < end {
		r.now++
		for {
			if _, ok := r.s.Pop(r.now); !ok {
				break
			}
			fired++
		}
	}
	return r.n, want("fired", fired, r.n)
}

func want(what string, got, want int) error {
	if got != want {
		return fmt.Errorf("%d %s, want %d", got, what, want)
	}
	return nil
}
