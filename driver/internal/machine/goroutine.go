//go:build amd64 || arm64

// Package machine provides facts about the processor and the system that Go's library does not.
package machine

// Goroutine returns a number that identifies the calling goroutine while it lives.
//
//go:noescape
func Goroutine() uintptr
