package hwheel

// A cancelled timer leaves its entry behind, and so does one that is moved to an
// earlier deadline: to find it would cost more than all else that is to do. The
// slots are swept when there are too many dead entries, a little at a time.

const (
	// sweepEvery is how many timers go between two looks at whether to sweep: few
	// enough for no call to be a long one.
	sweepEvery = 8
	// sweepShare and sweepFloor bound the dead entries that are left alone: by a
	// share of the live ones, plus a constant.
	sweepShare = 2
	sweepFloor = 1024
	// sweepSpeed is how many entries are gone through for each timer gone. Three
	// would do where entries die anywhere; it is more, for those that die where
	// the sweep has just been.
	sweepSpeed = 8
)

// sweeper is how far the sweep has come.
type sweeper struct {
	slot int  // that is being swept
	rest list // what of it is still to be gone through
}

// gone takes note of a timer that has fired, or has left an entry behind: dead
// entries are bounded by the live ones, so that either may be one too much.
func (w *Wheel[T]) gone() {
	w.spare--
	if w.spare < 0 {
		w.sweep()
	}
}

// sweep goes through some entries, if there are too many dead ones.
func (w *Wheel[T]) sweep() {
	w.spare = sweepEvery
	dead := w.count - w.linked
	if dead <= w.linked/sweepShare+sweepFloor {
		return
	}
	for budget := sweepEvery * sweepSpeed; budget > 0 && w.count > w.linked; {
		budget -= w.sweepChunk()
	}
}

// sweepChunk goes through one chunk and returns how many entries were in there.
// There must be a list that is not empty.
func (w *Wheel[T]) sweepChunk() int {
	if w.sweeper.rest == 0 {
		slot := w.occupied.Next(w.sweeper.slot + 1)
		if slot < 0 {
			slot = w.occupied.First()
		}
		if slot < 0 {
			// All that is left is staged, and dropped when its turn comes.
			return sweepEvery * sweepSpeed
		}
		w.sweeper.slot = slot
		w.sweeper.rest = w.lists[slot]
		w.lists[slot] = 0
	}
	return w.sweepRest()
}

// sweepRest takes the next chunk of the slot that is being swept and puts back
// what lives.
func (w *Wheel[T]) sweepRest() int {
	slot := w.sweeper.slot
	link, held := w.entries.chunk(w.sweeper.rest)
	w.entries.lookAhead(*link)
	var live [chunkLen]entry
	n := 0
	for _, e := range held {
		live[n&chunkMask] = e // kept if the next one does not take its place
		if w.records.at(e.index()).word.stamp() == e.stamp() {
			n++
		}
	}
	next, _ := linkOf(*link)
	w.entries.give(w.sweeper.rest)
	w.sweeper.rest = next
	for _, e := range live[:n] {
		w.lists[slot] = w.entries.push(w.lists[slot], e)
	}
	w.count -= len(held) - n
	w.work.Dropped += uint64(len(held) - n)
	if next == 0 && w.lists[slot] == 0 {
		w.occupied.Clear(slot)
	}
	return len(held)
}

// unsweep puts what is still to be swept back, so that a slot is whole.
func (w *Wheel[T]) unsweep(slot int) {
	for w.sweeper.rest != 0 && w.sweeper.slot == slot {
		w.sweepRest()
	}
}
