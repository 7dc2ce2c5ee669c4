package replay

import (
	"errors"
	"fmt"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/intrusive/heap"
	"github.com/timerbench/timerbench/structures/intrusive/hwheel"
	"github.com/timerbench/timerbench/structures/intrusive/linkedwheel"
	"github.com/timerbench/timerbench/structures/intrusive/rbtree"
)

// inStructs is a structure whose timers are fields of the caller's structs, which a loop holds by key. It proves what
// programs of other languages prove: which timers fire in which Pop.
type inStructs struct {
	loop
	want uint64 // expected outcome.keys
}

// loop has the timed loop of one structure, in which its calls are direct and can be inlined, as a caller's are. The loops
// differ only in names: loop.go has the original, and go generate writes loops.go. The value of a timer is its key. It is
// set once, outside the timed loop, as a program's struct knows itself.
type loop interface {
	pops
	reserve(b *script.Block)
	run(batches []script.Batch, ops []script.Op) answers
	refuses(key uint32) bool // a cancel and a move of the timer of a key
}

// newLoop returns the loop of an empty structure, which is what [entry.Entry.Bare] makes.
func newLoop(s any) loop {
	switch s := s.(type) {
	case *hwheel.Wheel[uint64]:
		return newHwheelLoop(s)
	case *linkedwheel.Wheel[uint64]:
		return newLinkedwheelLoop(s)
	case *heap.Heap[uint64]:
		return newHeapLoop(s)
	case *rbtree.Tree[uint64]:
		return newRbtreeLoop(s)
	case *emptyWheel:
		l := newEmptyLoop(s)
		s.idle = &l.idle
		return l
	case loop: // of a test
		return s
	}
	panic(fmt.Sprintf("replay: %T has no timed loop, see loop.go", s))
}

// answers is what a loop counts.
type answers struct {
	scheduled, cancelled, fired uint64
	refused, granted            uint64 // wrong answers, see outcome
	keys                        uint64 // see outcome
}

func (o *outcome) add(a answers) {
	o.done.Scheduled += a.scheduled
	o.done.Cancelled += a.cancelled
	o.done.Fired += a.fired
	o.refused += a.refused
	o.granted += a.granted
	o.keys += a.keys
}

func (s *inStructs) do(batches []script.Batch, ops []script.Op, o *outcome) {
	o.add(s.run(batches, ops))
}

func (s *inStructs) named(f script.Fire) (uint64, structures.ID) { return uint64(f.Key), 0 }

func (s *inStructs) count(o *outcome, at structures.Tick, t structures.Timer[uint64]) {
	o.add(fired(at, t))
}

// fired is the answers of a timer that fired at a tick.
func fired(at structures.Tick, t structures.Timer[uint64]) answers {
	return answers{fired: 1, keys: script.Checksum(at, t.Value)}
}

func (s *inStructs) checkRefused(kind script.Kind, key uint32, _ *staleIDs) error {
	if kind == script.KindCancel && !s.refuses(key) {
		return errors.New("a timer that was cancelled is said to be pending")
	}
	return nil
}

// settle gives the outcome the checksums of the generator, if the expected timers fired in the expected Pops.
func (s *inStructs) settle(o *outcome, b *script.Block) {
	if s.want += b.KeySum(); o.keys == s.want {
		o.done.Checksum, o.late = b.Want.Checksum, b.Late
	}
}

func (s *inStructs) checkBindings(outcome, func(do func(script.Timer))) error { return nil }

func (s *inStructs) stamped(called func(call)) func(on bool) {
	plain, timed := s.loop, &stampedLoop{s.loop, stopwatch{time.Now(), called}}
	return func(on bool) {
		if s.loop = plain; on {
			s.loop = timed
		}
	}
}

// stampedLoop is a loop that times each call.
type stampedLoop struct {
	loop
	stopwatch
}

var timedCalls = map[script.Kind]results.Operation{
	script.KindSchedule: results.Schedule, script.KindCancel: results.Cancel, script.KindReschedule: results.Reschedule,
}

func (l *stampedLoop) run(batches []script.Batch, all []script.Op) answers {
	var o outcome
	for _, batch := range batches {
		one := []script.Batch{{Kind: batch.Kind, Len: 1}}
		operation, isTimed := timedCalls[batch.Kind]
		for i, op := range all[:batch.Len] {
			if batch.Kind == script.KindFire || batch.Kind == script.KindWake {
				for t, ok := l.Pop(op.At); ok; t, ok = l.Pop(op.At) {
					o.add(fired(op.At, t))
				}
				continue
			}
			start := l.now()
			a := l.loop.run(one, all[i:i+1])
			if took := l.now() - start; isTimed {
				l.called(call{operation: operation, took: took})
			}
			o.add(a)
		}
		all = all[batch.Len:]
	}
	return answers{o.done.Scheduled, o.done.Cancelled, o.done.Fired, o.refused, o.granted, o.keys}
}

func (l *stampedLoop) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	return l.pop(l.loop, now)
}

// table is the part of a loop that is not timed.
type table[N any, P interface {
	*N
	Deadline() structures.Tick
}] struct {
	records[N]
	structure interface {
		Reschedule(t *N, deadline structures.Tick) bool
		Cancel(t *N) bool
		Pop(now structures.Tick) *N
		Next() (at structures.Tick, ok bool)
		Len() int
	}
}

func (t *table[N, P]) reserve(b *script.Block) {
	t.records.reserve(b.Keys)
	if s, ok := t.structure.(fireExpecter); ok {
		s.Expect(b.Fires)
	}
}

func (t *table[N, P]) refuses(key uint32) bool {
	return !t.structure.Cancel(t.at(key)) && !t.structure.Reschedule(t.at(key), 1<<40)
}

// Pop fires one timer, which has no ID.
func (t *table[N, P]) Pop(now structures.Tick) (fired structures.Timer[uint64], ok bool) {
	n := t.structure.Pop(now)
	if n == nil {
		return fired, false
	}
	return structures.Timer[uint64]{Deadline: P(n).Deadline(), Value: *t.value(n)}, true
}

func (t *table[N, P]) Next() (at structures.Tick, ok bool) { return t.structure.Next() }

func (t *table[N, P]) Len() int { return t.structure.Len() }

// records holds timers by key. A timer never moves: the first table has the timers that fill the structure, and further
// ones are in pages.
type records[N any] struct {
	value func(t *N) *uint64
	first []N
	pages []*[page]N
	idle  N // never pending
}

const page = 1 << 12

func (r *records[N]) at(key uint32) *N {
	if uint(key) < uint(len(r.first)) {
		return &r.first[key]
	}
	return r.further(key - uint32(len(r.first)))
}

func (r *records[N]) further(at uint32) *N { return &r.pages[at/page][at%page] }

// reserve makes room for the timers of that many keys.
func (r *records[N]) reserve(keys int) {
	had := len(r.first) + len(r.pages)*page
	if had == 0 {
		r.first = make([]N, keys)
	}
	for len(r.first)+len(r.pages)*page < keys {
		r.pages = append(r.pages, new([page]N))
	}
	for key := had; key < len(r.first)+len(r.pages)*page; key++ {
		*r.value(r.at(uint32(key))) = uint64(key)
	}
}
