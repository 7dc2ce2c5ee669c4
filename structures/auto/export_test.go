package auto

// MaxTimers is the limit of Capacity.
const MaxTimers = maxTimers

// Levels is the number of levels.
const Levels = levelCount

// FewLimit is the number of timers up to which they are in pools.
const FewLimit = fewLimit

// NewFew returns an empty set of timers with another limit for the pools.
func NewFew[T any](limit int) *Timers[T] {
	t := New[T]()
	t.fewLimit = limit
	return t
}
