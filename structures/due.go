package structures

import "iter"

// Due returns an iterator that pops s at now until nothing is due. The body of the loop may call any
// method of s. Breaking out of the loop leaves the rest pending. Each step costs one Pop.
func Due[T any](s Scheduler[T], now Tick) iter.Seq[Timer[T]] {
	return func(yield func(Timer[T]) bool) {
		for {
			t, ok := s.Pop(now)
			if !ok || !yield(t) {
				return
			}
		}
	}
}
