package machine

import (
	"syscall"
	"unsafe"
)

// Uptime returns a clock that goes on while the machine is suspended, in ns. Here it is the
// interrupt time, which Windows 10 and later can tell to 100 ns.
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
