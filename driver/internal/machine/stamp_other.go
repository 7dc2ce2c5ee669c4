//go:build !amd64

package machine

// Stamp returns 0: there is no counter.
func Stamp() uint64 { return 0 }

// Steady returns false: there is no counter.
func Steady() bool { return false }
