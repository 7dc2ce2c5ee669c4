package model

import (
	"slices"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// Shrink returns the fewest operations that it finds until a time for which fails is true, as it is for ops. It removes
// operations, in halves down to single ones, then gives slots and ticks smaller numbers. valid returns those of the
// operations that may be executed.
func Shrink(ops []Op, until time.Time, valid func([]Op) []Op, fails func([]Op) bool) []Op {
	late := func() bool { return time.Now().After(until) }
	try := func(candidate []Op) bool {
		candidate = valid(candidate)
		if len(candidate) == 0 || late() || !fails(candidate) {
			return false
		}
		ops = candidate
		return true
	}
	for shrunk := true; shrunk && !late(); {
		shrunk = false
		for size := max(1, len(ops)/2); size > 0; size /= 2 {
			for from := len(ops) - size; from >= 0 && !late(); from -= size {
				shrunk = try(slices.Delete(slices.Clone(ops), from, from+size)) || shrunk
				from = min(from, len(ops))
			}
		}
		renumbered := renumber(ops)
		shrunk = !slices.Equal(renumbered, ops) && try(renumbered) || shrunk
		for _, from := range ticks(ops) {
			for by := from / 2; by > 0 && !late(); by /= 2 {
				candidate := slices.Clone(ops)
				for i, o := range candidate { // a shift of all later ticks keeps their order
					if hasTick(o) && o.At >= from {
						candidate[i].At -= by
					}
				}
				if len(valid(candidate)) == len(candidate) && try(candidate) {
					shrunk = true
					break
				}
			}
		}
	}
	return ops
}

// renumber numbers the slots of scheduled timers from 1.
func renumber(ops []Op) []Op {
	numbers := make(map[uint32]uint32)
	ops = slices.Clone(ops)
	for i, o := range ops {
		if _, ok := numbers[o.Slot]; !ok && o.Kind == Schedule {
			numbers[o.Slot] = uint32(len(numbers) + 1)
		}
		if n, ok := numbers[o.Slot]; ok && o.Kind != Pop && o.Kind != Next {
			ops[i].Slot = n
		}
	}
	return ops
}

func hasTick(o Op) bool { return o.Kind != Cancel && o.Kind != Next }

// ticks returns all ticks of operations, the last first.
func ticks(ops []Op) (all []structures.Tick) {
	for _, o := range ops {
		if hasTick(o) {
			all = append(all, o.At)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	return all
}
