package replay

import (
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Form is a structure whose timers are fields of structs of the caller, which the form holds by key. The ID of such a
// timer is its address. Package embedded has the forms. Their loops keep the counts and checksums of the proved loop.
type Form interface {
	Reserve(keys int)
	ID(key uint32) structures.ID

	ScheduleAll(ops []script.Op, o *Outcome)
	CancelAll(ops []script.Op, o *Outcome)
	RescheduleAll(ops []script.Op) (refused uint64)
	PopAll(ops []script.Op, o *Outcome)

	// TryIdle makes calls with a timer that is not pending, like tryStale.
	TryIdle(ops []script.Op) (granted uint64)

	// Refuses reports whether the timer of a key can be neither cancelled nor moved.
	Refuses(key uint32) bool
}

// reserveForm makes room for the timers of all keys and notes the IDs of the last n.
func (r *replayer) reserveForm(keys, n int) {
	if r.form == nil {
		return
	}
	r.form.Reserve(keys)
	for key := keys - n; key < keys; key++ {
		r.ids[key] = r.form.ID(uint32(key))
	}
}

// doForm is do with the loops of a form.
func (r *replayer) doForm(batches []script.Batch, all []script.Op) {
	for _, batch := range batches {
		r.doBatch(batch.Kind, all[:batch.Len])
		all = all[batch.Len:]
	}
}

func (r *replayer) doBatch(kind script.Kind, ops []script.Op) {
	o := &r.outcome
	switch kind {
	case script.KindSchedule:
		r.form.ScheduleAll(ops, o)
	case script.KindCancel:
		r.form.CancelAll(ops, o)
	case script.KindReschedule:
		o.refused += r.form.RescheduleAll(ops)
	case script.KindFire, script.KindWake:
		r.form.PopAll(ops, o)
	case script.KindRefused:
		o.granted += r.form.TryIdle(ops)
	}
}

// NextValue returns the value of the next timer that is scheduled.
func (o *Outcome) NextValue() uint64 { return o.done.Scheduled }

// Scheduled counts a timer that was scheduled with NextValue.
func (o *Outcome) Scheduled(id structures.ID) {
	o.binding += script.Binding(id, o.done.Scheduled)
	o.done.Scheduled++
}

// Cancelled counts a cancel of the timer with that value.
func (o *Outcome) Cancelled(id structures.ID, value uint32, ok bool) {
	o.binding -= script.Binding(id, uint64(value))
	if ok {
		o.done.Cancelled++
	} else {
		o.refused++
	}
}

// Fired counts a timer that fired at a tick.
func (o *Outcome) Fired(at, deadline structures.Tick, value uint64, id structures.ID) {
	o.recordFired(at, structures.Timer[uint64]{ID: id, Deadline: deadline, Value: value})
}
