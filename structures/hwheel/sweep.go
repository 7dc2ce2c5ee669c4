package hwheel

// A cancelled timer leaves its entry behind, and so does one that is moved to an
// earlier deadline: to find it would cost more than all else that is to do. The
// slots are swept when there are too many dead entries, a little at a time.

const (
	// sweepEvery is how many entries die between two looks at whether to sweep: few
	// enough for no call to be a long one.
	sweepEvery = 8
	// Dead entries are left alone up to three quarters of the live ones and
	// sweepFloor. So a sweep goes through seven to find three.
	sweepFloor = 1024
	// sweepSpeed is how many entries are gone through for each one that dies. Seven
	// thirds would do where entries die anywhere; it is more, for those that die
	// where the sweep has just been.
	sweepSpeed = 8
)

// sweeper is how far the sweep has come.
type sweeper struct {
	slot int  // that is being swept
	rest list // what of it is still to be gone through
}

// died takes note of a timer whose entry counts no more. It is small enough to be
// inlined, and so is free: calling them took a tenth of the time of a Cancel.
func (w *Wheel[T]) died() {
	w.dead++
	w.spare--
	if w.spare < 0 {
		w.tend()
	}
}

// tend does what need not be done for each timer that is cancelled.
func (w *Wheel[T]) tend() {
	w.spare = sweepEvery
	w.records.free.makeRoom(stageLen + 2*sweepEvery)
	if w.tooManyDead() {
		w.sweep(sweepEvery * sweepSpeed)
	}
}

// drop takes note of dead entries that are there no more.
func (w *Wheel[T]) drop(n int) {
	w.dead -= n
	w.work.Dropped += uint64(n)
}

func (w *Wheel[T]) tooManyDead() bool { return w.dead > w.linked/4*3+sweepFloor }

// sweep goes through so many entries, or a few more.
func (w *Wheel[T]) sweep(budget int) {
	for budget > 0 && w.dead > 0 {
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
	w.drop(len(held) - n)
	switch {
	case next != 0:
		// The next chunk's turn comes a few calls later. Its records are there by
		// then: 30 ns less for a cancel and a schedule among a million timers.
		_, ahead := w.entries.chunk(next)
		w.records.touchAll(ahead)
	case w.lists[slot] == 0:
		w.vacate(slot)
	}
	return len(held)
}

// unsweep puts what is still to be swept back, so that a slot is whole.
func (w *Wheel[T]) unsweep(slot int) {
	for w.sweeper.rest != 0 && w.sweeper.slot == slot {
		w.sweepRest()
	}
}
