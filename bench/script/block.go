// Package script writes the operations that structures are put through, and says
// what must come of each.
//
// A [Process] drives a [Writer] as if it were a scheduler. The Writer writes down
// each call, and keeps a model of its own of what is pending, so it knows what must
// fire when. It shares no code with the structures. A [Script] cuts what is written
// into blocks. A [Block] is a sequence of operations together with its [Proof]: the
// account that a structure must agree with after it.
package script

import "github.com/timerbench/timerbench/structures"

// Op is one operation of a script. Key names a timer among those pending, as an
// index into the array of IDs that the caller of a structure keeps; it is used
// again once its timer is done with.
type Op struct {
	At     structures.Tick // schedule, reschedule: the deadline; fire, wake: the tick to pop at
	Key    uint32          // schedule, cancel, reschedule
	Number uint32          // cancel: the value of the timer, modulo 2^32
}

// Batch is a sequence of operations of one kind.
type Batch struct {
	Kind Kind
	Len  int
}

// Block is a piece of a script: operations in batches, and what must come of them.
type Block struct {
	Ops     []Op
	Batches []Batch
	Fires   []Fire // what fires, in order, as the generator's own model has it
	Keys    int    // one more than the largest key used so far
	Want    Proof  // what the replay must agree on after this block, from the start of the script
	Late    uint64 // over what fires late: see LateChecksum
	Pops    int    // operations that fire or wake
	Calls   int    // timers scheduled, cancelled, rescheduled or fired, and what is refused

	Ticks    structures.Tick // virtual time covered
	Resident float64         // mean number of pending timers
}

// Timer is a pending timer: its key and its value.
type Timer struct {
	Key   uint32
	Value uint64
}

// Fire is one timer that fires.
type Fire struct {
	At    structures.Tick // its deadline
	Value uint64
	Delay structures.Tick // from when it was last scheduled or moved
	Key   uint32
}

// Reuse returns an empty block in the memory of one, if it is not nil.
func Reuse(b *Block) *Block {
	if b == nil {
		return &Block{}
	}
	*b = Block{Ops: b.Ops[:0], Batches: b.Batches[:0], Fires: b.Fires[:0]}
	return b
}

// Units returns how much of a unit the block has done.
func (b *Block) Units(unit Unit) float64 {
	switch unit {
	case PerReschedule:
		return float64(b.Count(KindReschedule))
	case PerTick:
		return float64(b.Pops)
	case PerOperation:
		return float64(b.Calls + b.Pops)
	}
	return float64(len(b.Fires) + b.Count(KindCancel))
}

// Count returns the number of operations of a kind.
func (b *Block) Count(code Kind) int {
	n := 0
	for _, batch := range b.Batches {
		if batch.Kind == code {
			n += batch.Len
		}
	}
	return n
}

// Add appends an operation.
func (b *Block) Add(code Kind, op Op) {
	b.Ops = append(b.Ops, op)
	if n := len(b.Batches); n > 0 && b.Batches[n-1].Kind == code {
		b.Batches[n-1].Len++
		return
	}
	b.Batches = append(b.Batches, Batch{code, 1})
}
