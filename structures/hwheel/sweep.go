package hwheel

const (
	// maintainEvery is the number of entries that die between two calls of
	// maintain. It is small so that no call takes long.
	maintainEvery = 8
	// The sweep keeps dead entries to three quarters of the live ones and
	// sweepFloor. So it walks seven entries to drop three.
	sweepFloor = 1024
	// sweepSpeed is the number of entries that are swept for each one that dies.
	// 7/3 would do if entries died anywhere. It is more for entries that die where
	// the sweep has just been.
	sweepSpeed = 8
)

// sweeper is the state of the sweep. Cancel leaves the entry of the timer behind, and
// so does Reschedule to an earlier deadline. To search for the entry would cost more
// than all the rest of the operation. So a sweep goes around all slots, a chunk at a
// time, while there are too many dead entries.
//
// Invariant: slot holds the entries that were swept and kept, and rest holds those
// that are still to be swept.
type sweeper struct {
	slot int
	rest list
}

// entryDied notes that an entry has died. It is inlined, as is freeRecord: calls
// would take a tenth of the time of a Cancel.
func (w *Wheel[T]) entryDied() {
	w.dead++
	w.maintenance--
	if w.maintenance < 0 {
		w.maintain()
	}
}

// maintain is the part of entryDied that runs once per maintainEvery entries.
func (w *Wheel[T]) maintain() {
	w.maintenance = maintainEvery
	w.records.free.makeRoom(stageLen + 2*maintainEvery)
	if w.tooManyDead() {
		w.sweep(maintainEvery * sweepSpeed)
	}
}

// countDropped notes that n dead entries were removed.
func (w *Wheel[T]) countDropped(n int) {
	w.dead -= n
	w.work.Dropped += uint64(n)
}

func (w *Wheel[T]) tooManyDead() bool { return w.dead > w.inSlots/4*3+sweepFloor }

// sweep sweeps at least n entries, in whole chunks.
func (w *Wheel[T]) sweep(n int) {
	for n > 0 && w.dead > 0 {
		n -= w.sweepChunk()
	}
}

// sweepChunk sweeps one chunk and returns the number of entries in it. It goes to
// the next occupied slot if the last one is finished.
func (w *Wheel[T]) sweepChunk() int {
	if w.sweeper.rest == 0 {
		slot := w.occupied.Next(w.sweeper.slot + 1)
		if slot < 0 {
			slot = w.occupied.First()
		}
		if slot < 0 {
			// All entries are staged or about to be. stage and Pop drop the dead ones.
			return maintainEvery * sweepSpeed
		}
		w.sweeper.slot = slot
		w.sweeper.rest = w.lists[slot]
		w.lists[slot] = 0
	}
	return w.sweepChunkOfSlot()
}

// sweepChunkOfSlot sweeps the next chunk of the slot of the sweep.
func (w *Wheel[T]) sweepChunkOfSlot() int {
	slot := w.sweeper.slot
	header, held := w.entries.chunk(w.sweeper.rest)
	w.entries.prefetchAfter(*header)
	var live [chunkLen]entry
	n := 0
	for _, e := range held {
		live[n&chunkMask] = e // the next entry overwrites it unless n grows
		if w.records.at(e.index()).state.version() == e.version() {
			n++
		}
	}
	next, _ := linksOf(*header)
	w.entries.freeChunk(w.sweeper.rest)
	w.sweeper.rest = next
	for _, e := range live[:n] {
		w.lists[slot] = w.entries.push(w.lists[slot], e)
	}
	w.countDropped(len(held) - n)
	switch {
	case next != 0:
		// The next chunk is swept some calls later. Prefetching its records saves
		// 30 ns of a cancel and a schedule among a million timers.
		_, ahead := w.entries.chunk(next)
		w.records.prefetchAll(ahead)
	case w.lists[slot] == 0:
		w.markEmpty(slot)
	}
	return len(held)
}

// finishSweep sweeps the rest of a slot, so that its list holds all its entries.
func (w *Wheel[T]) finishSweep(slot int) {
	for w.sweeper.rest != 0 && w.sweeper.slot == slot {
		w.sweepChunkOfSlot()
	}
}
