package structures

// Prefetcher is an optional interface of a structure, found by a type assertion. Prefetch loads the memory of timers
// that will soon be cancelled or moved into the cache, best for 32 IDs at a time. It changes nothing, and stale IDs
// do no harm. It pays off with a hundred thousand timers or more, when calls wait for memory.
type Prefetcher interface{ Prefetch(ids []ID) }

// batch is the number of IDs to prefetch at a time: about the number of cache lines that a core can load at once.
const batch = 32

// CancelAll cancels timers and returns the number that were pending. It prefetches 32 of them at a time
// if s is a Prefetcher.
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

// RescheduleAll moves timers to a deadline and returns the number that were pending. It prefetches 32 of
// them at a time if s is a Prefetcher.
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

// prefetch prefetches the first IDs, and returns the number to process before the next call.
func prefetch(ahead Prefetcher, ids []ID) int {
	if ahead == nil {
		return len(ids)
	}
	n := min(len(ids), batch)
	ahead.Prefetch(ids[:n])
	return n
}
