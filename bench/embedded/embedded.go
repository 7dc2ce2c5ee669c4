// Package embedded replays scripts on structures whose timers are fields of the caller's structs (package
// structures/intrusive).
//
// The harness's table by key holds the timers, as a program's structs would, where a structure by ID has a table of IDs.
// Each form has a timed loop of its own, so that its calls are direct and can be inlined, as a caller's are. The loops
// differ only in names: hwheel.go is the original, and go generate writes the others. One form has no structure. It is
// the floor of these loops. It touches no timers, like the floors of other languages.
package embedded

import (
	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

//go:generate go test -run TestLoopsAreGenerated . -update

// FloorName is the name of the form without a structure.
const FloorName = results.IntrusiveFloor

// All returns the entries of catalog.Intrusive. Their New makes a scheduler that only package replay can use: it has no
// call by ID.
func All() []entry.Entry {
	out := catalog.Intrusive()
	for i, e := range out {
		out[i].New = forms[e.Name]
	}
	return out
}

// Floor returns the entry of the form without a structure.
func Floor() entry.Entry {
	return entry.Entry{Name: FloorName, Intrusive: true, New: forms[FloorName]}
}

var forms = map[string]func() structures.Scheduler[uint64]{
	"intrusive-hwheel":      func() structures.Scheduler[uint64] { return scheduler{form: newHwheel()} },
	"intrusive-linkedwheel": func() structures.Scheduler[uint64] { return scheduler{form: newLinkedwheel()} },
	"intrusive-heap":        func() structures.Scheduler[uint64] { return scheduler{form: newHeap()} },
	"intrusive-rbtree":      func() structures.Scheduler[uint64] { return scheduler{form: newRbtree()} },
	FloorName:               func() structures.Scheduler[uint64] { return newFloor() },
}

func newFloor() floor {
	e := newEmpty()
	e.Idle = &e.idle
	return floor{scheduler{form: e}}
}

// form is a replay.Form with the calls that name no timer.
type form interface {
	replay.Form
	Pop(now structures.Tick) (structures.Timer[uint64], bool)
	Next() (structures.Tick, bool)
	Len() int
}

// scheduler is a form as a structures.Scheduler.
type scheduler struct {
	structures.Scheduler[uint64] // nil: a form has no call by ID
	form
}

func (s scheduler) Pop(now structures.Tick) (structures.Timer[uint64], bool) { return s.form.Pop(now) }
func (s scheduler) Next() (structures.Tick, bool)                            { return s.form.Next() }
func (s scheduler) Len() int                                                 { return s.form.Len() }

// floor is the scheduler without a structure. It is told which timers fire.
type floor struct{ scheduler }

// Expect takes the timers that fire in the next block.
func (f floor) Expect(fires []script.Fire) {
	e := f.form.(*emptyForm)
	e.ExpectNone()
	for _, fire := range fires {
		e.Wheel.Expect(uint64(fire.Key), fire.At)
	}
}

// records holds the timers of a form by key. A timer never moves: the first table has the timers that fill the structure,
// and further ones are in pages.
type records[N any] struct {
	value func(t *N, key uint32) // sets the value of a timer
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

// Reserve makes room for the timers of that many keys.
func (r *records[N]) Reserve(keys int) {
	had := len(r.first) + len(r.pages)*page
	if had == 0 {
		r.first = make([]N, keys)
	}
	for len(r.first)+len(r.pages)*page < keys {
		r.pages = append(r.pages, new([page]N))
	}
	for key := had; key < len(r.first)+len(r.pages)*page; key++ {
		r.value(r.at(uint32(key)), uint32(key))
	}
}
