//go:build unix

package live

import (
	"syscall"
	"time"
)

// used returns the processor time that this process has taken, and how often one of its
// threads has gone to sleep. ok is false where the system does not say.
func used() (u usage, ok bool) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return u, false
	}
	return usage{time.Duration(r.Utime.Nano() + r.Stime.Nano()), int64(r.Nvcsw)}, true //nolint:unconvert // 32 bits wide on 386
}
