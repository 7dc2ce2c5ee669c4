package micro

import (
	"context"
	"fmt"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
)

// Sequence is the script of a workload among n timers, written before any time is
// taken: the operations that fill a structure, and blocks of those that follow.
type Sequence struct {
	Workload workload.Workload
	N        int

	fill   piece
	blocks []piece
	keys   int // one more than the largest key
}

// BlockSize is the number of calls in a block, save of a workload whose steps are
// larger.
const BlockSize = 200_000

// seed is the one that the suite takes unless it is told another.
const seed = 1

// NewSequence writes the script of a workload: the fill, and so many blocks of at
// least size calls.
func NewSequence(ctx context.Context, w workload.Workload, n, blocks, size int) (*Sequence, error) {
	return newSequence(ctx, w, n, size, func(written int, _ *script.Block) bool { return written == blocks })
}

// newSequence writes the fill and blocks of at least size calls, until done, which gets
// the number of blocks after the fill and the last block.
func newSequence(ctx context.Context, w workload.Workload, n, size int, done func(blocks int, last *script.Block) bool) (*Sequence, error) {
	sc := w.Script(n, seed)
	b, err := sc.FillContext(ctx)
	if err != nil {
		return nil, err
	}
	list := []*script.Block{b}
	for !done(len(list)-1, b) {
		if b, err = sc.NextContext(ctx, size, nil); err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	q := &Sequence{Workload: w, N: n, keys: b.Keys}
	needsIDs := false // who never cancels or moves a timer keeps no IDs
	for _, b := range list {
		needsIDs = needsIDs || b.Count(script.KindCancel)+b.Count(script.KindReschedule) > 0
	}
	moved := 0
	for _, b := range list {
		moved += b.Count(script.KindReschedule)
		q.blocks = append(q.blocks, piece{
			runs:  runsOf(b, needsIDs),
			units: b.Units(w.CostUnit()),
			want:  counts{b.Want.Scheduled, b.Want.Fired, b.Want.Cancelled, uint64(moved)},
		})
	}
	q.fill, q.blocks = q.blocks[0], q.blocks[1:]
	return q, nil
}

// piece is a block of the script.
type piece struct {
	runs  []run
	units float64 // of what the cost of the workload is counted per
	want  counts  // after it
}

// counts is what has been done since the start of the script.
type counts struct{ scheduled, fired, cancelled, moved uint64 }

// run is a part of a block that one loop does.
type run struct {
	loop loop
	ops  []script.Op
}

// loop is one of the loops of runner.do.
type loop uint8

const (
	schedule   loop = iota
	forget          // schedule, and keep no ID
	startStop       // schedule a timer and cancel it at once
	cancel          //
	reschedule      //
	pop             // until nothing is due
)

var loopOf = map[script.Kind]loop{
	script.KindSchedule: schedule, script.KindCancel: cancel, script.KindReschedule: reschedule,
	script.KindFire: pop, script.KindWake: pop,
}

// runsOf cuts a block into runs as long as possible.
func runsOf(b *script.Block, needsIDs bool) []run {
	var out []run
	batches, ops := b.Batches, b.Ops
	for len(batches) > 0 {
		l, ok := loopOf[batches[0].Kind]
		if !ok {
			panic(fmt.Sprintf("micro: no loop does operations of kind %v", batches[0].Kind))
		}
		size, taken := batches[0].Len, 1
		switch {
		case l == schedule && !needsIDs:
			l = forget
		case startsAndStops(batches, ops):
			l, size, taken = startStop, 2, 2
		}
		if n := len(out); n > 0 && out[n-1].loop == l {
			r := &out[n-1]
			r.ops = r.ops[:len(r.ops)+size] // the operations follow one another
		} else {
			out = append(out, run{l, ops[:size]})
		}
		batches, ops = batches[taken:], ops[size:]
	}
	return out
}

// startsAndStops reports whether the next two operations schedule a timer and cancel
// that one.
func startsAndStops(batches []script.Batch, ops []script.Op) bool {
	return len(batches) > 1 &&
		batches[0] == script.Batch{Kind: script.KindSchedule, Len: 1} &&
		batches[1] == script.Batch{Kind: script.KindCancel, Len: 1} &&
		ops[0].Key == ops[1].Key
}
