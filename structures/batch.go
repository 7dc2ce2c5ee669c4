package structures

// Prefetcher is an optional interface of a structure, found by a type assertion. Prefetch loads the memory of timers
// that will soon be cancelled or moved into the cache, best for 32 IDs at a time. It changes nothing, and stale IDs
// do no harm. It pays off with a hundred thousand timers or more, when calls wait for memory.
type Prefetcher interface{ Prefetch(ids []ID) }

// batch is the number of IDs to prefetch at a time: about the number of cache lines that a core can load at once.
const batch = 32

// CancelAll cancels timers and returns the number that were pending. It prefetches 32 of them at a time if s is a Prefetcher.
func CancelAll[T any](s Scheduler[T], ids []ID) (cancelled int) { return callAll(s, ids, s.Cancel) }

// RescheduleAll moves timers to a deadline and returns the number that were pending. It prefetches 32 of
// them at a time if s is a Prefetcher.
func RescheduleAll[T any](s Scheduler[T], ids []ID, deadline Tick) (moved int) {
	return callAll(s, ids, func(id ID) bool { return s.Reschedule(id, deadline) })
}

// callAll calls a method for each ID and returns the number of calls that returned true.
func callAll[T any](s Scheduler[T], ids []ID, method func(id ID) bool) (done int) {
	ahead, _ := s.(Prefetcher)
	for i, id := range ids {
		if i%batch == 0 && ahead != nil {
			ahead.Prefetch(ids[i:min(i+batch, len(ids))])
		}
		if method(id) {
			done++
		}
	}
	return done
}
