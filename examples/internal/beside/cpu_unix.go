//go:build unix

package beside

import "syscall"

// cpu returns the processor time that the process has used, ns.
func cpu() int64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return used.Utime.Nano() + used.Stime.Nano()
}
