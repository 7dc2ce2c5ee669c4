package trace

import "time"

// The kinds of runtimeOp, as the runtime of a program built by "trace build" numbers them.
const (
	runtimeSet  = iota // a timer gets a deadline
	runtimeStop        // a timer is stopped
	runtimeFire        // a timer fires, and perhaps gets its next deadline
)

// runtimeOp is an operation of Go's runtime on one of its timers.
type runtimeOp struct {
	kind    int
	timer   uintptr // its address; another timer may have it later
	now     int64   // on the runtime's clock, in nanoseconds
	when    int64   // the deadline after the operation; 0: none
	pending bool    // the timer was pending before
	site    string  // set: where in the program
}

// runtimeTimers records timers of Go's runtime, from what the runtime does to them. The
// trace holds what the program asked for: a channel timer is pending until its deadline,
// although the runtime takes it out of its heap while nobody waits for it.
type runtimeTimers struct {
	*Timers
	epoch   int64 // tick 0 on the runtime's clock
	pending map[uintptr]*runtimeTimer
}

type runtimeTimer struct {
	recorded
	site string
}

func newRuntimeTimers(w *Writer, now int64) *runtimeTimers {
	return &runtimeTimers{Timers: NewTimers(w), epoch: now, pending: map[uintptr]*runtimeTimer{}}
}

// add records an operation. The runtime's clock must not go back.
func (r *runtimeTimers) add(op runtimeOp) {
	now := time.Duration(op.now - r.epoch)
	timer := r.pending[op.timer]
	if timer == nil {
		timer = new(runtimeTimer)
		if op.when > 0 {
			r.pending[op.timer] = timer
		}
	} else if op.when == 0 {
		delete(r.pending, op.timer)
	}
	switch op.kind {
	case runtimeStop:
		r.stop(&timer.recorded, now, op.pending)
	case runtimeSet:
		timer.site = op.site
		r.rec.w.From(op.site)
		r.reset(&timer.recorded, now, time.Duration(op.when-op.now), op.pending)
	case runtimeFire:
		r.advance(now, timer.delay)
		if op.when > 0 { // a ticker
			r.rec.w.From(timer.site)
			r.reset(&timer.recorded, now, time.Duration(op.when-op.now), false)
		}
	}
}

// end completes the trace, with the tick in which the program ends: what fired in this tick
// is due at its end.
func (r *runtimeTimers) end(now int64) error {
	if r.recording() {
		r.advance(time.Duration(now-r.epoch)+r.tick, 0)
	}
	return r.rec.Close()
}
