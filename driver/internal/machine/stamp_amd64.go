package machine

// Stamp reads the time-stamp counter of the processor. It costs a third of reading the
// clock, and does not wait for what comes before it.
//
//go:noescape
func Stamp() uint64

// Steady reports whether that counter always goes at the same rate, on all processors.
//
//go:noescape
func Steady() bool
