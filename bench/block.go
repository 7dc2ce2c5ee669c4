package bench

import "github.com/timerbench/timerbench/structures"

// Op is one operation of a script. Key names a timer among those pending, as an
// index into the array of IDs that the caller of a structure keeps; it is used
// again once its timer is done with.
type Op struct {
	At  structures.Tick // schedule, reschedule: the deadline; fire, wake: the tick to pop at
	Key uint32          // schedule, cancel, reschedule
}

// opcode is a kind of operation as scripts hold it: an index into kinds.
type opcode uint8

const (
	opSchedule opcode = iota
	opCancel
	opReschedule
	opFire    // pops at a tick on which something fires
	opWake    // pops at a tick on which nothing does
	opRefused // cancels, or moves if At is not 0, a timer that is not pending: as programs do
)

// kinds are the names of the opcodes in results.
var kinds = [...]Kind{
	opSchedule:   KindSchedule,
	opCancel:     KindCancel,
	opReschedule: KindReschedule,
	opFire:       KindFire,
	opWake:       KindWake,
	opRefused:    KindRefused,
}

// Batch is a sequence of operations of one kind.
type Batch struct {
	code opcode
	Len  int
}

// Kind returns the kind of its operations.
func (r Batch) Kind() Kind { return kinds[r.code] }

// Block is a piece of a script: operations in batches, and what must come of them.
type Block struct {
	Ops     []Op
	Batches []Batch
	Fires   []Fire // what fires, in order, as the generator's own model has it
	Keys    int    // one more than the largest key used so far
	Want    Proof  // what the replay must agree on after this block, from the start of the script
	Late    uint64 // the same over what fires late: see lateness
	Pops    int    // operations that fire or wake
	Calls   int    // timers scheduled, cancelled, rescheduled or fired, and what is refused

	Ticks    structures.Tick // virtual time covered
	Resident float64         // mean number of pending timers
}

// Fire is one timer that fires.
type Fire struct {
	At    structures.Tick // its deadline
	Value uint64
	Delay structures.Tick // from when it was last scheduled or moved
	Key   uint32
}

// recycle returns an empty block in the memory of one, if it is not nil.
func recycle(b *Block) *Block {
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
		return float64(b.count(opReschedule))
	case PerTick:
		return float64(b.Pops)
	case PerOperation:
		return float64(b.Calls + b.Pops)
	}
	return float64(len(b.Fires) + b.count(opCancel))
}

func (b *Block) count(code opcode) int {
	n := 0
	for _, batch := range b.Batches {
		if batch.code == code {
			n += batch.Len
		}
	}
	return n
}

func (b *Block) add(code opcode, op Op) {
	b.Ops = append(b.Ops, op)
	if n := len(b.Batches); n > 0 && b.Batches[n-1].code == code {
		b.Batches[n-1].Len++
		return
	}
	b.Batches = append(b.Batches, Batch{code, 1})
}
