//go:build !amd64 && !arm64

// Package machine asks the processor and the system what Go's library does not tell.
package machine

import (
	"bytes"
	"runtime"
	"strconv"
)

// Goroutine returns a number that no other goroutine has at the same time. It costs about
// 1 µs: it is read from the head of a stack trace, "goroutine 7 [running]:".
func Goroutine() uintptr {
	var buf [40]byte
	fields := bytes.Fields(buf[:runtime.Stack(buf[:], false)])
	n, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		panic("driver: a stack trace begins with " + string(buf[:]))
	}
	return uintptr(n)
}
