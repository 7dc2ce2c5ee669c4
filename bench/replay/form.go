package replay

import (
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Form is a structure whose timers are fields of structs of the caller, which the form holds by key. The value of a timer
// is its key. It is set once, outside the timed loop, as a program's struct knows itself. Package embedded has the forms.
type Form interface {
	Reserve(keys int)

	// Do executes the operations of batches, which are the first of ops. This is the timed code, like that of a program of
	// another language: it proves what those programs prove.
	Do(batches []script.Batch, ops []script.Op) Answers

	// Refuses reports whether the timer of a key can be neither cancelled nor moved.
	Refuses(key uint32) bool
}

// Answers is what a form counts in a timed loop.
type Answers struct {
	Scheduled, Cancelled, Fired uint64
	Refused, Granted            uint64 // wrong answers, see Outcome
	Keys                        uint64 // sum of script.Checksum over the ticks at which timers fired and their keys
}

// Add adds answers.
func (a *Answers) Add(b Answers) {
	a.Scheduled += b.Scheduled
	a.Cancelled += b.Cancelled
	a.Fired += b.Fired
	a.Refused += b.Refused
	a.Granted += b.Granted
	a.Keys += b.Keys
}

// reserveForm makes room for the timers of a block and notes which must fire.
func (r *replayer) reserveForm(b *script.Block) {
	r.form.Reserve(b.Keys)
	if b.Serial == r.reserved {
		return
	}
	r.reserved = b.Serial
	fires := b.Fires
	for kind, op := range b.All() {
		if kind != script.KindFire && kind != script.KindWake {
			continue
		}
		for ; len(fires) > 0 && fires[0].At <= op.At; fires = fires[1:] {
			r.outcome.want += script.Checksum(op.At, uint64(fires[0].Key))
		}
	}
}

// doForm is do for a form.
func (r *replayer) doForm(batches []script.Batch, all []script.Op) {
	r.outcome.add(r.form.Do(batches, all))
}

func (o *Outcome) add(a Answers) {
	o.done.Scheduled += a.Scheduled
	o.done.Cancelled += a.Cancelled
	o.done.Fired += a.Fired
	o.refused += a.Refused
	o.granted += a.Granted
	o.keys += a.Keys
}

// proveKeys gives the outcome of a form the checksums of the generator, if the expected timers fired in the expected
// pops.
func (r *replayer) proveKeys(o Outcome, b *script.Block) Outcome {
	if r.form != nil && o.keys == o.want {
		o.done.Checksum, o.late = b.Want.Checksum, b.Late
	}
	return o
}

// recordFired counts a timer that fired at a tick.
func (r *replayer) recordFired(at structures.Tick, t structures.Timer[uint64]) {
	if r.form == nil {
		r.outcome.recordFired(at, t)
	} else {
		r.outcome.add(fired(at, t))
	}
}

// fired is the answer of a form whose timer fired at a tick.
func fired(at structures.Tick, t structures.Timer[uint64]) Answers {
	return Answers{Fired: 1, Keys: script.Checksum(at, t.Value)}
}
