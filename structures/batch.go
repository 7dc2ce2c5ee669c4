package structures

// Prefetcher is a structure that gains from knowing which timers come next, found by a type
// assertion. Prefetch takes IDs of timers to be cancelled or moved soon, 32 at a time for the
// best effect, and reads their memory ahead. It changes nothing, and stale IDs do no harm. It is
// of use among a hundred thousand timers and more, where a call waits for memory.
type Prefetcher interface{ Prefetch(ids []ID) }

// batch is how many IDs are prefetched at a time: about as many lines as a core can load at once.
const batch = 32

// CancelAll cancels timers, and returns how many were pending. A Prefetcher is told of 32 at a
// time.
func CancelAll[T any](s Scheduler[T], ids []ID) (cancelled int) {
	ahead, _ := s.(Prefetcher)
	for len(ids) > 0 {
		n := prefetch(ahead, ids)
		for _, id := range ids[:n] {
			if s.Cancel(id) {
				cancelled++
			}
		}
		ids = ids[n:]
	}
	return cancelled
}

// RescheduleAll moves timers to a deadline, and returns how many were pending, as CancelAll does.
func RescheduleAll[T any](s Scheduler[T], ids []ID, deadline Tick) (moved int) {
	ahead, _ := s.(Prefetcher)
	for len(ids) > 0 {
		n := prefetch(ahead, ids)
		for _, id := range ids[:n] {
			if s.Reschedule(id, deadline) {
				moved++
			}
		}
		ids = ids[n:]
	}
	return moved
}

// prefetch tells a structure of the next IDs, and returns how many they are.
func prefetch(ahead Prefetcher, ids []ID) int {
	if ahead == nil {
		return len(ids)
	}
	n := min(len(ids), batch)
	ahead.Prefetch(ids[:n])
	return n
}
