package replay

import (
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/entry"
)

// replayer replays a script on one structure. In addition to the calls, it does only what every caller must do: it finds a
// timer by its key, and reads the timers that fire. It treats all structures alike.
type replayer struct {
	timers
	outcome outcome
}

// timers is a structure with the table of its timers by key. It is a [byID] or an [inStructs].
type timers interface {
	pops

	// reserve makes room for the keys of a block, outside the timed region.
	reserve(b *script.Block)

	// do executes the operations of batches, which are the first of ops. This is the timed code.
	do(batches []script.Batch, ops []script.Op, o *outcome)

	// stamped returns a function that begins and ends the timing of single calls.
	stamped(called func(call)) (stamp func(on bool))

	// named returns the value and the ID with which a timer must fire, and count counts one that fired at a tick.
	named(f script.Fire) (value uint64, id structures.ID)
	count(o *outcome, at structures.Tick, t structures.Timer[uint64])

	// checkRefused makes calls that must be refused after an operation, by key or by stale ID.
	checkRefused(kind script.Kind, key uint32, stale *staleIDs) error

	// settle completes the outcome after a block.
	settle(o *outcome, b *script.Block)

	// checkBindings checks at the end that each timer fired as itself.
	checkBindings(o outcome, pending func(do func(script.Timer))) error
}

// pops is the calls that name no timer.
type pops interface {
	Pop(now structures.Tick) (structures.Timer[uint64], bool)
	Next() (at structures.Tick, ok bool)
	Len() int
}

func newReplayer(e entry.Entry) replayer {
	if e.NewIntrusive != nil {
		l, ok := e.NewIntrusive().(Loop)
		if !ok {
			panic("replay: " + e.Name + " has no timed loop, see package loops")
		}
		return replayer{timers: &inStructs{Loop: l}}
	}
	return replayer{timers: newByID(e.New())}
}

func (r *replayer) now() outcome {
	o := r.outcome
	o.done.Pending = uint64(r.Len())
	return o
}

// time replays a block and returns its duration. It reads the clock only before and after the block.
func (r *replayer) time(b *script.Block) time.Duration {
	r.reserve(b)
	start := time.Now()
	r.do(b.Batches, b.Ops, &r.outcome)
	return time.Since(start)
}

func (r *replayer) doOne(kind script.Kind, op script.Op) {
	r.do([]script.Batch{{Kind: kind, Len: 1}}, []script.Op{op}, &r.outcome)
}

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
