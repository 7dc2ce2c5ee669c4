//go:build !amd64 && !arm64

// Package machine provides facts about the processor and the system that Go's library does not.
package machine

import (
	"bytes"
	"runtime"
	"strconv"
)

// Goroutine returns a number that identifies the calling goroutine while it lives. It costs about
// 1 µs, because it parses the first line of a stack trace, "goroutine 7 [running]:".
func Goroutine() uintptr {
	var buf [40]byte
	fields := bytes.Fields(buf[:runtime.Stack(buf[:], false)])
	n, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		panic("driver: a stack trace begins with " + string(buf[:]))
	}
	return uintptr(n)
}
