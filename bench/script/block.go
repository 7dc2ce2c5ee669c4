// Package script generates the operations that are replayed on the structures, and their expected outcome.
//
// A [Process] calls a [Writer] as it would call a scheduler. The Writer records each call. It also keeps its own
// model of the pending timers, so it knows which timer must fire when. It shares no code with the structures. A
// [Script] divides the recorded operations into blocks. A [Block] is a sequence of operations together with its
// [Proof]: the counts and the checksum that every structure must reach after it.
package script

import (
	"iter"
	"math"
	"sync/atomic"

	"github.com/timerbench/timerbench/structures"
)

// Op is one operation of a script. Key identifies a pending timer: it is an index into the array of IDs that the
// caller of a structure keeps. A key is reused after its timer has fired or was cancelled.
type Op struct {
	At     structures.Tick // schedule, reschedule: the deadline; fire, wake: the argument of Pop
	Key    uint32          // schedule, cancel, reschedule
	Number uint32          // cancel: the value of the timer, modulo 2^32
}

// Batch is a sequence of operations of one kind.
type Batch struct {
	Kind Kind
	Len  int
}

// Block is a part of a script: operations in batches, and their expected outcome.
type Block struct {
	Ops     []Op
	Batches []Batch
	Fires   []Fire // the timers that fire in this block, in order of deadline
	Keys    int    // one more than the largest key used so far
	Want    Proof  // expected outcome from the start of the script to the end of this block
	Late    uint64 // expected sum of LateChecksum from the start of the script
	End     Moment // how far the script has come
	Pops    int    // operations that fire or wake
	Calls   int    // timers scheduled, cancelled, rescheduled or fired, and refused calls

	// Known says that the program knows which timers it cancels and moves next, some at a
	// time, before it makes the calls.
	Known bool

	Resident float64 // mean number of pending timers

	Serial uint64 // no other block of this process has it, nor one in the same memory
}

var serials atomic.Uint64

// Moment is how far a script has come at the end of a block.
type Moment struct {
	Operations int // since the first block, which is the fill
	Now        structures.Tick
	Fired      uint64
	Passage
}

// Timer is a pending timer: its key and its value.
type Timer struct {
	Key   uint32
	Value uint64
}

// Fire is one timer that fires in a block.
type Fire struct {
	At    structures.Tick // the deadline
	Value uint64
	Delay structures.Tick // from the last Schedule or Reschedule to the deadline
	Key   uint32
}

// Latest returns the last tick at which a timer may fire whose structure is late by at most that many ticks for its delay. If
// maxLate is nil, that is the deadline.
func (f Fire) Latest(maxLate func(delay structures.Tick) structures.Tick) structures.Tick {
	if maxLate == nil {
		return f.At
	}
	if late := maxLate(f.Delay); late < math.MaxInt64-f.At {
		return f.At + late
	}
	return math.MaxInt64
}

// Reuse returns an empty block that reuses the memory of b. If b is nil, it allocates a new one.
func Reuse(b *Block) *Block {
	if b == nil {
		b = &Block{}
	}
	*b = Block{Ops: b.Ops[:0], Batches: b.Batches[:0], Fires: b.Fires[:0], Serial: serials.Add(1)}
	return b
}

// All returns the operations of the block, each with its kind.
func (b *Block) All() iter.Seq2[Kind, Op] {
	return func(yield func(Kind, Op) bool) {
		ops := b.Ops
		for _, batch := range b.Batches {
			for _, op := range ops[:batch.Len] {
				if !yield(batch.Kind, op) {
					return
				}
			}
			ops = ops[batch.Len:]
		}
	}
}

// Units returns the number of units in the block.
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
func (b *Block) Count(kind Kind) int {
	n := 0
	for _, batch := range b.Batches {
		if batch.Kind == kind {
			n += batch.Len
		}
	}
	return n
}

// KeySum returns the sum of Checksum over the timers that must fire in the block: the ticks of the Pops, and the keys.
func (b *Block) KeySum() (sum uint64) {
	fires := b.Fires
	for kind, op := range b.All() {
		if kind != KindFire && kind != KindWake {
			continue
		}
		for ; len(fires) > 0 && fires[0].At <= op.At; fires = fires[1:] {
			sum += Checksum(op.At, uint64(fires[0].Key))
		}
	}
	return sum
}

// Add appends an operation.
func (b *Block) Add(kind Kind, op Op) {
	b.Ops = append(b.Ops, op)
	if n := len(b.Batches); n > 0 && b.Batches[n-1].Kind == kind {
		b.Batches[n-1].Len++
		return
	}
	b.Batches = append(b.Batches, Batch{kind, 1})
}
