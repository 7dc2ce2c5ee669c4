package live

import (
	"syscall"
	"time"
)

// pause sleeps for d. It avoids the timers of Go's runtime: they wake up to a millisecond
// late, and they are among the contenders.
func pause(d time.Duration) {
	end := time.Now().Add(d)
	for ; d > 0; d = time.Until(end) {
		t := syscall.NsecToTimespec(int64(d))
		_ = syscall.Nanosleep(&t, nil) // a signal ends it early
	}
}
