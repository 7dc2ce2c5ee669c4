//go:build unix

package live

import (
	"syscall"
	"time"
)

// used returns the processor time of this process and the number of voluntary sleeps of its threads.
func used() (u usage) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return u
	}
	return usage{time.Duration(r.Utime.Nano() + r.Stime.Nano()), int64(r.Nvcsw)} //nolint:unconvert // 32 bits wide on 386
}
