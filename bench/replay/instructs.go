package replay

import (
	"errors"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// inStructs is a structure whose timers are fields of the caller's structs, which a Loop holds by key. It proves what
// programs of other languages prove: which timers fire in which Pop.
type inStructs struct {
	Loop
	want uint64 // expected outcome.keys
}

// Loop is a structure with its timed loop, in which its calls are direct and can be inlined, as a caller's are. The loops
// differ only in names: loop.go has that of the floor, from which package loops is generated. The value of a timer is its
// key. It is set once, outside the timed loop, as a program's struct knows itself.
type Loop interface {
	pops

	// Reserve makes room for the keys of a block, outside the timed region.
	Reserve(b *script.Block)

	// Run executes the operations of batches, which are the first of ops. This is the timed code.
	Run(batches []script.Batch, ops []script.Op) Answers

	// Refuses reports whether a cancel and a move of the timer of a key are refused.
	Refuses(key uint32) bool
}

// Answers is what a Loop counts.
type Answers struct {
	Scheduled, Cancelled, Fired uint64
	Refused                     uint64 // cancels, which count as Cancelled too, and moves of pending timers
	Granted                     uint64 // cancels and moves of timers that are not pending
	Keys                        uint64 // sum of script.Checksum over the ticks at which timers fired and their keys
}

// Must counts a cancel or a move of a pending timer that was refused.
func (a *Answers) Must(ok bool) {
	if !ok {
		a.Refused++
	}
}

// Fire counts a timer that fired at a tick.
func (a *Answers) Fire(at structures.Tick, key uint64) {
	a.Fired++
	a.Keys += script.Checksum(at, key)
}

func (o *outcome) add(a Answers) {
	o.done.Scheduled += a.Scheduled
	o.done.Cancelled += a.Cancelled
	o.done.Fired += a.Fired
	o.refused += a.Refused
	o.granted += a.Granted
	o.keys += a.Keys
}

func (s *inStructs) reserve(b *script.Block) { s.Reserve(b) }

func (s *inStructs) do(batches []script.Batch, ops []script.Op, o *outcome) {
	o.add(s.Run(batches, ops))
}

func (s *inStructs) named(f script.Fire) (uint64, structures.ID) { return uint64(f.Key), 0 }

func (s *inStructs) count(o *outcome, at structures.Tick, t structures.Timer[uint64]) {
	o.done.Fired++
	o.keys += script.Checksum(at, t.Value)
}

func (s *inStructs) checkRefused(kind script.Kind, key uint32, _ *staleIDs) error {
	if kind == script.KindCancel && !s.Refuses(key) {
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
	plain, timed := s.Loop, &stampedLoop{s.Loop, stopwatch{time.Now(), called}}
	return func(on bool) {
		if s.Loop = plain; on {
			s.Loop = timed
		}
	}
}

type stampedLoop struct {
	Loop
	stopwatch
}

var timedCalls = map[script.Kind]results.Operation{
	script.KindSchedule: results.Schedule, script.KindCancel: results.Cancel, script.KindReschedule: results.Reschedule,
}

func (l *stampedLoop) Run(batches []script.Batch, all []script.Op) (sum Answers) {
	for _, batch := range batches {
		one := []script.Batch{{Kind: batch.Kind, Len: 1}}
		operation, isTimed := timedCalls[batch.Kind]
		for i, op := range all[:batch.Len] {
			if batch.Kind == script.KindFire || batch.Kind == script.KindWake {
				for t, ok := l.Pop(op.At); ok; t, ok = l.Pop(op.At) {
					sum.Fire(op.At, t.Value)
				}
				continue
			}
			start := l.now()
			a := l.Loop.Run(one, all[i:i+1])
			if took := l.now() - start; isTimed {
				l.called(call{operation: operation, took: took})
			}
			sum.Scheduled, sum.Cancelled = sum.Scheduled+a.Scheduled, sum.Cancelled+a.Cancelled
			sum.Refused, sum.Granted = sum.Refused+a.Refused, sum.Granted+a.Granted
		}
		all = all[batch.Len:]
	}
	return sum
}

func (l *stampedLoop) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	return l.pop(l.Loop, now)
}

// Table is the part of a [Loop] that is not timed. It holds timers by key. A timer never moves: the first slice has the
// timers that fill the structure, and further ones are in pages.
type Table[N any, P timer[N]] struct {
	structure structure[N]
	value     func(t *N) *uint64
	first     []N
	pages     []*[page]N
	Idle      N // never pending
}

const page = 1 << 12

type timer[N any] interface {
	*N
	Deadline() structures.Tick
}

type structure[N any] interface {
	Reschedule(t *N, deadline structures.Tick) bool
	Cancel(t *N) bool
	Pop(now structures.Tick) *N
	Next() (at structures.Tick, ok bool)
	Len() int
}

// TableOf returns the table of a structure. value returns where a timer has its value.
func TableOf[N any, P timer[N]](s structure[N], value func(t *N) *uint64) Table[N, P] {
	return Table[N, P]{structure: s, value: value}
}

// At returns the timer of a key.
func (t *Table[N, P]) At(key uint32) *N {
	if uint(key) < uint(len(t.first)) {
		return &t.first[key]
	}
	return t.further(key - uint32(len(t.first)))
}

func (t *Table[N, P]) further(at uint32) *N { return &t.pages[at/page][at%page] }

// Reserve implements [Loop].
func (t *Table[N, P]) Reserve(b *script.Block) {
	had := len(t.first) + len(t.pages)*page
	if had == 0 {
		t.first = make([]N, b.Keys)
	}
	for len(t.first)+len(t.pages)*page < b.Keys {
		t.pages = append(t.pages, new([page]N))
	}
	for key := had; key < len(t.first)+len(t.pages)*page; key++ {
		*t.value(t.At(uint32(key))) = uint64(key)
	}
	if s, ok := t.structure.(fireExpecter); ok {
		s.Expect(b.Fires)
	}
}

// Refuses implements [Loop].
func (t *Table[N, P]) Refuses(key uint32) bool {
	return !t.structure.Cancel(t.At(key)) && !t.structure.Reschedule(t.At(key), 1<<40)
}

// Pop fires one timer, which has no ID.
func (t *Table[N, P]) Pop(now structures.Tick) (fired structures.Timer[uint64], ok bool) {
	n := t.structure.Pop(now)
	if n == nil {
		return fired, false
	}
	return structures.Timer[uint64]{Deadline: P(n).Deadline(), Value: *t.value(n)}, true
}

// Next returns what Next of the structure returns.
func (t *Table[N, P]) Next() (at structures.Tick, ok bool) { return t.structure.Next() }

// Len returns the number of pending timers.
func (t *Table[N, P]) Len() int { return t.structure.Len() }
