// Package loops has the timed loops of the structures whose timers are fields of the caller's structs. So the rest of bench
// imports no structure.
package loops

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/intrusive/heap"
	"github.com/timerbench/timerbench/structures/intrusive/hwheel"
	"github.com/timerbench/timerbench/structures/intrusive/linkedwheel"
)

// With returns entries whose structures have a [replay.Loop].
func With(intrusive []entry.Entry) []entry.Entry {
	list := append([]entry.Entry(nil), intrusive...)
	for i := range list {
		bare := list[i].NewIntrusive
		list[i].NewIntrusive = func() any { return loopOf(bare()) }
	}
	return list
}

func loopOf(s any) replay.Loop {
	switch s := s.(type) {
	case *hwheel.Wheel[uint64]:
		return &hwheelLoop{replay.TableOf(s, func(t *hwheel.Timer[uint64]) *uint64 { return &t.Value }), s}
	case *linkedwheel.Wheel[uint64]:
		return &linkedwheelLoop{replay.TableOf(s, func(t *linkedwheel.Timer[uint64]) *uint64 { return &t.Value }), s}
	case *heap.Heap[uint64]:
		return &heapLoop{replay.TableOf(s, func(t *heap.Timer[uint64]) *uint64 { return &t.Value }), s}
	}
	panic(fmt.Sprintf("loops: %T has no timed loop, see loop_test.go of package replay", s))
}
