package machine

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// Timerfd is a timer of the system that Go's poller waits for. While a program sleeps, it rings at once, whereas a timer
// of Go's runtime rings after a whole number of milliseconds.
type Timerfd struct {
	file *os.File
	conn syscall.RawConn
	fd   uintptr
}

// NewTimerfd returns a timer that is not set. It goes on during a suspend if boot is true.
func NewTimerfd(boot bool) (*Timerfd, error) {
	clock := uintptr(1) // CLOCK_MONOTONIC
	if boot {
		clock = clockBoottime
	}
	// TFD_NONBLOCK and TFD_CLOEXEC
	fd, _, errno := syscall.RawSyscall(syscall.SYS_TIMERFD_CREATE, clock, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errno != 0 {
		return nil, os.NewSyscallError("timerfd_create", errno)
	}
	t := &Timerfd{file: os.NewFile(fd, "timerfd"), fd: fd}
	var err error
	if t.conn, err = t.file.SyscallConn(); err == nil {
		if err = t.file.SetReadDeadline(time.Time{}); err == nil { // the poller has it
			err = t.Set(0)
		}
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// Set makes the timer ring after a time, once, instead of when it was set to before. A time of 0 turns it off.
func (t *Timerfd) Set(after time.Duration) error {
	spec := struct{ interval, value syscall.Timespec }{value: syscall.NsecToTimespec(int64(after))}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, t.fd, 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("timerfd_settime", errno)
	}
	return nil
}

// Wait calls ring each time the timer rings, until Close. It never reads the timer: Set is enough to let it ring again.
func (t *Timerfd) Wait(ring func()) {
	_ = t.conn.Read(func(uintptr) (done bool) {
		ring()
		return false
	})
}

// Close ends Wait. It waits until ring has returned. Set must not be called afterwards.
func (t *Timerfd) Close() { _ = t.file.Close() }
