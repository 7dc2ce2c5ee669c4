package live

import (
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// System runs timers. Its methods, and those of Timers, can be called from any goroutine.
type System interface {
	// Timers returns n timers of a form, none of them started, or nil if the system
	// has no such form. Timer i runs function(i) when it fires; a Channel runs nothing.
	Timers(form results.Form, n int, function func(i int) func()) Timers

	// Close ends the system. Nothing fires after it.
	Close() error
}

// Timers are timers of one form, by number. Two goroutines never use the same number at
// a time.
type Timers interface {
	// Start starts timer i, which is not pending.
	Start(i int, delay time.Duration)

	// Stop reports whether it has kept timer i from firing.
	Stop(i int) bool
}

// Mover is Timers that can be moved.
type Mover interface {
	// Reset makes timer i fire once delay has passed from now. It reports whether the
	// timer was pending.
	Reset(i int, delay time.Duration) bool
}

// Waker is a System that counts how often it has woken up.
type Waker interface{ Wakeups() uint64 }

// Contender is a system to be measured.
type Contender struct {
	Name      string // unique
	Role      results.Role
	Structure string         // of a driver
	Driver    results.Driver // of a driver
	Shards    int            // of a driver; 0: its default

	// Late bounds how late a timer may fire, besides what it takes to get a processor.
	Late func(delay time.Duration) time.Duration

	// Early is how long before its deadline a timer may fire, by design. 0: never.
	Early time.Duration

	// Limit is the largest number of pending timers that it is made for. 0: any.
	Limit int

	// Silent marks systems whose Stop and Reset do not tell whether the timer was
	// pending. The check then leaves a timer alone that is about to fire, and takes the
	// answer to be true where the timer must be pending.
	Silent bool

	Open func() (System, error)
}

// late is Late, which may be nil.
func (c Contender) late(delay time.Duration) time.Duration {
	if c.Late == nil {
		return 0
	}
	return c.Late(delay)
}
