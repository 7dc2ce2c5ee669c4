// Package schedtest is the conformance suite for [structures.Scheduler]: what testing/slogtest is
// for slog handlers. A structure proves in three lines that it keeps the contract:
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
// [Capacity] checks the option of that name, [Many] a structure with more timers than Run uses.
//
// Each subtest carries the name of a rule of the contract. Each failure says which rule
// was broken by which operation, what the structure returned and what it should have
// returned, and lists the operations before it. Most rules do every operation on a
// [Model], too, which is too simple to be wrong, and compare the two.
//
// Nothing here sleeps, and nothing depends on chance: random programs come from fixed seeds. The
// wall clock is read in one place, to fail a structure whose jumps would otherwise take for ever.
//
// By default the suite takes a fraction of a second for a structure. With the
// environment variable TIMERBENCH_LONG set to 1 it does several times as much of the
// same; with -short, and under the race detector, it does less.
package schedtest

import (
	"testing"

	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/checking"
)

// Option says what a structure promises beyond the contract, or short of it.
type Option func(*config)

// FIFO says that timers with equal deadlines fire in the order in which they were last scheduled
// or rescheduled. It has no effect together with Coarse.
func FIFO() Option { return func(c *config) { c.fifo = true } }

// Coarse says that a structure rounds deadlines up: a timer that was last scheduled or
// rescheduled delay ticks before its deadline may fire up to maxLate(delay) ticks after it.
// Timer.Deadline is what was asked for. The suite checks these bounds instead of the order.
func Coarse(maxLate func(delay structures.Tick) structures.Tick) Option {
	return func(c *config) { c.maxLate = maxLate }
}

// Allocates leaves out the promises on memory, for third-party containers, which cannot keep
// them.
func Allocates() Option { return func(c *config) { c.allocates = true } }

// Levels says that a structure is a wheel of n levels: Next may name ticks before the earliest
// deadline, as long as popping at each takes at most n+1 steps a timer.
func Levels(n int) Option { return func(c *config) { c.levels = n } }

// Fuzz is the body of a fuzz target: it adds seeds, turns every input into operations, and
// compares the structure with the model after each of them, and calls CheckInvariants if there is
// one.
func Fuzz(f *testing.F, newScheduler func() structures.Scheduler[uint64], opts ...Option) {
	c := newConfig(newScheduler, opts)
	for _, program := range seeds() {
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		s := newSubject(t, c, "fuzz input %x", program)
		s.walk = true
		replay(s, dialect{}, program)
	})
}

// config is a structure and what it promises.
type config struct {
	new       func() structures.Scheduler[uint64]
	fifo      bool
	maxLate   func(delay structures.Tick) structures.Tick // nil: exact
	allocates bool
	levels    int
	scale     scale
}

// scale says how much the suite does.
type scale int

const (
	short scale = iota
	normal
	long
)

func newConfig(newScheduler func() structures.Scheduler[uint64], opts []Option) *config {
	c := &config{new: newScheduler, scale: normal}
	for _, opt := range opts {
		opt(c)
	}
	return c
}

func (c *config) exact() bool   { return c.maxLate == nil }
func (c *config) bounded() bool { return !c.allocates }
func (c *config) ties() bool    { return c.fifo && c.exact() }

// scaleFor returns the option that sets the scale which the environment asks for.
func scaleFor(t testing.TB) Option {
	s := scale(longtest.Scale(t, int(short), int(normal), int(long)))
	return func(c *config) { c.scale = s }
}

// amount returns how much of something to do: half of it under -short and the race detector.
func (c *config) amount(inLong, inNormal int) int {
	switch {
	case c.scale == short || raceEnabled:
		return (inNormal + 1) / 2
	case c.scale == normal:
		return inNormal
	}
	return inLong
}

// reporter is the part of testing.T that the checks use. The suite's own tests record it.
type reporter = checking.T

// Checked is a structure that can check itself, which the suite has it do after most operations.
type Checked interface{ CheckInvariants() error }
