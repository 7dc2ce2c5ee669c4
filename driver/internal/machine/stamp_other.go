//go:build !amd64

package machine

// Stamp is 0 where there is no counter.
func Stamp() uint64 { return 0 }

// Steady is false where there is no counter.
func Steady() bool { return false }
