package external

import (
	"slices"
	"time"
)

// shrink returns the smallest operations that it finds within a time limit for which fails still returns a fault. It
// removes operations, in halves down to single ones, then gives slots and ticks smaller numbers. No delay becomes longer
// than the longest one was: a library may document a limit of delays, which is another failure.
func shrink(ops []op, first fault, deadline time.Time, fails func([]op) *fault) ([]op, fault) {
	late := func() bool { return time.Now().After(deadline) }
	most := longestDelay(ops)
	try := func(candidate []op) bool {
		candidate = onlyValid(candidate)
		if len(candidate) == 0 || longestDelay(candidate) > most || late() {
			return false
		}
		f := fails(candidate)
		if f == nil {
			return false
		}
		ops, first = candidate, *f
		return true
	}
	if first.at >= 0 && first.at+1 < len(ops) {
		try(ops[:first.at+1])
	}
	for shrunk := true; shrunk && !late(); {
		shrunk = false
		for size := max(1, len(ops)/2); size > 0; size /= 2 {
			for from := len(ops) - size; from >= 0 && !late(); from -= size {
				shrunk = try(slices.Delete(slices.Clone(ops), from, from+size)) || shrunk
				from = min(from, len(ops))
			}
		}
		shrunk = smaller(&ops, late, try) || shrunk
	}
	return ops, first
}

func longestDelay(ops []op) (longest tick) {
	m := newModel()
	for _, o := range ops {
		if o.kind == schedule || o.kind == reschedule {
			longest = max(longest, o.at-m.now)
		}
		m.do(o, 0)
	}
	return longest
}

// smaller tries to number the slots from 0, and to replace each tick by smaller ones.
func smaller(ops *[]op, late func() bool, try func([]op) bool) (shrunk bool) {
	numbers := make(map[uint32]uint32)
	renumbered := slices.Clone(*ops)
	for i, o := range renumbered {
		if o.kind != pop {
			if _, ok := numbers[o.slot]; !ok {
				numbers[o.slot] = uint32(len(numbers))
			}
			renumbered[i].slot = numbers[o.slot]
		}
	}
	if !slices.Equal(renumbered, *ops) {
		shrunk = try(renumbered)
	}
	var ticks []tick
	for _, o := range *ops {
		if o.kind != cancel && !slices.Contains(ticks, o.at) {
			ticks = append(ticks, o.at)
		}
	}
	for _, from := range slices.Backward(slices.Sorted(slices.Values(ticks))) {
		for by := from / 2; by > 0 && !late(); by /= 2 {
			candidate := slices.Clone(*ops)
			for i, o := range candidate { // a shift of all later ticks keeps their order
				if o.kind != cancel && o.at >= from {
					candidate[i].at -= by
				}
			}
			if len(onlyValid(candidate)) == len(candidate) && try(candidate) {
				shrunk = true
				break
			}
		}
	}
	return shrunk
}
