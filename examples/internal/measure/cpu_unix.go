//go:build unix

package measure

import "syscall"

// cpu returns the processor time of the process, in ns.
func cpu() int64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return used.Utime.Nano() + used.Stime.Nano()
}
