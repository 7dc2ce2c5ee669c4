package live

import (
	"context"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/driver"
)

// System runs timers. Its functions and the methods of its Timers may be called from any goroutine.
type System struct {
	Forms
	Close func() error        // ends the system. Nothing fires afterwards.
	Stats func() driver.Stats // nil: it is no driver

	// WithTimeout is as that of package context. nil: there are no contexts.
	WithTimeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
}

// Forms has a function for each form of timers that a system supports. It returns stopped timers. Timer i calls
// functions[i] when it fires; a timer of FormChannel calls nothing.
type Forms map[results.Form]func(functions []func()) Timers

// Timers returns n stopped timers of a form, or nil if they do not include it. Timer i calls function(i) when it fires.
func (f Forms) Timers(form results.Form, n int, function func(i int) func()) Timers {
	start := f[form]
	if start == nil {
		return nil
	}
	functions := make([]func(), n)
	for i := range functions {
		functions[i] = function(i)
	}
	return start(functions)
}

// Timers is a set of numbered timers of one form. Two goroutines never use the same number at the same time.
type Timers interface {
	// Start starts timer i, which is not pending.
	Start(i int, delay time.Duration)

	// Stop stops timer i. It reports whether the timer was pending.
	Stop(i int) bool
}

// Mover is implemented by Timers that can be moved.
type Mover interface {
	Timers

	// Reset makes timer i fire after delay. It reports whether the timer was pending.
	Reset(i int, delay time.Duration) bool
}

// Subject describes a system to measure.
type Subject struct {
	Name      string // unique
	Role      results.Role
	Structure string // of a driver

	// Late returns the lateness that the design allows for a delay, without scheduling latency. nil means 0.
	Late func(delay time.Duration) time.Duration

	// Early is the time before its deadline at which a timer may fire by design.
	Early time.Duration

	// Limit is the largest supported number of pending timers. 0 means any.
	Limit int

	// Silent marks a system whose Stop and Reset do not report whether the timer was pending. The check does
	// not touch a timer of it shortly before the deadline, and infers the answer from the model otherwise.
	Silent bool

	Open func() (System, error)
}

// stopDelay is the delay of timers that are started and stopped, or moved. It is short, so that their deadlines pass
// within a slice: a structure that only marks them pays for them there.
const stopDelay = 4 * time.Millisecond

// delay returns the delay of timers that are started and stopped, or moved.
func (c Subject) delay() time.Duration { return stopDelay + c.Early }

// warmUp returns how long the contender runs before a slice: until the first timers that it stopped are due.
func (c Subject) warmUp() time.Duration {
	late := time.Duration(0)
	if c.Role != results.RoleFloor {
		late = c.late(c.delay())
	}
	return c.delay() + max(late, time.Millisecond)
}

// late returns Late(delay), or 0 if Late is nil.
func (c Subject) late(delay time.Duration) time.Duration {
	if c.Late == nil {
		return 0
	}
	return c.Late(delay)
}
