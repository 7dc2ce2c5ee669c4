//go:build amd64 || arm64

// Package machine asks the processor and the system what Go's library does not tell.
package machine

// Goroutine returns a number that no other goroutine has at the same time.
//
//go:noescape
func Goroutine() uintptr
