package machine

import (
	"syscall"
	"unsafe"
)

// Uptime returns a clock in ns that runs while the machine is suspended: the interrupt time,
// which Windows 10 and later measure in steps of 100 ns.
func Uptime() (func() int64, error) {
	query := syscall.NewLazyDLL("kernelbase.dll").NewProc("QueryInterruptTimePrecise")
	if err := query.Find(); err != nil {
		return nil, err
	}
	return func() int64 {
		var at uint64 // in steps of 100 ns
		_, _, _ = query.Call(uintptr(unsafe.Pointer(&at)))
		return int64(at) * 100
	}, nil
}
