package machine

import (
	"fmt"
	"syscall"
	"unsafe"
)

// Uptime returns a clock in ns that runs while the machine is suspended: CLOCK_BOOTTIME.
func Uptime() (func() int64, error) {
	if _, err := bootTime(); err != 0 {
		return nil, fmt.Errorf("clock_gettime(CLOCK_BOOTTIME): %w", err)
	}
	return func() int64 { ns, _ := bootTime(); return ns }, nil
}

const clockBoottime = 7

func bootTime() (ns int64, err syscall.Errno) {
	var at syscall.Timespec
	_, _, err = syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockBoottime, uintptr(unsafe.Pointer(&at)), 0)
	return at.Nano(), err
}
