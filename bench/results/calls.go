package results

import (
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Calls has the longest calls of one structure on a workload about single calls.
// Every call was timed, including the calls of the fill. Each call counts with its
// shortest time of several rounds, so that a disturbance in one round does not count.
type Calls struct {
	Workload  string        `json:"workload"`
	N         int           `json:"n"` // resident timers that were asked for
	Structure string        `json:"structure"`
	Role      Role          `json:"role,omitempty"` // empty: a structure
	Rounds    int           `json:"rounds"`
	Calls     int           `json:"calls"`   // calls per round
	Longest   []LongestCall `json:"longest"` // longest call of each operation of the workload

	// Lag is the longest time from a deadline to the end of the Pop that returned the timer, if the calls come one after the
	// other and none before its tick. Lateness of a coarse structure comes on top.
	Lag float64 `json:"lag_ns,omitempty"`

	Bytes float64 `json:"bytes,omitempty"` // of the heap per pending timer after the calls, with the timers if they are intrusive; 0: not measured

	Proof script.Proof `json:"proof"` // of each round
}

// LongestCall is the longest call of an operation. Its time includes one clock read (Environment.ClockNS).
type LongestCall struct {
	Operation Operation       `json:"operation"`
	NS        float64         `json:"ns"`
	At        structures.Tick `json:"at"` // clock of the scheduler
}

// Operation is a method of a scheduler.
type Operation string

// The operations, in the order of tables.
const (
	Schedule   Operation = "Schedule"
	Cancel     Operation = "Cancel"
	Reschedule Operation = "Reschedule"
	Pop        Operation = "Pop"
)

// Operations lists the operations.
var Operations = []Operation{Schedule, Cancel, Reschedule, Pop}

// Of returns the longest call of an operation. ok is false if the operation was not called.
func (c Calls) Of(o Operation) (call LongestCall, ok bool) {
	for _, call := range c.Longest {
		if call.Operation == o {
			return call, true
		}
	}
	return call, false
}

// Max returns the longest call of all operations.
func (c Calls) Max() LongestCall {
	var longest LongestCall
	for _, call := range c.Longest {
		if call.NS >= longest.NS {
			longest = call
		}
	}
	return longest
}
