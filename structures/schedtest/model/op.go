package model

import (
	"fmt"

	"github.com/timerbench/timerbench/structures"
)

// Kind is the kind of an operation.
type Kind int

// Next is the only operation without arguments.
const (
	Schedule Kind = iota
	Cancel
	Reschedule
	Pop
	Next
)

// Op is an operation. Slot names the timer of a Schedule, Cancel or Reschedule. At is a deadline, or the tick of a Pop,
// which fires one timer or all that are due, as its user defines.
type Op struct {
	Kind Kind
	Slot uint32
	At   structures.Tick
}

func (o Op) String() string {
	switch o.Kind {
	case Schedule:
		return fmt.Sprintf("Schedule(%d, %d)", o.Slot, o.At)
	case Cancel:
		return fmt.Sprintf("Cancel(%d)", o.Slot)
	case Reschedule:
		return fmt.Sprintf("Reschedule(%d, %d)", o.Slot, o.At)
	case Pop:
		return fmt.Sprintf("Pop(%d)", o.At)
	}
	return "Next()"
}
