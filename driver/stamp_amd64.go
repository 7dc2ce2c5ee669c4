package driver

// stamp reads the time-stamp counter of the processor. It costs a third of reading the
// clock, and does not wait for what comes before it.
//
//go:noescape
func stamp() uint64

// steady reports whether that counter always goes at the same rate, on all processors.
//
//go:noescape
func steady() bool
