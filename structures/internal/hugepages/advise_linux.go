package hugepages

import (
	"syscall"
	"unsafe"
)

// Advise asks for huge pages for memory that nobody has touched, from the start of a huge page on. The system decides: it gives them
// as the memory is touched, or later, or never. Advise does not wait for them with MADV_COLLAPSE, which takes up to 20 ms.
func Advise(start unsafe.Pointer, bytes uintptr) {
	_ = syscall.Madvise(unsafe.Slice((*byte)(start), bytes), syscall.MADV_HUGEPAGE)
}
