//go:build !linux

package idleconn

// unsent returns 0, because package syscall does not tell.
func unsent(uintptr) int32 { return 0 }
