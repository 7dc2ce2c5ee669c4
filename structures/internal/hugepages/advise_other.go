//go:build !linux

package hugepages

import "unsafe"

// Advise does nothing.
func Advise(unsafe.Pointer, uintptr) {}
