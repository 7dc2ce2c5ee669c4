package paged

import (
	"syscall"
	"unsafe"
)

// askForHugePages asks for huge pages for memory that nobody has touched. The system gives them as the memory is touched, or later, or
// never. To wait for them with MADV_COLLAPSE takes up to 20 ms.
func askForHugePages(start unsafe.Pointer) {
	_ = syscall.Madvise(unsafe.Slice((*byte)(start), hugeBytes), syscall.MADV_HUGEPAGE)
}
