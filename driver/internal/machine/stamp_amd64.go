package machine

// Stamp reads the time-stamp counter of the processor. It costs a third of reading the clock, and
// it does not wait for earlier instructions.
//
//go:noescape
func Stamp() uint64

// Steady reports whether the counter has the same constant rate on all processors.
//
//go:noescape
func Steady() bool
