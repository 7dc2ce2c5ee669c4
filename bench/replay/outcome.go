package replay

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// outcome is the counts and checksums of a replay so far.
type outcome struct {
	done    script.Proof // Pending is set after a block
	late    uint64       // by ID: sum of script.LateChecksum over the timers that fired
	binding uint64       // by ID: sum of script.Binding over the pending timers
	keys    uint64       // in structs: sum of script.Checksum over the ticks at which timers fired and their keys
	refused uint64       // cancels and reschedules of pending timers
	granted uint64       // cancels and reschedules of timers that are not pending
}

// check compares the outcome of an exact structure after a block with the expected one.
func (o outcome) check(b *script.Block) error {
	if err := o.checkAnswers(); err != nil {
		return err
	}
	if err := o.done.Check(b.Want); err != nil {
		return err
	}
	if o.late != b.Late {
		return fmt.Errorf("of %d timers some fired at another tick than the first wake-up "+
			"from their deadline on", o.done.Fired)
	}
	return nil
}

// checkAnswers returns an error unless Cancel and Reschedule accepted exactly the pending timers.
func (o outcome) checkAnswers() error {
	if o.refused > 0 {
		return fmt.Errorf("%d cancels or reschedules of pending timers were refused", o.refused)
	}
	if o.granted > 0 {
		return fmt.Errorf("%d cancels or reschedules of timers that were not pending were granted", o.granted)
	}
	return nil
}

func (o *outcome) count(at structures.Tick, t structures.Timer[uint64]) {
	h := script.Checksum(t.Deadline, t.Value)
	o.done.Fired++
	o.done.Checksum += h
	o.late += script.LateChecksum(at, t.Deadline, h)
	o.binding -= script.Binding(t.ID, t.Value)
}
