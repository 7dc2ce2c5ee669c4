// Package schedtest is the conformance suite for [structures.Scheduler], as testing/slogtest is for slog
// handlers. Three lines prove that a structure keeps the contract:
//
//	func TestConformance(t *testing.T) {
//		schedtest.Run(t, func() structures.Scheduler[uint64] { return minheap.New[uint64]() })
//	}
//
//	func TestRelease(t *testing.T) {
//		schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return minheap.New[*schedtest.Payload]() })
//	}
//
//	func FuzzAgainstModel(f *testing.F) {
//		schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return minheap.New[uint64]() })
//	}
//
// [Capacity] checks the option of that name. [Many] checks a structure with more timers than Run uses.
//
// Each subtest has the name of a rule of the contract. A failure names the rule and the operation that
// broke it, the result and the expected result, and lists the operations before it. Most rules apply
// every operation to a [model.Model], too, which is too simple to be wrong, and compare the results. Then a
// failure is shrunk: it lists the fewest operations that were found to break the rule.
//
// Nothing here sleeps, and nothing is random: generated programs come from fixed seeds. The wall clock is
// read to fail a structure whose jumps would otherwise never end, and to end the shrinking of a failure.
//
// By default the suite takes about a second for a structure. It does several times as much if the
// environment variable TIMERBENCH_LONG is 1, and less with -short and under the race detector.
package schedtest

import (
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

// Option declares where the promises of a structure differ from the contract.
type Option func(*config)

// FIFO declares that timers with equal deadlines fire in the order of their last Schedule or Reschedule.
// It has no effect together with Coarse.
func FIFO() Option { return func(c *config) { c.fifo = true } }

// Coarse declares that a structure rounds deadlines up: a timer whose last Schedule or Reschedule was delay
// ticks before its deadline may fire up to maxLate(delay) ticks late. Timer.Deadline is the deadline
// before rounding. The suite checks these bounds instead of the order.
func Coarse(maxLate func(delay structures.Tick) structures.Tick) Option {
	return func(c *config) { c.maxLate = maxLate }
}

// Allocates leaves out the checks of memory, for third-party containers that allocate.
func Allocates() Option { return func(c *config) { c.allocates = true } }

// Levels declares that a structure is a wheel with n levels: Next may return ticks before the earliest
// deadline, as long as popping at each of them takes at most n+1 steps a timer.
func Levels(n int) Option { return func(c *config) { c.levels = n } }

// Fuzz is the body of a fuzz target. It adds seeds and turns every input into operations. After each operation it
// compares the structure with the model, and calls CheckInvariants if the structure has that method.
func Fuzz(f *testing.F, newScheduler func() structures.Scheduler[uint64], opts ...Option) {
	c := newConfig(newScheduler, opts)
	for _, program := range seeds() {
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		s := newSubject(t, c, "fuzz input %x", program)
		s.walk, s.room = true, 600
		replay(s, everything, program)
	})
}

// config is a structure with its promises.
type config struct {
	new       func() structures.Scheduler[uint64]
	fifo      bool
	maxLate   func(delay structures.Tick) structures.Tick // nil: exact
	allocates bool
	levels    int
	scale     scale
	shrink    time.Duration // of a failure
}

// scale is the amount of work of the suite.
type scale int

const (
	short scale = iota
	normal
	long
)

func newConfig(newScheduler func() structures.Scheduler[uint64], opts []Option) *config {
	c := &config{new: newScheduler, scale: normal, shrink: shrinkTime}
	for _, opt := range opts {
		opt(c)
	}
	return c
}

func (c *config) exact() bool   { return c.maxLate == nil }
func (c *config) bounded() bool { return !c.allocates }
func (c *config) ties() bool    { return c.fifo && c.exact() }

// fireBy returns the tick by which a timer has to have fired that was given a deadline at a tick.
func (c *config) fireBy(deadline, since structures.Tick) structures.Tick {
	if c.exact() {
		return deadline
	}
	return model.Add(deadline, c.maxLate(deadline-since))
}

// scaleFor returns the option for the scale that the environment asks for.
func scaleFor(t testing.TB) Option {
	s := scale(longtest.Scale(t, int(short), int(normal), int(long)))
	return func(c *config) { c.scale = s }
}

// amount returns the number of repetitions: half of inNormal with -short and under the race detector.
func (c *config) amount(inLong, inNormal int) int {
	switch {
	case c.scale == short || raceEnabled:
		return (inNormal + 1) / 2
	case c.scale == normal:
		return inNormal
	}
	return inLong
}

// reporter is the part of testing.T that the checks use. The tests of the suite record the calls.
type reporter = checking.T

// Checked is an optional interface of a structure that can check itself. The suite calls it after most operations.
type Checked interface{ CheckInvariants() error }
