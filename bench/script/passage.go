package script

import (
	"slices"

	"github.com/timerbench/timerbench/structures"
)

// Passage counts dead entries, from the start of a script. A timer that is cancelled or moved leaves a dead entry, in a
// structure that only marks it: the entry of its old deadline. When the clock reaches that deadline, the entry comes due.
//
// Work that is put off is paid when dead entries come due. So a region of a script in which fewer come due than are made
// does not show the whole cost of cancels and moves.
type Passage struct {
	Made uint64 `json:"dead_made"` // dead entries
	Due  uint64 `json:"dead_due"`  // dead entries that have come due
}

// Since returns what has passed since an earlier moment.
func (p Passage) Since(earlier Passage) Passage {
	return Passage{p.Made - earlier.Made, p.Due - earlier.Due}
}

// Steady is the least share of a region in the steady state (chosen).
const Steady = 0.9

// Share returns the dead entries that have come due, divided by those that were made. It is 1 if none was made.
func (p Passage) Share() float64 {
	if p.Made == 0 {
		return 1
	}
	return float64(p.Due) / float64(p.Made)
}

// Tally keeps the Passage of a sequence of operations. The zero Tally is ready. Its methods cost O(log n) for n dead
// entries at most.
type Tally struct {
	Passage
	dead   Queue[struct{}]   // not due yet
	delays []structures.Tick // the last ones, a ring
	set    int               // delays so far
}

// keptDelays is the number of delays whose median a Tally knows.
const keptDelays = 1 << 12

// Set notes the delay of a timer that is scheduled or moved.
func (t *Tally) Set(delay structures.Tick) {
	if len(t.delays) < keptDelays {
		t.delays = append(t.delays, delay)
	} else {
		t.delays[t.set%keptDelays] = delay
	}
	t.set++
}

// Reach notes that the clock reaches a tick.
func (t *Tally) Reach(now structures.Tick) {
	for t.dead.Len() > 0 {
		if at, _ := t.dead.First(); at > now {
			break
		}
		t.dead.Pop()
		t.Due++
	}
}

// MedianDelay returns the median of the last delays, in ticks; 0 if there was none.
func (t *Tally) MedianDelay() structures.Tick {
	if len(t.delays) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t.delays))
	return sorted[len(sorted)/2]
}
