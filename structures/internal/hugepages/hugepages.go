// Package hugepages asks the system for huge pages of 2 MiB. A processor remembers where a few thousand pages are, so among huge ones
// it seldom walks page tables.
package hugepages

import "unsafe"

// Bytes is the size of a huge page.
const Bytes = 2 << 20

// Ahead returns the number of bytes from an address to the next huge page.
func Ahead(at unsafe.Pointer) uintptr { return -uintptr(at) % Bytes }
