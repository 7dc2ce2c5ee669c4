package live

import (
	"syscall"
	"time"
)

// pause sleeps for a time. It does not use a timer of Go's runtime, which would wake up to
// a millisecond late, and would be one more among those that are measured.
func pause(d time.Duration) {
	end := time.Now().Add(d)
	for ; d > 0; d = time.Until(end) {
		t := syscall.NsecToTimespec(int64(d))
		_ = syscall.Nanosleep(&t, nil) // a signal ends it early
	}
}
