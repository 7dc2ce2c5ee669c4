package machine

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"time"
)

// Uptime returns a clock in ns that runs while the machine is suspended: the wall clock minus the
// boot time, which the system corrects when the wall clock is set.
func Uptime() (func() int64, error) {
	if _, err := booted(); err != nil {
		return nil, err
	}
	return func() int64 {
		before, _ := booted()
		for {
			wall := time.Now().UnixNano()
			after, _ := booted()
			if before == after { // else the clock was set in between
				return wall - after
			}
			before = after
		}
	}, nil
}

// booted returns the boot time, in ns since 1970.
func booted() (int64, error) {
	text, err := syscall.Sysctl("kern.boottime") // a timeval, without zero bytes at its end
	if err != nil {
		return 0, fmt.Errorf("sysctl kern.boottime: %w", err)
	}
	var at [16]byte
	copy(at[:], text)
	return int64(binary.LittleEndian.Uint64(at[:]))*int64(time.Second) +
		int64(binary.LittleEndian.Uint32(at[8:]))*int64(time.Microsecond), nil
}
