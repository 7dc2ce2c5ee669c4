package idleconn

import (
	"syscall"
	"unsafe"
)

// unsent returns the number of bytes that were written to a socket and that its peer has not acknowledged.
func unsent(fd uintptr) (n int32) {
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&n)))
	return n
}
